"""What a run may tell whom: modes of files, secrets in the environment, names with control characters.

  privacy_test.py --photofinish BIN --mpi openmpi|mpich [--yield-preload LIB] [unittest arguments]
"""
import json
import os
import re
import shutil
import stat
import subprocess

import cli_test
from cli_test import Case, environment


class Privacy(Case):
    PROGRAM = """
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, big[1000] = {0}, *memory;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win win;
  MPI_Win_allocate(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  MPI_Win_set_name(win, "\\033[31mred\\nSUMMARY: \\xff gr\\xc3\\xbcn");
  MPI_Win_lock_all(0, win);
  int seven = 7;
  MPI_Put(&seven, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
  MPI_Win_unlock_all(win);
  MPI_Sendrecv_replace(big, 1000, MPI_INT, 1 - rank, 0, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Win_free(&win);
  const char *token = getenv("MY_API_TOKEN"), *kept = getenv("COLOR");
  printf("%s %s\\n", token ? token : "none", kept ? kept : "none");
  MPI_Finalize();
  return 0;
}
"""

    def build(self):
        self.write("app.c", self.PROGRAM)
        result = self.run_(f"mpicc.{cli_test.arguments.mpi}", "-g", "-w", "app.c", "-o", "app")
        self.assertEqual(result.code, 0, result)
        return "./app"

    def environment(self):
        return environment(MY_API_TOKEN="hush-hush", my_db_password="mumble", COLOR="blue", DATABASE_URL="db://me:whisper@host/x")

    def record(self, *words):
        result = self.photofinish("record", "--overwrite", *words, "-n", "2", self.build(), env=self.environment())
        self.assertEqual(result.code, 0, result)
        self.assertIn("hush-hush blue", result.out)

    def held(self, *folders):
        """All that the files hold, as strings."""
        text = b""
        for folder in folders:
            for path, _, names in os.walk(self.path(folder)):
                for name in names:
                    data = open(os.path.join(path, name), "rb").read()
                    text += data
                    # Chunks are compressed.
                    for start in (found.start() for found in re.finditer(rb"\x28\xb5\x2f\xfd", data)):
                        text += subprocess.run(["zstd", "-dcq"], input=data[start:], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
        return text

    def assertPrivate(self, folder):
        modes = {self.path(folder): 0o700}
        for path, folders, names in os.walk(self.path(folder)):
            modes.update({os.path.join(path, name): 0o700 for name in folders})
            modes.update({os.path.join(path, name): 0o600 for name in names})
        self.assertGreater(len(modes), 2)
        for path, wanted in modes.items():
            self.assertEqual(oct(stat.S_IMODE(os.lstat(path).st_mode)), oct(wanted), path)

    def test_files_are_private_whatever_the_umask(self):
        before = os.umask(0)
        self.addCleanup(os.umask, before)
        os.mkdir(self.path("mine.run"), 0o777)
        checked = self.photofinish("check", "-o", "mine.run", "--format", "json", "-n", "2", self.build())
        self.assertEqual(checked.code, 66, checked)
        self.assertEqual(self.photofinish("report", "--format", "html", "mine.run").code, 66)
        self.assertPrivate("mine.run")
        self.assertEqual(self.photofinish("report", "--format", "sarif", "-o", "out.sarif", "mine.run").code, 66)
        self.assertEqual(stat.S_IMODE(os.stat(self.path("out.sarif")).st_mode), 0o600)
        self.assertEqual(self.photofinish("confirm", "--runs", "1", "mine.run").code, 66)
        self.assertPrivate("mine.run")

    def test_records_are_private(self):
        before = os.umask(0)
        self.addCleanup(os.umask, before)
        self.record()
        replayed = self.photofinish("replay", "--output-dir", "printed", "photofinish.run", env=self.environment())
        self.assertEqual(replayed.code, 0, replayed)
        self.assertPrivate("printed")
        self.assertEqual(self.photofinish("replay", "--vscode=launch.json", "photofinish.run").code, 0)
        self.assertEqual(stat.S_IMODE(os.stat(self.path("launch.json")).st_mode), 0o600)
        self.assertPrivate("photofinish.run")

    def test_a_report_is_not_written_through_a_link(self):
        self.assertEqual(self.photofinish("check", "-n", "2", self.build()).code, 66)
        self.write("victim", "mine")
        os.symlink("victim", self.path("out.json.new"))
        self.assertEqual(self.photofinish("report", "--format", "json", "-o", "out.json", "photofinish.run").code, 66)
        self.assertEqual(open(self.path("victim")).read(), "mine")
        self.assertFalse(os.path.islink(self.path("out.json")))

    def test_secrets_are_left_out(self):
        self.record()
        self.assertEqual(self.photofinish("replay", "--vscode=launch.json", "photofinish.run").code, 0)
        held = self.held("photofinish.run") + open(self.path("launch.json"), "rb").read()
        for secret in b"hush-hush", b"mumble", b"whisper":
            self.assertNotIn(secret, held)
        self.assertIn(b"COLOR=blue", self.held("photofinish.run"))  # or the search finds nothing
        self.assertNotIn(b"blue", open(self.path("launch.json"), "rb").read())
        dump = self.photofinish("dump", "--definitions", "--ranks", "0", "photofinish.run")
        named = re.search(r"^environment variables left out of the record.*: (.*)$", dump.out, re.M)
        self.assertTrue(named, dump)
        self.assertLessEqual({"MY_API_TOKEN", "my_db_password", "DATABASE_URL"}, set(named.group(1).split(", ")))
        replayed = self.photofinish("replay", "--ranks", "0", "photofinish.run", env=self.environment())
        self.assertEqual(replayed.out, "none blue\n", replayed)
        said = [line for line in replayed.err.splitlines() if "--keep-env" in line]
        self.assertEqual(len(said), 1, replayed)
        self.assertRegex(said[0], "^photofinish: rank 0 asks for the environment variable MY_API_TOKEN, which the record left out .* --keep-env=MY_API_TOKEN")

    def test_secrets_that_are_asked_for_are_kept(self):
        for words in ["--keep-env"], ["--keep-env=OTHER,MY_API_TOKEN"]:
            self.record(*words)
            replayed = self.photofinish("replay", "--ranks", "0", "photofinish.run")
            self.assertEqual(replayed.out, "hush-hush blue\n", replayed)
            self.assertNotIn("left out", replayed.err)
        self.assertNotIn(b"mumble", self.held("photofinish.run"))
        self.assertSays(self.photofinish("record", "--keep-env=A=b", "-n", "2", "./app"), "keep_env: 'A=b' takes names", 64)

    def test_names_cannot_change_the_terminal(self):
        checked = self.photofinish("check", "-n", "2", self.build())
        self.assertEqual(checked.code, 66, checked)
        dump = self.photofinish("dump", "--definitions", "photofinish.run")
        for text in checked.err + checked.out, dump.out:
            self.assertNotRegex(text, r"[\x00-\x08\x0b-\x1f\x7f]")
            self.assertIn(r"\x1b[31mred\nSUMMARY: \xff grün", text)
            self.assertNotRegex(text, r"(?m)^SUMMARY: *\\xff")
        forged = "./app\nSUMMARY: photofinish: no findings"
        shutil.copy(self.path("app"), self.path(forged))
        for words in ("check", "--overwrite", "-n", "2", forged), ("report", "photofinish.run"), ("doctor", forged):
            result = self.photofinish(*words)
            self.assertNotRegex(result.err + result.out, "(?m)^SUMMARY: photofinish: no findings$", result)
        report = self.photofinish("report", "--format", "json", "photofinish.run")
        self.assertIn(r"\x1b[31mred\nSUMMARY: \xff grün", json.dumps(json.loads(report.out), ensure_ascii=False).replace("\\\\", "\\"))


if __name__ == "__main__":
    cli_test.main()
