"""Runs every command that README.md, CONTRIBUTING.md, docs/ and examples/ show, and compares what is printed with what is shown, so that they cannot rot.

  docs_test.py --photofinish BIN [--mpi openmpi|mpich] [--update] [PAGE…]

Each page has a folder of its own with the examples in it, and its commands are run there one after the other, as a reader would. blocks.py says how
blocks are marked, compare.py what may differ. With --update pages get what was printed; read the difference before you keep it.
"""
import argparse
import concurrent.futures
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, HERE)
from blocks import blocks_of  # noqa: E402
from compare import difference  # noqa: E402

COMMANDS = {"console", "sh"}
TEXTS = {"", "c", "cmake", "yaml", "json", "text", "diff", "cpp", "python"}
LOOKS_LIKE_COMMAND = re.compile(r"^(\$ |(photofinish|pfmpi\w+|mpicc|mpirun|srun|cmake|cpack|ctest|apt|apt-get) |\./\w)", re.M)
TIMEOUT = 180  # confirm makes a dozen runs for each finding
HOME = "/home/me"  # where pages have their reader work


def pages():
    found = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md"]
    for folder, _, names in [*os.walk(os.path.join(ROOT, "docs")), *os.walk(os.path.join(ROOT, "examples"))]:
        found += [os.path.relpath(os.path.join(folder, name), ROOT) for name in sorted(names) if name.endswith(".md")]
    return sorted(found)


def environment(arguments, tools):
    env = dict(os.environ)
    env.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_mpi_yield_when_idle="1", OMPI_MCA_rmaps_base_oversubscribe="1",
               NO_COLOR="1", LC_ALL="C.UTF-8", PATH=os.pathsep.join([tools, os.path.dirname(arguments.photofinish), env["PATH"]]))
    for name in ("PHOTOFINISH_OPTIONS", "LD_PRELOAD"):
        env.pop(name, None)
    if arguments.yield_preload and arguments.mpi == "mpich":
        env["LD_PRELOAD"] = arguments.yield_preload
    return env


def make_tools(folder, mpi):
    """mpicc and mpirun of the MPI that is to be tested; srun, which readers have on a cluster, by mpirun."""
    os.makedirs(folder)
    for name, line in (("mpicc", f"mpicc.{mpi}"), ("mpicxx", f"mpicxx.{mpi}"), ("mpirun", f"mpirun.{mpi}"), ("mpifort", f"mpifort.{mpi}"), ("srun", f"mpirun.{mpi}")):
        path = os.path.join(folder, name)
        with open(path, "w") as file:
            file.write(f'#!/bin/sh\nexec {line} "$@"\n')
        os.chmod(path, 0o755)


def run(command, cwd, env, interrupt=None):
    process = subprocess.Popen(["bash", "-c", command], cwd=cwd, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                               text=True, errors="replace", start_new_session=True)
    try:
        if interrupt is not None:
            time.sleep(interrupt)
            os.killpg(process.pid, signal.SIGINT)
        text, _ = process.communicate(timeout=TIMEOUT)
        return process.returncode, text
    except subprocess.TimeoutExpired:
        return None, f"no end within {TIMEOUT} s"
    finally:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


class Page:
    def __init__(self, name, arguments):
        self.name, self.arguments, self.failures, self.commands = name, arguments, [], 0
        with open(os.path.join(ROOT, name)) as file:
            self.text = file.read()

    def fail(self, block, what):
        self.failures.append(f"{block.where()}: {what}")

    def check(self):
        self.check_links()
        try:
            blocks = blocks_of(self.name, self.text)
        except ValueError as error:
            self.failures.append(str(error))
            return
        runs = []
        for block in blocks:
            if "from" in block.notes:
                self.check_source(block)
            elif block.language not in COMMANDS | TEXTS:
                self.fail(block, f"there is no kind of block '{block.language}'")
            elif block.language not in COMMANDS | {"text"} and LOOKS_LIKE_COMMAND.search(block.text):
                self.fail(block, "shows commands: say ```console or ```sh, so that they are run")
            elif block.language in COMMANDS and not block.notes.get("not"):
                runs.append(block)
        if runs:
            self.run(runs)

    def check_links(self):
        for link in re.findall(r"\]\(([^)\s]+)\)", self.text):
            if "://" in link or link.startswith("#"):
                continue
            path, _, anchor = link.partition("#")
            target = os.path.normpath(os.path.join(ROOT, os.path.dirname(self.name), path))
            if not os.path.exists(target):
                self.failures.append(f"{self.name}: a link to {link}, which is not there")
            elif anchor and target.endswith(".md"):
                with open(target) as file:
                    headings = [re.sub(r"[^\w\- ]", "", line.lstrip("#").strip().lower()).replace(" ", "-") for line in file if line.startswith("#")]
                if anchor not in headings:
                    self.failures.append(f"{self.name}: a link to {link}, which has no such heading")
        for path in re.findall(r"`((?:src|tests|docs|tools|packaging|examples|include|bench)/[\w./-]+)`", self.text):
            if not os.path.exists(os.path.join(ROOT, path)):
                self.failures.append(f"{self.name}: names {path}, which is not there")

    def check_source(self, block):
        path = os.path.join(ROOT, block.notes["from"])
        if not os.path.exists(path):
            return self.fail(block, f"there is no {block.notes['from']}")
        with open(path) as file:
            source = [line.strip() for line in file.read().split("\n")]
        wanted = [line.strip() for line in block.text.split("\n")]
        # Parts of it may be left out, with a line of `…` in their place.
        at = 0
        for part in "\n".join(wanted).split("\n…\n"):
            lines = part.split("\n")
            found = next((i for i in range(at, len(source) - len(lines) + 1) if source[i:i + len(lines)] == lines), None)
            if found is None:
                return self.fail(block, f"is not in {block.notes['from']} any more, from: {lines[0]}")
            at = found + len(lines)

    def run(self, blocks):
        folder = tempfile.mkdtemp(prefix="photofinish-docs-")
        try:
            make_tools(os.path.join(folder, "tools"), self.arguments.mpi)
            here = os.path.join(folder, "here")
            os.makedirs(here)
            shutil.copytree(os.path.join(ROOT, "examples"), os.path.join(here, "examples"))
            env = environment(self.arguments, os.path.join(folder, "tools"))
            for block in blocks:
                self.run_block(block, here, env)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def write_block(self, block, sessions):
        old = "```console\n" + block.text + "\n```"
        new = "```console\n" + "".join(f"$ {command}\n" + "".join(line + "\n" for line in shown) for command, shown in sessions) + "```"
        self.text = self.text.replace(old, new, 1)
        with open(os.path.join(ROOT, self.name), "w") as file:
            file.write(self.text)

    def run_block(self, block, here, env):
        self.updated = False
        sessions = self.run_sessions(block, here, env)
        if self.updated:
            self.write_block(block, sessions)

    def run_sessions(self, block, here, env):
        sessions = block.sessions() if block.language == "console" else [(command, None) for command in block.lines_of_commands()]
        if not sessions:
            self.fail(block, "has no command in it")
        for index, (command, shown) in enumerate(sessions):
            last = index + 1 == len(sessions)
            allowed = [int(block.notes["exit"])] if "exit" in block.notes and last else [0, 66]
            interrupt = float(block.notes["interrupt"]) if "interrupt" in block.notes and last else None
            code, text = run(command, here, env, interrupt)
            text = text.replace(here, HOME)
            self.commands += 1
            wrong = None
            if code not in allowed:
                wrong = f"exit code {code}, not {' or '.join(map(str, allowed))}"
            elif shown is not None:
                wrong = difference(shown, text.split("\n"), block.notes.get("varies"))
                if wrong and self.arguments.update:
                    shown[:] = text.rstrip("\n").split("\n") if text.strip() else []
                    self.updated = True
                    continue
            if wrong:
                self.fail(block, f"$ {command}\n  {wrong}\n  all of it:\n    " + text.rstrip().replace("\n", "\n    "))
                break
        return sessions


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--photofinish", required=True)
    parser.add_argument("--mpi", default="openmpi", choices=["openmpi", "mpich"])
    parser.add_argument("--yield-preload", default="")
    parser.add_argument("--update", action="store_true", help="write what was printed into the pages")
    parser.add_argument("pages", nargs="*")
    arguments = parser.parse_args()
    begin = time.time()
    checked = [Page(name, arguments) for name in arguments.pages or pages()]
    # Two at a time: most of it is waiting for programs that wait.
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        list(pool.map(Page.check, sorted(checked, key=lambda page: -page.text.count("\n$ "))))
    failures = [failure for page in checked for failure in page.failures]
    commands = sum(page.commands for page in checked)
    for failure in failures:
        print(failure)
    print(f"{commands} commands run in {time.time() - begin:.1f} s, {len(failures)} wrong")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
