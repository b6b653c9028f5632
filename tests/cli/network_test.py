"""Run directories on a network file system, as tests/support/nfs_preload.c emulates NFS: removed files that are still open stay
as .nfs files, and new files are seen late.

  network_test.py --photofinish BIN --mpi openmpi|mpich [--yield-preload LIB] [unittest arguments]
"""
import os
import time
import unittest

import cli_test
from cli_test import HERE, Case, environment


class Network(Case):
    def setUp(self):
        super().setUp()
        compiled = self.run_("cc", "-shared", "-fPIC", "-O1", os.path.join(HERE, "../support/nfs_preload.c"), "-o", "nfs_preload.so")
        self.assertEqual(compiled.code, 0, compiled)

    def on_nfs(self, *words, **more):
        env = environment(NFS_PRELOAD_ROOT=os.path.realpath(self.dir), **more)
        env["LD_PRELOAD"] = ":".join(filter(None, [env.get("LD_PRELOAD"), self.path("nfs_preload.so")]))
        return self.photofinish(*words, env=env)

    def test_confirm(self):
        """Each confirming run has a directory of its own, so that what is left of one does not stop the next."""
        app = self.compile("crossing.c")
        self.assertEqual(self.photofinish("check", "-n", "3", app, "say").code, 66)
        result = self.on_nfs("confirm", "photofinish.run")
        self.assertEqual(result.code, 66, result)
        self.assertIn("F1 confirmed, harmful", result.out, result)
        # All its files are still open, as far as the file system knows.
        self.assertRegex(result.err, r"^photofinish: cannot remove \S+/photofinish\.run\.confirming: some of its files are still open\. Remove it when nothing uses it\n$")
        left = [name for _, _, names in os.walk(self.path("photofinish.run.confirming")) for name in names]
        self.assertTrue(left and all(name.startswith(".nfs") for name in left), left)
        # The next confirm takes it away.
        again = self.photofinish("confirm", "photofinish.run")
        self.assertEqual((again.code, again.err), (66, ""), again)
        self.assertFalse(os.path.exists(self.path("photofinish.run.confirming")))

    def test_overwrite(self):
        app = self.compile("survive.c")
        for more in ([], ["--overwrite"], ["--overwrite"]):
            result = self.on_nfs("check", "-n", "2", *more, app, "well")
            self.assertEqual(result.code, 0, result)
            self.assertRegex(result.err, r"2 of 2 ranks recorded")
        self.assertTrue(any(name.startswith(".nfs") for name in os.listdir(self.path("photofinish.run"))))
        self.write("photofinish.run/.nfs-notes", "mine")
        result = self.photofinish("check", "-n", "2", "--overwrite", app, "well")
        self.assertEqual(result.code, 64, result)

    def test_a_directory_that_is_seen_late(self):
        app = self.compile("survive.c")
        started = time.monotonic()
        result = self.on_nfs("check", "-n", "2", app, "well", NFS_PRELOAD_LATE_MS="1500")
        self.assertEqual(result.code, 0, result)
        self.assertRegex(result.err, r"2 of 2 ranks recorded")
        self.assertGreater(time.monotonic() - started, 1.5)


if __name__ == "__main__":
    cli_test.main()
