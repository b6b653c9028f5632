"""Photofinish on a cluster of three nodes (cluster.py), as a user has it: under mpirun over ssh, and under Slurm.

  cluster_test.py --photofinish BIN --mpi openmpi|mpich [--yield-preload LIB] Smoke|Commands|Slurm|Faults [unittest arguments]

Exit code 77: namespaces are not allowed, or packages are missing.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import sys
import unittest

import cluster
import faults

HERE = pathlib.Path(__file__).resolve().parent
TIMEOUT = 120
INCOMPLETE = 67  # exit code of a report on a run that was cut short
# Open MPI 4.1 under srun, on a busy machine, now and then, without us as well: a rank crashes in MPI_Init. Such a test is run again. srun may end the rank before its message is complete.
CRASH_OF_MPI = (r"Failing at address: \(nil\)\n\S+ \[ 0\] \S*libc\.so\S*\n\S+ \*\*\* End of error message"
                r"|\*\*\* Process received signal \*\*\*\nsrun: error: \S+ task \d+: Segmentation fault"
                r"|no rank of the program completed MPI_Init: exit code 143")
RUNS = 5
arguments = None
nodes = None


class Case(unittest.TestCase):
    """Each test has a directory that all nodes share, with the program in it."""

    def setUp(self):
        self.dir = nodes.shared / self.id().split(".", 1)[1]
        self.dir.mkdir()
        self.addCleanup(shutil.rmtree, self.dir, ignore_errors=True)
        shutil.copy(nodes.shared / "spread", self.dir / "spread")

    def on(self, node, *line, **keywords):
        return nodes.run(node, [str(word) for word in line], timeout=TIMEOUT, folder=self.dir, environment=environment(), **keywords)

    def photofinish(self, *words, node="node1"):
        return self.on(node, arguments.photofinish, *words)

    def assertEnded(self, done, code):
        self.assertEqual(done.returncode, code, f"{done.args}\n{done.stdout}{done.stderr}")

    def assertMatches(self, done, *patterns):
        for pattern in patterns:
            self.assertRegex(done.stdout + done.stderr, pattern, f"{done.args}")

    def findings(self, run="photofinish.run"):
        """What the report says of each, without how it says it."""
        done = self.photofinish("report", run, "--format", "json")
        self.assertEnded(done, 66)
        return sorted(finding["kind"] for finding in json.loads(done.stdout)["findings"])

    # One rank on each node.
    mpirun = {"openmpi": ["mpirun.openmpi", "-n", "3"], "mpich": ["mpiexec.mpich", "-ppn", "1", "-n", "3"]}
    srun = {"openmpi": ["srun", "--mpi=pmix", "--kill-on-bad-exit=1", "-N", "3", "-n", "3"],
            "mpich": ["srun", "--mpi=pmi2", "--kill-on-bad-exit=1", "-N", "3", "-n", "3"]}

    def check_finds_both_races(self, launcher):
        done = self.photofinish("check", "--", *launcher, "./spread", "races")
        self.assertEnded(done, 66)
        # Launchers mix the lines of ranks: a word, not a line.
        self.assertMatches(done, r"done", r"3 of 3 ranks recorded", r"one-sided race", r"message race")
        self.assertEqual(len(self.findings()), 2)

    def record_and_replay(self, launcher):
        """The whole group: what each rank prints in its replay, on one machine, is what it printed on its node."""
        recorded = self.photofinish("record", "--ranks", "all", "--", *launcher, "./spread", "ring")
        self.assertEnded(recorded, 0)
        wanted = sorted(re.findall(r"rank \d on node\d: \d+", recorded.stdout))  # launchers mix lines
        self.assertEqual([line[:15] for line in wanted], [f"rank {rank} on node{rank + 1}" for rank in range(3)], recorded)
        replayed = self.photofinish("replay", "photofinish.run")
        self.assertEnded(replayed, 0)
        self.assertEqual(sorted(re.findall(r"(?m)^rank \d on node\d: \d+$", replayed.stdout)), wanted, replayed.stderr)
        alone = self.photofinish("replay", "photofinish.run", "--ranks", "2", node="node3")
        self.assertEnded(alone, 0)
        self.assertEqual(re.findall(r"(?m)^rank \d on node\d: \d+$", alone.stdout), wanted[2:], alone.stderr)

    def confirm_both_races(self, *more):
        done = self.photofinish("confirm", *more, "photofinish.run")
        self.assertEnded(done, 66)
        self.assertMatches(done, r"2 of 2 findings confirmed")
        self.assertEqual(sorted(path.name for path in self.dir.iterdir()), ["photofinish.run", "spread"])

    def own_tmp_is_refused(self, launcher, by_exec=False):
        """A run directory that only node1 has: one line that names who lacks it, and nothing is left."""
        if by_exec:
            done = self.on("node1", *launcher, arguments.photofinish, "exec", "-o", "/tmp/mine.run", "./spread", "races")
            self.assertEnded(done, 0)
        else:
            done = self.photofinish("check", "-o", "/tmp/mine.run", "--", *launcher, "./spread", "races")
            self.assertEnded(done, 70)
        said = [line for line in done.stderr.splitlines() if "photofinish: " in line]
        self.assertEqual(len(said), 1, done)
        self.assertRegex(said[0], r"photofinish: ranks 1-2 on node2, node3 do not see the run directory /tmp/mine\.run, which is on node1; "
                                  r"choose one on a file system that all nodes share, with -o DIR \(the program continues, unrecorded\)$")
        self.assertMatches(done, r"done")  # launchers mix the lines of ranks
        for node in nodes.names:
            self.assertEqual(self.on(node, "ls", "/tmp").stdout.split().count("mine.run"), 0, node)


class Smoke(Case):
    def test_mpirun(self):
        self.check_finds_both_races(self.mpirun[arguments.mpi])
        shutil.rmtree(self.dir / "photofinish.run")
        self.record_and_replay(self.mpirun[arguments.mpi])

    def test_own_tmp_is_refused(self):
        self.own_tmp_is_refused(self.mpirun[arguments.mpi])


class Slurm(Case):
    def test_srun(self):
        self.check_finds_both_races(self.srun[arguments.mpi])
        shutil.rmtree(self.dir / "photofinish.run")
        self.record_and_replay(self.srun[arguments.mpi])


class Commands(Case):
    def test_exec(self):
        done = self.on("node1", *self.mpirun[arguments.mpi], arguments.photofinish, "exec", "./spread", "races")
        self.assertEnded(done, 0)
        self.assertEqual(len(self.findings()), 2)
        self.confirm_both_races("--", *self.mpirun[arguments.mpi], "./spread", "races")

    def test_own_tmp_is_refused_by_exec(self):
        self.own_tmp_is_refused(self.mpirun[arguments.mpi], by_exec=True)

    def test_without_a_line(self):
        """check -n N: the launcher is ours to find, the host list is the environment's."""
        done = self.photofinish("check", "-n", "3", "./spread", "races")
        self.assertEnded(done, 66)
        self.confirm_both_races()

    def test_offline_and_analyze(self):
        launcher = self.mpirun[arguments.mpi]
        done = self.photofinish("check", "--offline", "--", *launcher, "./spread", "races")
        self.assertEnded(done, 0)
        self.assertEnded(self.photofinish("analyze", "photofinish.run", node="node2"), 66)
        alone = self.findings()
        self.assertEqual(len(alone), 2)
        again = self.on("node1", *launcher, arguments.photofinish, "analyze", "photofinish.run")
        self.assertEnded(again, 66)
        self.assertEqual(self.findings(), alone)

    def test_confirm(self):
        self.check_finds_both_races(self.mpirun[arguments.mpi])
        self.confirm_both_races()

    def test_record_a_part(self):
        """Ranks 0 and 2, on two nodes: what rank 1 gave them is recorded."""
        launcher = self.mpirun[arguments.mpi]
        recorded = self.photofinish("record", "--ranks", "0,2", "--", *launcher, "./spread", "ring")
        self.assertEnded(recorded, 0)
        replayed = self.photofinish("replay", "photofinish.run", node="node2")
        self.assertEnded(replayed, 0)
        lines = lambda done: sorted(re.findall(r"rank [02] on node\d: \d+", done.stdout))
        self.assertEqual(lines(replayed), lines(recorded))
        self.assertEqual(len(lines(replayed)), 2, recorded)


class SlurmCommands(Case):
    """What a user of Slurm writes: srun in front of photofinish, salloc, batch scripts with srun or mpirun."""

    def batch(self, *lines):
        """A job on all nodes, to its end. Its mpirun finds them by Slurm's variables alone."""
        unset = " ".join(name for name in nodes.environment if re.match("OMPI_MCA_(plm|orte|rmaps)|HYDRA_", name))
        script = self.dir / "job.sh"
        script.write_text("\n".join(["#!/bin/sh", "#SBATCH -N 3 -n 3 --wait -o job.out", f"unset {unset}", *lines, 'echo "ended with $?"', ""]))
        submitted = self.on("node1", "sbatch", "job.sh")
        self.assertEnded(submitted, 0)
        return (self.dir / "job.out").read_text()

    def line(self):
        return " ".join(self.srun[arguments.mpi])

    def test_exec(self):
        done = self.on("node1", *self.srun[arguments.mpi], arguments.photofinish, "exec", "./spread", "races")
        self.assertEnded(done, 0)
        self.assertEqual(len(self.findings()), 2)
        self.confirm_both_races("--", *self.srun[arguments.mpi], "./spread", "races")

    def test_salloc(self):
        done = self.on("node1", "salloc", "-N", "3", "-n", "3", arguments.photofinish, "check", "--", *self.srun[arguments.mpi], "./spread", "races")
        self.assertEnded(done, 66)
        self.assertEqual(len(self.findings()), 2)

    def test_batch_with_srun(self):
        text = self.batch(f"photofinish check -- {self.line()} ./spread races")
        self.assertRegex(text, r"(?m)^ended with 66$", text)
        self.assertEqual(len(self.findings()), 2)

    def test_batch_with_mpirun(self):
        """check finds the launcher, and that finds Slurm's nodes."""
        text = self.batch("photofinish check -n 3 ./spread races")
        self.assertRegex(text, r"(?m)^ended with 66$", text)
        self.assertEqual(len(self.findings()), 2)

    def test_batch_with_mpirun_records_one_rank(self):
        """The batch script has a rank of its own, in SLURM_PROCID."""
        text = self.batch("photofinish record --ranks 2 -n 3 ./spread ring", "photofinish replay photofinish.run")
        lines = re.findall(r"(?m)^rank 2 on \S+: \d+$", text)
        self.assertEqual(len(lines), 2, text)
        self.assertEqual(lines[0], lines[1])
        self.assertRegex(text, r"(?m)^ended with 0$", text)

    def test_offline_and_analyze(self):
        done = self.photofinish("check", "--offline", "--", *self.srun[arguments.mpi], "./spread", "races")
        self.assertEnded(done, 0)
        self.assertEnded(self.on("node1", *self.srun[arguments.mpi], arguments.photofinish, "analyze", "photofinish.run"), 66)
        self.assertEqual(len(self.findings()), 2)

    def test_confirm(self):
        self.check_finds_both_races(self.srun[arguments.mpi])
        self.confirm_both_races()

    def test_own_tmp_is_refused(self):
        self.own_tmp_is_refused(self.srun[arguments.mpi])
        self.own_tmp_is_refused(self.srun[arguments.mpi], by_exec=True)

    def test_replay_inside_a_job(self):
        """The rank that replays has the variables of another job around it."""
        recorded = self.photofinish("record", "--ranks", "1", "--", *self.srun[arguments.mpi], "./spread", "ring")
        self.assertEnded(recorded, 0)
        replayed = self.on("node1", "srun", "-N", "1", "-n", "1", arguments.photofinish, "replay", "photofinish.run")
        self.assertEnded(replayed, 0)
        self.assertIn(re.search(r"rank 1 on node\d: \d+", recorded.stdout)[0], replayed.stdout)


class Faults(Case):
    """Nodes and the network fail (faults.py): the tool ends, says so, and what was recorded can be read."""

    def fault(self, name, command="check"):
        row, text = faults.run(nodes, arguments.photofinish, arguments.mpi, name, command, environment())
        self.assertIsNotNone(row.exit_code, f"no end after {name}\n{text}")
        self.assertEqual(row.recorded, "3 of 3 ranks", text)
        return row, text

    def test_node_dies(self):
        row, text = self.fault("node-dies")
        self.assertNotIn(row.exit_code, (0, 66, 70), text)
        self.assertRegex(text, r"photofinish: ranks? ([0-9,-]+[,-])?2 on (node\d, )*node3 ended:? ", text)
        self.assertEqual(row.report, INCOMPLETE, text)

    def test_power_fails(self):
        row, text = self.fault("power-fails")
        self.assertNotIn(row.exit_code, (0, 66, 70), text)
        self.assertRegex(text, r"photofinish: ranks? ([0-9,-]+[,-])?2 on (node\d, )*node3 ended:? ", text)
        self.assertEqual(row.report, INCOMPLETE, text)

    def test_network_pauses(self):
        row, text = self.fault("network-pauses")
        self.assertEqual((row.exit_code, row.report), (0, 0), text)
        self.assertNotRegex(text, " ended(:| without)")

    def test_network_fails(self):
        row, text = self.fault("network-fails")
        self.assertEqual(row.exit_code, 71, text)
        self.assertEqual(row.report, INCOMPLETE, text)

    def test_node_dies_while_recording(self):
        row, text = self.fault("node-dies", "record")
        self.assertNotEqual(row.exit_code, 0, text)


def environment():
    more = {"PATH": f"{pathlib.Path(arguments.photofinish).parent}:{nodes.environment['PATH']}"}
    if arguments.yield_preload and arguments.mpi == "mpich":
        more["LD_PRELOAD"] = arguments.yield_preload
    return more


def main():
    global arguments, nodes
    parser = argparse.ArgumentParser()
    parser.add_argument("--photofinish", required=True)
    parser.add_argument("--mpi", required=True, choices=["openmpi", "mpich"])
    parser.add_argument("--yield-preload")
    parser.add_argument("suites", nargs="+")
    arguments, rest = parser.parse_known_args()
    slurm = any(suite.startswith("Slurm") for suite in arguments.suites)
    if slurm and cluster.slurm_is_missing():
        cluster.skip(cluster.slurm_is_missing())
    cluster.enter()
    with cluster.Cluster(slurm=slurm, kept=[pathlib.Path(arguments.photofinish).resolve().parent.parent]) as nodes:
        nodes.run("node1", [f"mpicc.{arguments.mpi}", "-g", "-O1", HERE / "spread.c", "-o", nodes.shared / "spread"], check=True)
        program = unittest.main(argv=[sys.argv[0], *rest, *arguments.suites], exit=False, verbosity=2)
        result = program.result
        for _ in range(RUNS - 1):
            failed = result.failures + result.errors
            if not failed or not all(re.search(CRASH_OF_MPI, text) for _, text in failed):
                break
            result = unittest.TextTestRunner(verbosity=2).run(unittest.TestSuite(type(test)(test._testMethodName) for test, _ in failed))
        if not result.wasSuccessful() and slurm:
            print(nodes.logs(), file=sys.stderr)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0 if result.wasSuccessful() else 1)


if __name__ == "__main__":
    main()
