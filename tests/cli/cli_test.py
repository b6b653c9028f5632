"""The command line as users meet it: what it starts, what it says when something is wrong, and what is left of a run that ends
badly. Each test runs the real tool on real programs, with a time limit, in a directory of its own.

  cli_test.py --photofinish BIN --mpi openmpi|mpich [--yield-preload LIB] [unittest arguments]
"""
import argparse
import concurrent.futures
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
TIMEOUT = 180  # for one command: it is to catch hangs, on busy machines, too
arguments = None


def environment(**more):
    env = dict(os.environ)
    env.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_mpi_yield_when_idle="1",
               OMPI_MCA_rmaps_base_oversubscribe="1", PATH=os.path.dirname(arguments.photofinish) + ":" + env["PATH"])
    env.pop("PHOTOFINISH_OPTIONS", None)
    if arguments.yield_preload and arguments.mpi == "mpich":
        env["LD_PRELOAD"] = arguments.yield_preload
    env.update(more)
    return env


class Run:
    """One command, to its end; everything it started is ended with it."""

    def __init__(self, *command, cwd, env=None, interrupt=None):
        self.command = command
        process = subprocess.Popen(command, cwd=cwd, env=env or environment(), stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, start_new_session=True)
        try:
            if interrupt:
                interrupt(process)
            self.out, self.err = process.communicate(timeout=TIMEOUT)
            self.code = process.returncode
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def __str__(self):
        return f"$ {' '.join(self.command)}\n[exit {self.code}]\n{self.out}{self.err}"


class Case(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="photofinish-cli-")
        self.addCleanup(shutil.rmtree, self.dir, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.dir, name)

    def run_(self, *command, **kwargs):
        return Run(*command, cwd=self.dir, **kwargs)

    def photofinish(self, *words, **kwargs):
        return self.run_(arguments.photofinish, *words, **kwargs)

    def compile(self, source, *flags, name=None, compiler=None):
        name = name or os.path.splitext(source)[0]
        compiler = compiler or f"mpicc.{arguments.mpi}"
        result = self.run_(compiler, "-g", "-O1", "-w", os.path.join(HERE, source), *flags, "-o", name)
        self.assertEqual(result.code, 0, result)
        return "./" + name

    def write(self, name, text, mode=0o644):
        with open(self.path(name), "w") as file:
            file.write(text)
        os.chmod(self.path(name), mode)
        return "./" + name

    def assertSays(self, result, pattern, code):
        """One line, from us, that tells what is wrong and what to do."""
        lines = [line for line in result.err.splitlines() if line.startswith("photofinish: ")]
        self.assertTrue(any(re.search(pattern, line) for line in lines), f"no line matches {pattern!r}\n{result}")
        self.assertEqual(len(lines), 1, result)
        self.assertEqual(result.code, code, result)


class Errors(Case):
    def fake_mpi(self, soname):
        """./app, which needs a library that calls itself MPI."""
        self.write("fake.c", "int PMPI_Init(int *c, char ***v) { return 0; }\n")
        self.write("app.c", "int PMPI_Init(int *, char ***); int main(int c, char **v) { return PMPI_Init(&c, &v); }\n")
        self.run_("cc", "-shared", "-fPIC", "fake.c", "-Wl,-soname," + soname, "-o", soname)
        self.run_("cc", "app.c", "./" + soname, "-Wl,-rpath," + self.dir, "-o", "app")

    def test_program_not_found(self):
        self.assertSays(self.photofinish("check", "-n", "2", "./nowhere"), r"nowhere", 64)
        self.assertFalse(os.path.exists(self.path("photofinish.run")))

    def test_not_an_mpi_program(self):
        self.assertSays(self.photofinish("check", "-n", "2", "/bin/ls"), r"--mpi", 64)

    def test_static_mpi(self):
        self.write("static.c", "int PMPI_Init(int *c, char ***v) { return 0; }\n"
                               "int MPI_Init(int *c, char ***v) { return PMPI_Init(c, v); }\n"
                               "int main(int c, char **v) { return MPI_Init(&c, &v); }\n")
        self.run_("cc", "static.c", "-o", "static")
        self.assertSays(self.photofinish("check", "-n", "2", "./static"), r"static", 64)

    def test_sanitizers(self):
        """Their runtimes look up libc's functions through ours, before libc works."""
        app = self.compile("sanitized.c", "-fsanitize=address")
        result = self.photofinish("check", "-n", "2", app, env=environment(ASAN_OPTIONS="detect_leaks=0"))
        self.assertEqual((result.code, sorted(result.out.split("\n"))), (0, ["", "value 1", "value 1"]), result)
        app = self.compile("sanitized.c", "-fsanitize=thread")
        self.assertSays(self.photofinish("check", "--overwrite", "-n", "2", app), r"is built with ThreadSanitizer", 64)

    def test_unknown_mpi(self):
        self.fake_mpi("libmpi.so.12")
        self.assertSays(self.photofinish("check", "-n", "2", "./app"), r"libmpi\.so\.12", 64)

    @unittest.skipUnless(shutil.which("mpicc.openmpi") and shutil.which("mpicc.mpich"), "needs two MPIs")
    def test_the_other_mpi(self):
        app, other = self.compile("children.c"), {"openmpi": "mpich", "mpich": "openmpi"}[arguments.mpi]
        named = {"openmpi": "Open MPI", "mpich": "MPICH"}[arguments.mpi]
        self.assertSays(self.photofinish("check", "-n", "2", f"--mpi={other}", app), f"children was built with {named}: remove --mpi", 64)
        result = self.photofinish("check", "--", f"mpirun.{other}", "-n", "2", app)
        self.assertRegex(result.err, f"photofinish: ./children was built with {named}, .* start it with {named}'s", result)
        self.assertNotEqual(result.code, 0, result)

    def test_launcher_missing(self):
        # An MPI library with no launcher beside it, nor in PATH.
        soname = "libmpi.so.40" if arguments.mpi == "openmpi" else "libmpich.so.12"
        self.fake_mpi(soname)
        result = self.photofinish("check", "-n", "2", "./app", env=environment(PATH="/nonexistent"))
        self.assertSays(result, r"mpirun|launcher", 70)

    def test_run_directory_not_writable(self):
        app = self.compile("children.c")
        self.assertSays(self.photofinish("check", "-n", "1", "-o", "/proc/no/run", app), r"-o DIR", 64)
        self.assertSays(self.photofinish("check", "-n", "1", "-o", "/dev/null", app), r"not a directory.*-o DIR", 64)

    def test_run_directory_with_other_files(self):
        app = self.compile("children.c")
        os.mkdir(self.path("mine"))
        self.write("mine/thesis.tex", "years of work")
        self.assertSays(self.photofinish("check", "-n", "1", "--overwrite", "-o", "mine", app), r"files that are not part of a run", 64)
        self.assertTrue(os.path.exists(self.path("mine/thesis.tex")))

    def test_earlier_run_is_kept(self):
        app = self.compile("children.c")
        self.assertEqual(self.photofinish("check", "-n", "1", "-o", "run", app).code, 0)
        before = os.stat(self.path("run/run.json")).st_mtime_ns
        self.assertSays(self.photofinish("check", "-n", "1", "-o", "run", app), r"earlier run.*--overwrite", 64)
        self.assertEqual(os.stat(self.path("run/run.json")).st_mtime_ns, before)
        self.assertEqual(self.photofinish("check", "-n", "1", "-o", "run", "--overwrite", app).code, 0)
        self.assertNotEqual(os.stat(self.path("run/run.json")).st_mtime_ns, before)

    def test_wrong_usage(self):
        app = self.compile("children.c")
        for words, pattern in [(("check",), "needs a program"), (("check", "-n", "0", app), r"-n"),
                               (("check", app), r"the number of ranks is missing"), (("check", "-n", "two", app), r"-n"),
                               (("check", "-n", "2", "--no-such", app), r"no-such"), (("chekc", "-n", "1", app), r"no command 'chekc'; did you mean check\?"),
                               (("check", "-n", "2", "--overwite", app), r"no option --overwite; did you mean --overwrite\?"), (("record",), r"record needs a program: photofinish record -n"),
                               (("check", "-n", "1", "--stack-depth", "900", app), r"stack_depth takes 1 to 128"),
                               (("check", "-n", "1", "--budget=0.9x", app), r"budget: '0.9x' is not a slowdown: .* such as 1.1x"),
                               (("exec", "--sample=often", app), r"sample: 'often' is not off or on"),
                               (("check", "-n", "1", "--mpi", "lam", app), r"openmpi or mpich")]:
            with self.subTest(words):
                self.assertSays(self.photofinish(*words), pattern, 64)
        for words, pattern in [(("report", "--json"), r"there is no option --json; use --format json"),
                               (("-n", "2", app), r"a command is missing: photofinish check -n 2 \./children"),
                               (("--hlep",), r"no option --hlep; did you mean --help\?"),
                               (("check", "-n", "2", "--np", "3", app), r"--np is given twice|-n,--np is given twice"),
                               (("check", "-n", "two", app), r"'two' is not a number of ranks"),
                               (("diff", "photofinish.run"), r"diff needs two runs: photofinish diff BEFORE AFTER")]:
            with self.subTest(words):
                self.assertSays(self.photofinish(*words), pattern, 64)
        launched = environment(OMPI_COMM_WORLD_SIZE="2", OMPI_COMM_WORLD_RANK="0")
        self.assertSays(self.photofinish("check", app, env=launched), r"a launcher has already started 2: photofinish check -n 2 \./children, or: LAUNCHER -n 2 photofinish exec \./children", 64)
        result = self.photofinish("check", "-n", "1", app, env=environment(PHOTOFINISH_OPTIONS="stack_dept=3"))
        self.assertSays(result, r"PHOTOFINISH_OPTIONS.*stack_dept", 64)

    def test_program_without_init(self):
        self.write("lazy.c", "#include <mpi.h>\nint main(int c, char **v) { if (c > 99) MPI_Init(&c, &v); return 0; }\n")
        self.run_(f"mpicc.{arguments.mpi}", "-w", "lazy.c", "-o", "lazy")
        self.assertSays(self.photofinish("check", "-n", "1", "./lazy"), r"nothing was recorded: no rank returned from MPI_Init\..* photofinish doctor \./lazy shows", 70)

    def test_nothing_of_the_users_is_removed(self):
        self.write("writer.c", "#include <mpi.h>\n#include <stdio.h>\nint main(int c, char **v) { if (c > 99) MPI_Init(&c, &v);"
                               "fclose(fopen(\"work/results.txt\", \"w\")); return 0; }\n")
        self.run_(f"mpicc.{arguments.mpi}", "-w", "writer.c", "-o", "writer")
        os.mkdir(self.path("work"))
        self.assertSays(self.photofinish("check", "-n", "1", "-o", "work", "./writer"), r"nothing was recorded", 70)
        self.assertEqual(os.listdir(self.path("work")), ["results.txt"])

    def test_dump_of_what_is_no_run(self):
        self.assertSays(self.photofinish("dump", "nowhere"), r"nowhere", 64)
        self.assertSays(self.photofinish("dump", "."), r"not a photofinish run", 64)

    def test_dump_of_a_damaged_run(self):
        app = self.compile("survive.c")
        self.assertEqual(self.photofinish("check", "-n", "2", app, "well").code, 0)
        trace = self.path("photofinish.run/rank-000000.trace")
        os.truncate(trace, os.path.getsize(trace) - 30)
        result = self.photofinish("dump", "photofinish.run")
        self.assertSays(result, r"rank-000000\.trace: at byte \d+: ", 70)
        self.assertEqual(result.out.count("== rank"), 2)
        self.assertSays(self.photofinish("dump", "-r", "7", "photofinish.run"), r"photofinish.run has none of the ranks 7", 64)


class Starting(Case):
    def launcher(self, ranks):
        return [f"mpirun.{arguments.mpi}", "-n", str(ranks)]

    def test_preload_reaches_ranks_only(self):
        app = self.compile("children.c")
        # A launcher that shows what it was given, and starts one rank.
        launcher = self.write("launcher", '#!/bin/sh\necho "launcher LD_PRELOAD=[$LD_PRELOAD]"\nexec "$@"\n', 0o755)
        env = environment()
        before = env.get("LD_PRELOAD", "")
        result = self.photofinish("check", "--", launcher, app, env=env)
        self.assertIn(f"launcher LD_PRELOAD=[{before}]", result.out, result)
        self.assertIn(f"child LD_PRELOAD=[{before}]", result.out, result)
        self.assertEqual(result.code, 0, result)
        self.assertIn("MPI_Finalize", self.photofinish("dump", "photofinish.run").out)

    def test_launcher_line(self):
        app = self.compile("survive.c")
        result = self.photofinish("check", "--", *self.launcher(2), app, "well")
        self.assertEqual(result.code, 0, result)
        self.assertIn("2 of 2 ranks recorded", result.err)

    def test_exec_behind_a_launcher(self):
        app = self.compile("survive.c")
        for name in ["photofinish.run", "photofinish.run.2"]:
            result = self.run_(*self.launcher(2), arguments.photofinish, "exec", app, "well")
            self.assertEqual(result.code, 0, result)
            self.assertEqual(len(os.listdir(self.path(name))), 6, result)
            self.assertIn(f"recorded (messages are not analyzed yet). Next: photofinish report {self.path(name)}\n", result.err)
        self.assertIn("writing to", result.err)
        self.assertIn("VERDICT: photofinish: independent of send buffering", self.photofinish("report", "photofinish.run").out)

    def test_script_between_launcher_and_program(self):
        self.compile("survive.c")
        script = self.write("start.sh", '#!/bin/sh\nls >/dev/null\nexec ./survive "$@"\n', 0o755)
        result = self.photofinish("check", "--", *self.launcher(2), script, "well")
        self.assertEqual(result.code, 0, result)
        self.assertIn("2 of 2 ranks recorded", result.err)

    def test_shell_between_launcher_and_program(self):
        self.compile("survive.c")
        result = self.photofinish("check", "--", *self.launcher(2), "bash", "-c", "./survive well")
        self.assertEqual(result.code, 0, result)
        self.assertIn("2 of 2 ranks recorded", result.err)
        result = self.photofinish("check", "--overwrite", "--", *self.launcher(2), "sh", "-c", "./survive \"$0\"", "well")
        self.assertIn("2 of 2 ranks recorded", result.err, result)

    def test_signal_handlers_and_destructors_of_the_program(self):
        app = self.compile("handlers.c", "-pthread")
        result = self.photofinish("check", "-n", "1", app)
        self.assertEqual((result.code, result.out), (0, "checkpoints 2 value 42\njoined\n"), result)
        dump = self.photofinish("dump", "photofinish.run").out
        self.assertIn("exit 0", dump)
        self.assertRegex(dump, r"t1 .*MPI_Allreduce .*@ last_words")

    def test_exception_out_of_mpi(self):
        app = self.compile("throws.cpp", compiler=f"mpicxx.{arguments.mpi}")
        bare = self.run_(f"mpirun.{arguments.mpi}", "-n", "2", app)
        result = self.photofinish("check", "-n", "2", app)
        self.assertEqual((result.code, result.out.count("caught")), (bare.code, bare.out.count("caught")), result)
        if bare.code == 0:
            self.assertEqual(self.photofinish("dump", "photofinish.run").out.count("MPI_Barrier "), 2)

    def test_program_arguments_are_the_programs(self):
        self.write("echo.c", "#include <mpi.h>\n#include <stdio.h>\nint main(int c, char **v) { MPI_Init(&c, &v);"
                             "for (int i = 1; i < c; ++i) printf(\"[%s]\", v[i]); MPI_Finalize(); }\n")
        self.run_(f"mpicc.{arguments.mpi}", "-w", "echo.c", "-o", "echo")
        result = self.photofinish("check", "-n", "1", "./echo", "-n", "7", "--", "-o", "x y", "")
        self.assertIn("[-n][7][--][-o][x y][]", result.out, result)

    def test_options_from_the_environment(self):
        app = self.compile("survive.c")
        env = environment(PHOTOFINISH_OPTIONS="output=a.run:stack_depth=1")
        self.assertEqual(self.photofinish("check", "-n", "2", app, "well", env=env).code, 0)
        stacks = self.photofinish("dump", "-s", "-c", "MPI_Send", "a.run").out
        self.assertIn("#0 messages", stacks)
        self.assertNotIn("#1 ", stacks)
        self.assertEqual(self.photofinish("check", "-n", "2", "-o", "b.run", app, "well", env=env).code, 0)
        self.assertTrue(os.path.exists(self.path("b.run")))

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("unshare"), "needs root and unshare")
    def test_ranks_that_do_not_share_the_directory(self):
        self.compile("survive.c")
        os.mkdir(self.path("shared"))
        rank = "OMPI_COMM_WORLD_RANK" if arguments.mpi == "openmpi" else "PMI_RANK"
        # Rank 1 is on a "node" of its own, where another file system lies at the run directory's place.
        script = self.write("node.sh", f'#!/bin/sh\n[ "${rank}" = 1 ] || exec ./survive "$@"\n'
                            f'exec unshare -m sh -c \'mount -t tmpfs none {self.dir}/shared && exec ./survive "$@"\' sh "$@"\n', 0o755)
        result = self.photofinish("check", "-o", "shared/run", "--", *self.launcher(2), script, "well")
        self.assertIn("exchanged", result.out, result)
        self.assertRegex(result.err, r"rank 1 on \S+ does not see the run directory \S+/shared/run, .*-o DIR")
        self.assertEqual(result.code, 70, result)

    def test_progress_only_on_a_terminal(self):
        app = self.compile("survive.c")
        self.assertNotIn("\r", self.photofinish("check", "-n", "2", app, "well").err)

    def test_run_json_is_json(self):
        app = self.compile("survive.c")
        self.photofinish("check", "-n", "2", app, "well")
        with open(self.path("photofinish.run/run.json")) as file:
            self.assertEqual(json.load(file)["command"], [app, "well"])


def interrupt_behind(line):
    """Ctrl-C, a while after the program has printed the line."""
    def interrupt(process):
        deadline = time.time() + TIMEOUT / 2
        while process.stdout.readline().strip() != line and time.time() < deadline:
            pass
        time.sleep(1.5)
        os.killpg(process.pid, signal.SIGINT)

    return interrupt


class Survival(Case):
    """The exit code and output are those without us, and what was recorded is there."""

    def check(self, how, state, summary, pending=True):
        app = self.compile("survive.c")
        bare = self.run_(f"mpirun.{arguments.mpi}", "-n", "2", app, how)
        checked = self.photofinish("check", "-n", "2", app, how)
        if arguments.mpi == "mpich":
            # MPICH's launcher kills the other rank when it sees a connection closed, and tells of the rank that it reaps first: 9 is the other one's.
            # When it reaps both at once, it tells the bits of both. The run without us may have ended in any of these ways, too.
            own = {"abort": 3, "exit": 4, "quick_exit": 5, "segv": 11, "term": 15, "int": 2, "kill": 9}[how]
            ways = (own, 9, own | 9)
            self.assertIn(bare.code, ways, bare)
            self.assertIn(checked.code, ways, checked)
        else:
            self.assertEqual(checked.code, bare.code, checked)
        self.assertIn("exchanged", checked.out)
        self.assertRegex(checked.err, rf"photofinish: ranks? \S+ ended:? .*{state}")
        self.assertRegex(checked.err, r"\nSUMMARY: photofinish: no findings up to " + summary)
        self.assertNotIn("VERDICT: photofinish: deterministic", checked.err)
        self.assertEqual(self.photofinish("report", "photofinish.run").code, 67, "the run was not seen to its end")
        dump = self.photofinish("dump", "photofinish.run")
        self.assertEqual(dump.code, 0, dump)
        ranks = dump.out.split("== rank ")[1:]
        self.assertEqual(len(ranks), 2)
        self.assertRegex(ranks[1].splitlines()[0], state)
        self.assertEqual(ranks[0].count("MPI_Send "), 100)
        self.assertEqual(ranks[1].count("MPI_Recv "), 100)
        if pending:
            # On a busy machine it may not have left the barrier before.
            self.assertRegex(ranks[0], r"(MPI_Recv .*tag=999 |MPI_Barrier ).*DID-NOT-RETURN.*@ main survive.c")
        return ranks

    def test_abort(self):
        ranks = self.check("abort", r"MPI_Abort with 3", r"MPI_Abort by rank 1 with code 3 · ")
        self.assertRegex(ranks[1], r"MPI_Abort comm=MPI_COMM_WORLD code=3 DID-NOT-RETURN")

    def test_exit(self):
        self.check("exit", r"exit 4", r"the exit of rank 1 with code 4 · ")

    def test_exit_without_finalize(self):
        app = self.compile("survive.c")
        result = self.photofinish("check", "-n", "2", app, "leave")
        self.assertRegex(result.err, r"photofinish: ranks? \S+ ended: exit 0 without MPI_Finalize, (in|after) MPI_\w+ survive\.c:\d+\n", result)
        self.assertRegex(result.err, r"\nSUMMARY: photofinish: no findings up to the exit of rank 1 before MPI_Finalize · ", result)
        self.assertEqual(self.photofinish("report", "photofinish.run").code, 67)

    def test_quick_exit(self):
        self.check("quick_exit", r"without an exit record", r"the (sudden )?end of ")

    def test_how_to_debug_a_crash(self):
        app = self.compile("survive.c")
        result = self.photofinish("check", "-n", "2", app, "segv")
        self.assertRegex(result.err, r"photofinish: rank 1 ended: signal 11 \(SIGSEGV\), after MPI_\w+ survive\.c:\d+\n", result)
        self.assertIn(f"photofinish: to debug it: photofinish record -o crash.run --ranks 1 -n 2 {app} segv && photofinish replay crash.run --gdb 1\n", result.err, result)
        self.assertNotRegex(result.err, r"rank 0 ended(:| without)", result)

    def test_segv(self):
        self.check("segv", r"signal 11 \(SIGSEGV\)", r"the crash of rank 1 (in|after) MPI_\w+ survive\.c:\d+ · ")

    def test_sigterm(self):
        self.check("term", r"signal 15 \(SIGTERM\)", r"the (sudden )?end of ")

    def test_sigint(self):
        self.check("int", r"signal 2 \(SIGINT\)", r"the (sudden )?end of ")

    def test_sigkill(self):
        self.check("kill", r"without an exit record", r"the (sudden )?end of ")

    def test_interrupted_hang(self):
        app = self.compile("survive.c")

        # "hang" ends nobody: both ranks wait for ever, until the user loses patience.
        result = self.photofinish("check", "-n", "2", app, "hang", interrupt=interrupt_behind("exchanged"))
        self.assertEqual(result.code, 71, result)
        self.assertIn("2 of 2 ranks recorded", result.err, result)
        self.assertIn("VERDICT: photofinish: deadlocked", result.err, result)
        self.assertRegex(result.err, r"rank 0 waits in MPI_Recv survive.c:\d+ \(tag 999\) for rank 1\n", result)
        self.assertIn("SUMMARY: photofinish: 1 deadlock", result.err, result)
        dump = self.photofinish("dump", "photofinish.run").out
        self.assertEqual(len(re.findall(r"MPI_Recv .*tag=999 .*DID-NOT-RETURN", dump)), 2, dump)

    def test_who_waits_for_whom(self):
        app = self.compile("waits.c")
        waits = {"ring": [("Recv", 1), ("Recv", 2), ("Recv", 0)], "sends": [("Send", 1), ("Send", 0)], "request": [("Wait", 1), ("Wait", 0)],
                 "barrier": [("Recv", 1), ("Barrier", 0)]}
        for way, wanted in waits.items():
            result = self.photofinish("check", "--overwrite", "-n", "3", app, way, interrupt=interrupt_behind("started"))
            told = re.findall(r"rank (\d) waits in MPI_(\w+) .*(?:for|by) rank (\d)\n", result.err)
            self.assertEqual(told, [(str(rank), call, str(on)) for rank, (call, on) in enumerate(wanted)], result)
            self.assertIn("SUMMARY: photofinish: 1 deadlock · ", result.err, result)
            self.assertEqual(self.photofinish("analyze", "photofinish.run").code, 66)

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("mount"), "needs root to mount a small file system")
    def test_full_disk(self):
        app = self.compile("flood.c")
        os.mkdir(self.path("small"))
        if self.run_("mount", "-t", "tmpfs", "-o", "size=2m", "none", "small").code != 0:
            self.skipTest("cannot mount a small file system")
        self.addCleanup(subprocess.run, ["umount", self.path("small")])
        result = self.photofinish("check", "-n", "2", "-o", "small/run", app, "600000")
        self.assertIn(result.code, (67, 70), result)  # 70: there was no room for the findings either
        if result.code == 67:
            self.assertRegex(result.err, r"\nSUMMARY: photofinish: no findings, but not everything was checked: .*recording of ranks? \S+ stopped early")
            self.assertNotIn("VERDICT: photofinish: deterministic", result.err)
        self.assertIn("rank 0 done", result.out)
        self.assertIn("rank 1 done", result.out)
        said = [line for line in result.err.splitlines() if "No space left" in line]
        # Once in each rank that met it, when the findings are written, and in the note about what was not checked.
        self.assertIn(len(said), (1, 2, 3, 4), result)
        self.assertRegex(said[0], r"recording stops here, the program continues")
        self.assertRegex(result.err, r"recording stopped early")
        dump = self.photofinish("dump", "small/run")
        self.assertGreater(dump.out.count("MPI_Send "), 10000)

    def test_killed_rank_and_a_launcher_that_does_not_mind(self):
        app = self.compile("survive.c")
        script = self.write("lenient.sh", f'#!/bin/sh\nmpirun.{arguments.mpi} "$@"\nexit 0\n', 0o755)
        result = self.photofinish("check", "--", script, "-n", "2", app, "kill")
        self.assertEqual(result.code, 67, result)
        self.assertRegex(result.err, r"SUMMARY: photofinish: no findings up to the (sudden )?end of ", result)

    def test_launcher_that_hangs_at_its_end(self):
        app = self.compile("survive.c")
        script = self.write("hangs.sh", f'#!/bin/sh\ntrap "" INT TERM\nmpirun.{arguments.mpi} "$@"\necho behind\nwhile :; do sleep 1; done\n', 0o755)
        result = self.photofinish("check", "--", script, "-n", "2", app, "well", interrupt=interrupt_behind("behind"))
        self.assertEqual(result.code, 71, result)
        self.assertIn("photofinish: all ranks have ended, but ", result.err, result)
        self.assertIn("\nSUMMARY: photofinish: ", result.err, result)

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("mount"), "needs root to mount a small file system")
    def test_disk_full_from_the_start(self):
        app = self.compile("flood.c")
        os.mkdir(self.path("small"))
        if self.run_("mount", "-t", "tmpfs", "-o", "size=64k", "none", "small").code != 0:
            self.skipTest("cannot mount a small file system")
        self.addCleanup(subprocess.run, ["umount", self.path("small")])
        result = self.photofinish("check", "-n", "2", "-o", "small/run", app, "10")
        self.assertIn("rank 1 done", result.out, result)
        self.assertRegex(result.err, r"photofinish: .*small/run\S+: No space left on device; choose another place with -o DIR")
        self.assertEqual(result.code, 70, result)


class Deadlock(Case):
    """A run that can never end is ended, and only such a run."""

    # Who waits where, and for what; as far as it does not depend on how an MPI does it.
    STUCK = {
        "ssend": [r"rank 0 waits in MPI_Ssend deadlocks\.c:\d+ \(tag \d+\) for rank 1", r"rank 1 waits in MPI_Ssend deadlocks\.c:\d+ \(tag \d+\) for rank 0"],
        "cycle": [r"rank 0 waits in MPI_Recv .* for rank 1", r"rank 1 waits in MPI_Recv .* for rank 2", r"rank 2 waits in MPI_Recv .* for rank 0"],
        "requests": [r"rank 0 waits in MPI_Waitall .* for a match of its MPI_Irecv .* by rank 1"],
        "some": [r"rank 0 waits in MPI_Waitsome .* for a match of its MPI_Irecv .* by rank 1"],
        "probe": [r"rank 0 waits in MPI_Probe .* for rank 1", r"rank 1 waits in MPI_Probe .* for rank 0"],
        "any": [r"rank 0 waits in MPI_Recv .* for a message from any rank"],
        "finished": [r"rank 0 waits in MPI_Recv .* for rank 1, which has finished \(MPI_Finalize deadlocks\.c:\d+\)"],
        "finalize": [r"rank 1 waits in MPI_Barrier .* for rank 0, which has finished \(MPI_Finalize deadlocks\.c:\d+\)"],
        "collectives": [r"rank 0 waits in MPI_Recv .* for rank 1", r"rank 1 waits in MPI_Bcast .* for rank 0"],
        "roots": [r"rank 0 waits in MPI_Bcast .* for rank 1", r"rank 1 waits in MPI_Bcast .* for rank 0"],
        "communicators": [r"rank 0 waits in MPI_Barrier deadlocks\.c:\d+ \(communicator of MPI_Comm_dup deadlocks\.c:\d+\) for rank \d",
                          r"rank 1 waits in MPI_Barrier deadlocks\.c:\d+ \(MPI_COMM_WORLD\) for rank 0"],
        "lock": [r"rank 0 waits in MPI_Recv .* for rank 1", r"rank 1 waits in MPI_Win_\w+ .* for the lock that rank 0 holds"],
        "fence": [r"rank 0 waits in MPI_Win_fence .* for rank 1"],
        "epoch": [r"rank 0 waits in MPI_Win_wait .* for rank 1", r"Try: for each MPI_Win_post, .*"],
        "second_thread": [r"rank 0 waits in MPI_Recv .* for rank 1"]}

    def check(self, way, *words):
        return self.photofinish("check", "-n", "3", "-o", f"{way}.run", "--deadlock-timeout", "1", *words, "./deadlocks", way)

    def test_is_noticed(self):
        self.compile("deadlocks.c")
        for way, waits in self.STUCK.items():
            with self.subTest(way):
                result = self.check(way)
                self.assertEqual(result.code, 66, result)
                self.assertRegex(result.err, r"photofinish: deadlock: no rank has made progress for 1 s, and these calls can never return; the run is ended", result)
                self.assertRegex(result.err, r"\nSUMMARY: photofinish: 1 deadlock\b", result)
                for line in waits:
                    if not line.startswith("Try"):
                        self.assertRegex(result.err, rf"\nphotofinish:   {line}\n", result)
                    self.assertRegex(result.err, rf"\n  {line}\n", result)

    def test_other_ways_to_start(self):
        self.compile("deadlocks.c")
        result = self.photofinish("check", "--deadlock-timeout", "1", "--", f"mpirun.{arguments.mpi}", "-n", "3", "./deadlocks", "cycle")
        self.assertEqual(result.code, 66, result)
        self.assertIn("SUMMARY: photofinish: 1 deadlock", result.err, result)
        result = self.photofinish("record", "--overwrite", "--deadlock-timeout", "1", "-n", "3", "./deadlocks", "finished")
        self.assertEqual(result.code, 66, result)
        self.assertIn("which has finished", result.err, result)

    def test_is_no_false_alarm(self):
        self.compile("deadlocks.c")
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for result in pool.map(self.check, ("computes", "sleeps", "polls", "stopped", "holds")):
                self.assertEqual((result.code, result.out), (0, "done\n"), result)
                self.assertNotIn("photofinish: deadlock", result.err, result)

    def test_a_rank_that_died_does_not_wait(self):
        self.compile("deadlocks.c")
        bare = self.run_(f"mpirun.{arguments.mpi}", "-n", "2", "./deadlocks", "tag")
        result = self.photofinish("check", "-n", "2", "./deadlocks", "tag")
        self.assertNotEqual(bare.code, 0, bare)
        self.assertNotIn(result.code, (0, 66, 67), result)
        self.assertRegex(result.err, r"\nSUMMARY: photofinish: no findings up to the ", result)
        self.assertNotIn("photofinish: deadlock", result.err, result)


class Pass(Case):
    """What was built without the pass is named."""

    def test_what_is_not_seen(self):
        wrapper = [os.path.join(os.path.dirname(arguments.photofinish), "pfmpicc"), f"--mpi={arguments.mpi}"]
        self.write("other.c", "int other(int* p) { return p[0] = 1; }\n")
        self.write("main.c", "#include <mpi.h>\nint other(int*);\nint main(int c, char** v) {\n  MPI_Win w;\n  int* b;\n  MPI_Init(&c, &v);\n"
                   "  MPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &b, &w);\n  other(b);\n  MPI_Win_free(&w);\n  MPI_Finalize();\n}\n")
        for compiler, name in (wrapper, "with"), ([f"mpicc.{arguments.mpi}"], "without"):
            for source in "main", "other":
                result = self.run_(*compiler, "-g", "-c", f"{source}.c", "-o", f"{source}.{name}.o")
                self.assertEqual(result.code, 0, result)
        for main, other, told in (("with", "with", None), ("with", "without", "not instrumented: other.c; rebuild .*\n(.*\n)*SUMMARY: .* no findings \\(loads and stores of 1 file not checked\\) · "),
                                  ("without", "without", "both is not instrumented: rebuild with pfmpicc, .*\n(.*\n)*SUMMARY: .* no findings \\(loads and stores not checked\\) · ")):
            self.run_(f"mpicc.{arguments.mpi}", f"main.{main}.o", f"other.{other}.o", "-o", "both")
            result = self.photofinish("check", "--overwrite", "-n", "2", "-o", "a.run", "./both")
            self.assertEqual(result.code, 0, result)
            self.assertRegex(result.err, told) if told else self.assertNotIn("instrumented", result.err, result)

    @unittest.skipUnless(shutil.which("flang-new-19"), "needs flang")
    def test_fortran_is_seen(self):
        self.write("main.f90", "use mpi_f08\ntype(MPI_Win) :: w\ninteger, asynchronous :: a(16)\ncall MPI_Init()\n"
                   "call MPI_Win_create(a, 64_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, w)\na(1) = 1\n"
                   "call MPI_Win_free(w)\ncall MPI_Finalize()\nend\n")
        wrapper = os.path.join(os.path.dirname(arguments.photofinish), "pfmpifort")
        built = self.run_(wrapper, f"--mpi={arguments.mpi}", "-g", "main.f90", "-o", "main")
        self.assertEqual(built.code, 0, built)
        result = self.photofinish("check", "-n", "2", "./main")
        self.assertEqual(result.code, 0, result)
        self.assertNotIn("instrumented", result.err, result)


class Report(Case):
    def run_directory(self):
        os.mkdir(self.path("a.run"))
        self.write("a.run/run.json", '{"format": 1, "token": "0123456789abcdef", "started_ns": 1, "command": []}\n')

    def test_of_a_program_that_reads_the_clock(self):
        self.write("app.c", "#include <mpi.h>\n#include <stdio.h>\nint main(int c, char** v) {\n  int rank, got = 0;\n  MPI_Init(&c, &v);\n  MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n"
                   "  double start = MPI_Wtime();\n  if (rank == 0) MPI_Send(&rank, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);\n"
                   "  else MPI_Recv(&got, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n  for (int i = 0; i < 1000; ++i) start -= MPI_Wtime();\n"
                   "  MPI_Finalize();\n  return 0;\n}\n")
        self.assertEqual(self.run_(f"mpicc.{arguments.mpi}", "-g", "app.c", "-o", "app").code, 0)
        result = self.photofinish("check", "-n", "2", "./app")
        self.assertEqual(result.code, 0, result)
        self.assertIn("deterministic, unless the program depends on clock values (MPI_Wtime app.c:10 and 1 more): no message race", result.err, result)
        self.assertEqual(self.photofinish("dump", "photofinish.run").out.count("MPI_Wtime"), 4, "once for each place of each rank")

    def test_of_a_program_that_fetches(self):
        self.write("app.c", "#include <mpi.h>\nint main(int c, char** v) {\n  int rank, *count, one = 1, got = 0;\n  MPI_Win win;\n  MPI_Init(&c, &v);\n  MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n"
                   "  MPI_Win_allocate(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &count, &win);\n  *count = 0;\n  MPI_Barrier(MPI_COMM_WORLD);\n  MPI_Win_lock_all(0, win);\n"
                   "  MPI_Fetch_and_op(&one, &got, MPI_INT, 0, 0, MPI_SUM, win);\n  MPI_Win_unlock_all(win);\n  MPI_Win_lock(LOCK, 0, 0, win);\n  MPI_Win_unlock(0, win);\n"
                   "  if (rank == 0) MPI_Send(&rank, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);\n  else MPI_Recv(&got, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n  MPI_Win_free(&win);\n  MPI_Finalize();\n  return 0;\n}\n")
        for lock, locks in ("SHARED", ""), ("EXCLUSIVE", " or the order of window locks (MPI_Win_lock app.c:13)"):
            self.assertEqual(self.run_(f"mpicc.{arguments.mpi}", "-g", f"-DLOCK=MPI_LOCK_{lock}", "app.c", "-o", "app").code, 0)
            result = self.photofinish("check", "--overwrite", "-n", "2", "./app")
            self.assertIn(f"deterministic, unless the program depends on values it fetches from windows (MPI_Fetch_and_op app.c:11){locks}: no message race, and no other call", result.err, result)

    def test_of_what_is_no_run(self):
        self.assertSays(self.photofinish("report", "nowhere"), r"nowhere: No such file or directory", 64)
        self.assertSays(self.photofinish("report", "."), r"not a photofinish run", 64)

    def test_of_a_run_that_was_never_analysed(self):
        self.run_directory()
        result = self.photofinish("report", "a.run")
        self.assertSays(result, r"a\.run is not analyzed yet: run photofinish analyze a\.run", 64)
        self.assertEqual(result.out, "")

    def test_of_damaged_findings(self):
        self.run_directory()
        self.write("a.run/rank-000003.findings", "nonsense" * 10)
        self.assertSays(self.photofinish("report", "a.run"), r"a\.run/rank-000003\.findings: not a file of findings", 70)

    def test_wrong_usage(self):
        self.assertSays(self.photofinish("report"), r"photofinish\.run: No such file or directory; give the directory", 64)
        for number in ["-1", "many", "1.5"]:
            self.assertSays(self.photofinish("report", "--max-findings", number, "a.run"), r"max.findings", 64)
        self.assertSays(self.photofinish("report", "--max-finding", "1", "a.run"), r"there is no option --max-finding; did you mean --max-findings\? \(see photofinish report --help\)", 64)

    def test_help(self):
        self.assertIn("--max-findings", self.photofinish("report", "--help").out)


class Install(Case):
    def test_the_installed_tree_can_be_moved_and_found(self):
        self.assertEqual(self.run_("cmake", "--install", arguments.build, "--prefix", self.path("here")).code, 0)
        os.rename(self.path("here"), self.path("there"))
        app = self.compile("survive.c")
        result = self.run_(self.path("there/bin/photofinish"), "check", "-n", "2", app, "well")
        self.assertEqual(result.code, 0, result)
        self.assertIn("2 of 2 ranks recorded", result.err)
        with open(self.path("there/share/man/man1/photofinish-check.1")) as page:
            self.assertIn("stack", page.read())
        with open(self.path("there/share/photofinish/report.schema.json")) as schema:
            self.assertRegex(json.load(schema)["$id"], r"^urn:photofinish:report:\d+$")
        for name in ("bash-completion/completions/photofinish", "zsh/site-functions/_photofinish", "fish/vendor_completions.d/photofinish.fish"):
            with open(self.path("there/share/" + name)) as script:
                self.assertIn("confirm", script.read())

        # The header goes along, and needs nothing: with plain compilers, position independent or not.
        self.write("said.c", "#include <photofinish/annotate.h>\n#include <stdio.h>\n"
                   "int main(void) { PHOTOFINISH_REGION_BEGIN(\"r\"); PHOTOFINISH_HAPPENS_BEFORE(1, 2); puts(\"ran\"); return 0; }\n")
        for flags in (["-O2"], ["-no-pie", "-fno-pie"], ["-flto", "-O2"], ["-DPHOTOFINISH_NO_ANNOTATIONS"], ["-x", "c++", "-std=c++17", "-Wall", "-Wextra", "-Wold-style-cast", "-Wzero-as-null-pointer-constant", "-Werror"]):
            built = self.run_("cc", *flags, "-I", self.path("there/include"), "-o", self.path("said"), self.path("said.c"))
            self.assertEqual(built.code, 0, built)
            self.assertEqual(self.run_(self.path("said")).out, "ran\n")

        os.mkdir(self.path("project"))
        self.write("project/CMakeLists.txt",
                   "cmake_minimum_required(VERSION 3.25)\nproject(user LANGUAGES NONE)\nenable_testing()\n"
                   "find_package(photofinish CONFIG REQUIRED)\n"
                   f"add_executable(app IMPORTED)\nset_target_properties(app PROPERTIES IMPORTED_LOCATION {self.path('survive')})\n"
                   "photofinish_add_test(exchange 2 app well)\n")
        configured = self.run_("cmake", "-S", "project", "-B", "project/build", f"-DCMAKE_PREFIX_PATH={self.path('there')}")
        self.assertEqual(configured.code, 0, configured)
        tested = self.run_("ctest", "--test-dir", "project/build")
        self.assertIn("100% tests passed", tested.out, tested)


def main():
    global arguments
    parser = argparse.ArgumentParser()
    parser.add_argument("--photofinish", required=True)
    parser.add_argument("--mpi", required=True, choices=["openmpi", "mpich"])
    parser.add_argument("--yield-preload", default="")
    parser.add_argument("--build", default="", help="build directory, to install from")
    arguments, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()
