"""What is left of a run when a node or the network fails. Each fault happens to a run of three ranks on three nodes.

  faults.py --photofinish BIN --mpi openmpi|mpich [--json] [--racy] [--command check|record|bare] [FAULT…]
      prints a row for each fault (default: all). --racy: of a program with a race before the fault. bare: without the tool

From Python, inside a cluster (see cluster.py): faults.run(nodes, tool, mpi, name) returns a Row.
"""
import argparse
import dataclasses
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

import cluster

HERE = pathlib.Path(__file__).resolve().parent
LINES = {"openmpi": ["mpirun.openmpi", "-n", "3"], "mpich": ["mpiexec.mpich", "-ppn", "1", "-n", "3"]}
END_AFTER = 90  # seconds, for a run that should end by itself


@dataclasses.dataclass
class Row:
    fault: str
    command: str
    exit_code: int  # None: no end within END_AFTER seconds
    interrupts: int  # how often the user pressed Ctrl-C
    recorded: str   # "3 of 3 ranks", as the tool says
    said: list      # the tool's own lines
    calls: int      # in the traces
    race: bool      # the race before the fault was reported
    report: int     # exit code of photofinish report; for record, of a replay of rank 0 (72 where FILE decided how long it ran)
    seconds: float  # from the fault to the end


class Running:
    """A command of ours on node1 that has begun its steps on all nodes."""

    def __init__(self, nodes, tool, mpi, words, environment, racy):
        self.nodes, self.interrupts = nodes, 0
        self.dir = nodes.shared / "fault"
        shutil.rmtree(self.dir, ignore_errors=True)
        self.dir.mkdir()
        self.line = [*([tool, *words, "--"] if words else []), *LINES[mpi], str(nodes.shared / "spread"), "until", str(self.dir / "end"),
                     *(["racy"] if racy else [])]
        self.out = open(self.dir / "out", "w")
        self.process = nodes.start("node1", ["sh", "-c", 'echo $$ > pid; exec "$@"', "sh", *self.line], folder=self.dir, environment=environment,
                                   stdin=subprocess.DEVNULL, stdout=self.out, stderr=subprocess.STDOUT)
        try:
            nodes.wait_for((self.dir / "end.going").exists, "the program did not begin", lambda: self.process.poll() is None, seconds=60)
        except RuntimeError as error:
            raise RuntimeError(f"{error}: {' '.join(self.line)}\n{self.text()}") from None

    def end_program(self):
        (self.dir / "end").touch()

    def interrupt(self):
        """Ctrl-C, as often as a launcher needs it: mpirun wants it twice where a daemon does not answer."""
        for _ in range(5):
            self.nodes.run("node1", ["kill", "-INT", (self.dir / "pid").read_text().strip()])
            self.interrupts += 1
            if (code := self.wait(4)) is not None:
                return code
        return self.wait(END_AFTER)

    def wait(self, seconds):
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def text(self):
        return (self.dir / "out").read_text(errors="replace")


# Each does something to the run, and returns its exit code.
def node_dies(running):
    """A node's processes are killed; its kernel still closes their connections."""
    running.nodes.kill_node("node3")
    return running.wait(END_AFTER)


def power_fails(running):
    """A node is gone, and nobody is told. Whether the launcher notices is its own business; the user presses Ctrl-C."""
    running.nodes.set_link("node3", up=False)
    running.nodes.kill_node("node3")
    code = running.wait(10)
    return code if code is not None else running.interrupt()


def network_pauses(running):
    """A node cannot be reached for 5 seconds."""
    running.nodes.set_link("node3", up=False)
    time.sleep(5)
    running.nodes.set_link("node3", up=True)
    running.end_program()
    return running.wait(END_AFTER)


def network_fails(running):
    """A node cannot be reached any more; the user presses Ctrl-C."""
    running.nodes.set_link("node3", up=False)
    time.sleep(2)
    return running.interrupt()


FAULTS = {"node-dies": node_dies, "power-fails": power_fails, "network-pauses": network_pauses, "network-fails": network_fails}
COMMANDS = {"check": ["check"], "record": ["record", "--ranks", "all"], "bare": []}


def run(nodes, tool, mpi, name, command="check", environment=None, racy=False):
    running = Running(nodes, tool, mpi, COMMANDS[command], environment or {}, racy)
    started = time.monotonic()
    try:
        code = FAULTS[name](running)
    finally:
        seconds = time.monotonic() - started
        for node in nodes.names:  # fresh ones for the next: no process, connection or segment of this run is left
            if node in nodes.suppliers:
                nodes.kill_node(node)
        running.process.wait()
        running.out.close()
        for node in nodes.names:
            nodes.start_node(node)
    text = running.text()
    said = [line.partition("photofinish: ")[2] for line in text.splitlines() if "photofinish: " in line]
    recorded = re.search(r"(\d+ of \d+ ranks) recorded", text)
    if command == "bare":
        return Row(fault=name, command=command, exit_code=code, interrupts=running.interrupts, recorded="none", said=[], calls=0, race=False, report=0,
                   seconds=round(seconds, 1)), text
    dump = nodes.run("node1", [tool, "dump", "photofinish.run"], folder=running.dir, environment=environment, timeout=60)
    after = ["report", "photofinish.run"] if command == "check" else ["replay", "photofinish.run", "--ranks", "0"]
    report = nodes.run("node1", [tool, *after], folder=running.dir, environment=environment, timeout=60)
    return Row(fault=name, command=command, exit_code=code, interrupts=running.interrupts, recorded=recorded[1] if recorded else "none", said=said,
               calls=len(re.findall(r"(?m)^ .*?  MPI_\w+", dump.stdout)), race="race [F1]" in text, report=report.returncode, seconds=round(seconds, 1)), text + report.stdout + report.stderr


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--photofinish", required=True)
    parser.add_argument("--mpi", required=True, choices=LINES)
    parser.add_argument("--yield-preload")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--racy", action="store_true")
    parser.add_argument("--command", choices=COMMANDS, default="check")
    parser.add_argument("faults", nargs="*")
    arguments = parser.parse_args()
    tool = str(pathlib.Path(arguments.photofinish).resolve())
    environment = {"LD_PRELOAD": str(pathlib.Path(arguments.yield_preload).resolve())} if arguments.yield_preload and arguments.mpi == "mpich" else {}
    cluster.enter()
    with cluster.Cluster(kept=[pathlib.Path(tool).parent.parent]) as nodes:
        nodes.run("node1", [f"mpicc.{arguments.mpi}", "-g", "-O1", HERE / "spread.c", "-o", nodes.shared / "spread"], check=True)
        for name in arguments.faults or FAULTS:
            row, text = run(nodes, tool, arguments.mpi, name, arguments.command, environment, arguments.racy)
            if arguments.verbose:
                print(text)
            if arguments.json:
                print(json.dumps(dataclasses.asdict(row)), flush=True)
            else:
                print(f"| {row.fault} | {row.command} | {row.exit_code} | {row.interrupts} | {row.recorded} | {'; '.join(row.said)} | {row.report} | {row.seconds} s |", flush=True)
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
