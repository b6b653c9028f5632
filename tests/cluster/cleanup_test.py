"""Nothing is left of a cluster (cluster.py), however its script ends: by itself, by SIGTERM, by SIGKILL."""
import os
import pathlib
import signal
import subprocess
import sys
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
MARK = f"photofinish-cluster-{os.getpid()}"


def marked():
    """Processes that were started inside, seen from outside."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if MARK in path.read_text() and int(path.parent.name) != os.getpid():
                found.append(path.parent.name)
        except OSError:
            pass
    return found


def start(*command):
    return subprocess.Popen([sys.executable, HERE / "cluster.py", "--nodes", "2", "--", *command], stdout=subprocess.PIPE, text=True)


class Cleanup(unittest.TestCase):
    def begin(self, started):
        line = started.stdout.readline()
        if line.startswith("SKIPPED"):
            print(line)
            sys.exit(77)
        self.assertEqual(line, "ready\n")
        self.assertTrue(marked())

    # A background process on each node, in a session of its own.
    LEAVING = f"(setsid sleep 600 {MARK} &) 2>/dev/null; setsid python3 -c 'import time; time.sleep(600)' {MARK} & on-node node2 " \
              f"'setsid python3 -c \"import time; time.sleep(600)\" {MARK} & sleep 0.1; true'; echo ready; "

    def nothing_is_left(self):
        until = time.monotonic() + 10
        while marked() and time.monotonic() < until:
            time.sleep(0.05)
        self.assertEqual(marked(), [])
        self.assertNotIn("/run/cluster", pathlib.Path("/proc/self/mounts").read_text())
        self.assertFalse(pathlib.Path("/run/cluster").exists())
        links = subprocess.run(["ip", "-br", "link"], capture_output=True, text=True).stdout
        self.assertNotIn("to-node", links)

    def test_by_itself(self):
        started = start("bash", "-c", self.LEAVING + "exit 7")
        self.begin(started)
        self.assertEqual(started.wait(30), 7)
        started.stdout.close()
        self.nothing_is_left()

    def test_by_signals(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGKILL):
            with self.subTest(number):
                started = start("bash", "-c", self.LEAVING + "sleep 600")
                self.begin(started)
                started.send_signal(number)
                started.wait(30)
                started.stdout.close()
                self.nothing_is_left()


if __name__ == "__main__":
    unittest.main()
