"""What a user types in the first hour: the same check again, mpirun's habits, scripts that stop at a nonzero exit code, a quiet run, and quickstart.

  usage_test.py --photofinish BIN --mpi openmpi|mpich [--yield-preload LIB] --build DIR [unittest arguments]
"""
import json
import os
import pty
import re
import select
import subprocess
import time
import unittest

import cli_test
from cli_test import Case, environment

ROOT = os.path.dirname(os.path.dirname(cli_test.HERE))
# Rank 0 waits for a file, so that a test decides when the run ends.
WAITS = """#include <mpi.h>
#include <unistd.h>
int main(int c, char **v) {
  MPI_Init(&c, &v);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < 4000 && access("go", F_OK) != 0; ++i) usleep(10000);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
"""


def mpi():
    return cli_test.arguments.mpi


class Usage(Case):
    def race(self):
        return self.compile(os.path.join(ROOT, "examples/race.c"), name="race")

    def run_json(self, run):
        with open(self.path(run + "/run.json")) as file:
            return json.load(file)

    def summary(self, run):
        return self.photofinish("report", run).out.splitlines()[-1]

    # --- the same check again

    def test_check_again_keeps_the_earlier_run(self):
        race, app = self.race(), self.compile("children.c")
        self.assertEqual(self.photofinish("check", "-n", "3", race).code, 66)
        again = self.photofinish("check", "-n", "1", app)
        self.assertEqual(again.code, 0, again)
        self.assertIn("photofinish: the earlier run is now photofinish.run.1\n", again.err, again)
        self.assertEqual(self.run_json("photofinish.run")["command"], [app])
        self.assertEqual(self.run_json("photofinish.run.1")["command"], [race])
        self.assertIn("1 one-sided race", self.summary("photofinish.run.1"))
        # Numbers go up, whatever was removed in between.
        self.assertEqual(self.photofinish("check", "-n", "1", app).code, 0)
        os.rename(self.path("photofinish.run.1"), self.path("elsewhere"))
        self.assertIn("is now photofinish.run.3\n", self.photofinish("record", "-n", "1", app).err)
        self.assertEqual(self.photofinish("check", "-n", "1", "--overwrite", app).code, 0)
        self.assertFalse(os.path.exists(self.path("photofinish.run.4")))

    def test_a_named_directory_is_never_renamed(self):
        app = self.compile("children.c")
        for name in ("mine", "photofinish.run"):
            self.assertEqual(self.photofinish("check", "-n", "1", "-o", name, app).code, 0)
            before = os.stat(self.path(name + "/run.json")).st_mtime_ns
            self.assertSays(self.photofinish("check", "-n", "1", "-o", name, app), r"earlier run.*--overwrite", 64)
            self.assertEqual(os.stat(self.path(name + "/run.json")).st_mtime_ns, before)
        self.assertEqual([name for name in os.listdir(self.dir) if name.startswith("photofinish.run.")], [])

    def test_a_directory_that_is_no_run_is_left_alone(self):
        app = self.compile("children.c")
        os.mkdir(self.path("photofinish.run"))
        self.write("photofinish.run/thesis.tex", "years of work")
        self.assertSays(self.photofinish("check", "-n", "1", app), r"files that are not part of a run", 64)
        self.assertEqual(os.listdir(self.path("photofinish.run")), ["thesis.tex"])

    def test_the_earlier_run_is_back_when_nothing_is_recorded(self):
        app = self.compile("children.c")
        self.write("lazy.c", "#include <mpi.h>\nint main(int c, char **v) { if (c > 99) MPI_Init(&c, &v); return 0; }\n")
        self.run_(f"mpicc.{mpi()}", "-w", "lazy.c", "-o", "lazy")
        self.assertEqual(self.photofinish("check", "-n", "1", app).code, 0)
        self.assertEqual(self.photofinish("check", "-n", "1", "./lazy").code, 70)
        self.assertEqual(self.run_json("photofinish.run")["command"], [app])
        self.assertFalse(os.path.exists(self.path("photofinish.run.1")))

    def test_the_earlier_run_as_baseline(self):
        race = self.race()
        self.assertEqual(self.photofinish("check", "-n", "3", race).code, 66)
        again = self.photofinish("check", "-n", "3", "--baseline", "photofinish.run", race)
        self.assertEqual(again.code, 0, again)
        self.assertIn("photofinish.run.1", again.err, again)
        self.assertSays(self.photofinish("check", "-n", "3", "--overwrite", "--baseline", "photofinish.run", race), r"baseline", 64)

    def other_run_goes_on(self, *command):
        """A second check while the first run goes on: neither disturbs the other."""
        self.write("waits.c", WAITS)
        self.run_(f"mpicc.{mpi()}", "-w", "waits.c", "-o", "waits")
        app = self.compile("children.c")
        first = subprocess.Popen(command, cwd=self.dir, env=environment(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        try:
            deadline = time.time() + cli_test.TIMEOUT
            while not os.path.exists(self.path("photofinish.run/rank-000001.live")) and time.time() < deadline:
                time.sleep(0.02)
            second = self.photofinish("check", "-n", "1", app)
            self.assertEqual(second.code, 0, second)
            self.assertIn("photofinish.run is in use by another run; this run goes to photofinish.run.2\n", second.err, second)
            self.assertEqual(self.run_json("photofinish.run.2")["command"], [app])
        finally:
            self.write("go", "")
            error = first.communicate(timeout=cli_test.TIMEOUT)[1]
        self.assertEqual(first.returncode, 0, error)
        self.assertIn("SUMMARY: photofinish: no findings", self.summary("photofinish.run"))

    def test_a_run_that_goes_on_stays_where_it_is(self):
        self.other_run_goes_on(cli_test.arguments.photofinish, "check", "-n", "2", "./waits")

    def test_a_run_of_exec_that_goes_on_stays_where_it_is(self):
        self.other_run_goes_on(f"mpirun.{mpi()}", "-n", "2", cli_test.arguments.photofinish, "exec", "./waits")

    # --- mistakes

    def test_mistakes(self):
        """One line that says what to do, a usage error, and the earlier run is where it was."""
        app = self.compile("crossing.c")
        self.compile("children.c")
        self.assertEqual(self.photofinish("check", "-n", "3", app).code, 66)
        self.write("empty", "", 0o755)
        self.write("text", "no program\n")
        self.write("bad.supp", "\x01" * 500)
        os.mkdir(self.path("folder"))
        for words, said in ((("check", "-n", "2", "./empty"), r"empty: an empty file; build"), (("check", "-n", "2", "./text"), r"chmod \+x"),
                            (("check", "-n", "2", "./folder"), r"a directory, not a program"), (("check", "-n", "2", "children"), r"write \./children"),
                            (("check", "--", "no-launcher", "-n", "2", app), r"no-launcher: program not found"),
                            (("check", "--", f"mpirun.{mpi()}", "-n", "2", "/bin/ls"), r"/bin/ls: not an MPI program"),
                            (("check", "-n", "2", "--format", "json", "--output-file", "none/x.json", app), r"there is no directory \S+none"),
                            (("check", "-n", "2", "--format", "json", "--output-file", "folder", app), r"folder: it is a directory"),
                            (("check", "-n", "2", "--suppressions", "bad.supp", app), r"bad.supp:1: '(\\x01){80}' is not a suppression"),
                            (("report", "text"), r"text is not a directory; give"), (("report", "folder"), r"folder is not a photofinish run .*; give"),
                            (("report", "photofinish.run", "F1"), r"one argument too many: F1; did you mean --finding F1\?"),
                            (("confirm", "photofinish.run", "text"), r"one argument too many: text \("), (("confirm", "none.run"), r"none.run: No such file"),
                            (("confirm", "--finding", "foo"), r"has no finding foo: it has F1"),
                            (("confirm", "--", "no-launcher", app), r"no-launcher: program not found"), (("diff", "folder", "none"), r"folder is not a photofinish run"),
                            (("replay",), r"use photofinish record"), (("explain",), r"use photofinish record"), (("dump", "-c", "Foo"), r"a name looks like MPI_Put"),
                            (("completion",), r"photofinish completion bash\|zsh\|fish"), (("group",), r"photofinish group RUN --failure RANK"),
                            (("explore", "none.run"), r"none\.run: program not found")):
            with self.subTest(words):
                self.assertSays(self.photofinish(*words), said, 64)
        self.assertFalse(os.path.exists(self.path("photofinish.run.1")))

    def test_options_after_the_program(self):
        app = self.compile("children.c")
        said = "photofinish: passed on to ./children: --overwrite --stack-depth=3 (options of photofinish go before the program)\n"
        for words, expected in ((("-n", "1", app, "--overwrite", "--mine", "--stack-depth=3", "-q"), 1), (("-n", "1", "--", app, "--overwrite", "--stack-depth=3"), 0),
                                (("-q", "-n", "1", app, "--overwrite", "--stack-depth=3"), 0)):
            result = self.photofinish("check", *words)
            self.assertEqual((result.code, result.err.count(said)), (0, expected), result)
            self.assertEqual("passed on" in result.err, expected == 1, result)

    def test_another_wrapper(self):
        """After an error, the wrappers name the one that the program needs."""
        self.write("pe.c", "#include <shmem.h>\nint main(void) { shmem_init(); shmem_finalize(); }\n")
        self.write("shmem.h", "void shmem_init(void);\nvoid shmem_finalize(void);\n")
        self.write("co.f90", "program co\n  integer :: x[*]\n  x = this_image()\n  sync all\nend program\n")
        self.write("out.cpp", "#include <iostream>\nint main() { std::cout << 1; }\n")
        self.write("wrong.c", "int main(void) { return x; } // my_shmem_init\n")
        folder = os.path.dirname(cli_test.arguments.photofinish)
        for tool, file, said in (("pfmpicc", "pe.c", "pe.c uses OpenSHMEM: compile and link with pfoshcc (C++: pfoshcxx), not pfmpicc"),
                                 ("pfmpifort", "co.f90", "co.f90 uses coarrays: compile it with pfcaf, not pfmpifort"),
                                 ("pfmpicc", "out.cpp", "out.cpp is C++: compile and link with pfmpicxx, not pfmpicc"), ("pfmpicc", "wrong.c", "")):
            if not os.path.exists(os.path.join(folder, tool)):
                continue
            with self.subTest(file):
                result = self.run_(os.path.join(folder, tool), f"--mpi={mpi()}", "-I.", file, "-o", "app")
                self.assertNotEqual(result.code, 0, result)
                self.assertEqual([line for line in result.err.splitlines() if line.startswith("photofinish: ")], ["photofinish: " + said] if said else [], result)

    # --- habits

    def test_np(self):
        self.write("args.c", "#include <mpi.h>\n#include <stdio.h>\nint main(int c, char **v) { int n; MPI_Init(&c, &v); MPI_Comm_size(MPI_COMM_WORLD, &n);"
                             "printf(\"of %d: %s %s\\n\", n, v[1], v[2]); MPI_Finalize(); return 0; }\n")
        self.run_(f"mpicc.{mpi()}", "-w", "args.c", "-o", "args")
        for words in (["check", "-np", "2"], ["check", "--stack-depth", "4", "-np", "2"], ["record", "-q", "-np", "2"]):
            result = self.photofinish(*words, "./args", "-np", "7")
            self.assertEqual(result.out, "of 2: -np 7\n" * 2, result)
        result = self.photofinish("check", "-np", "2", "--", "./args", "-np", "7")
        self.assertEqual(result.out, "of 2: -np 7\n" * 2, result)
        self.assertSays(self.photofinish("check", "-np", "./args"), r"-n|-np", 64)

    def test_ranks_given_twice(self):
        app = self.compile("children.c")
        for command in ("check", "record"):
            result = self.photofinish(command, "-n", "2", "--", f"mpirun.{mpi()}", "-n", "2", app)
            self.assertSays(result, rf"-n 2 and mpirun\.{mpi()} both start ranks; leave out one: photofinish {command} -- mpirun\.{mpi()} -n 2 \./children, or", 64)

    def test_explore(self):
        """What can be wrong with an exploration, and that it changes nothing."""
        app = self.compile("crossing.c")
        explored = self.photofinish("explore", "-n", "3", app, "say")
        self.assertIn("SUMMARY: photofinish: 1 outcome in 1 run", explored.out, explored)
        self.assertEqual(self.photofinish("check", "-n", "3", "-o", "checked.run", app, "say").code, 66)
        with open(self.path("photofinish.run/explored.state"), "rb") as state:
            before = state.read()
        os.mkdir(self.path("empty"))
        for words, pattern, code in [((), r"explore needs a program or an earlier run: photofinish explore -n N PROGRAM", 64),
                                     ((app,), r"the number of ranks is missing: photofinish explore -n N ./crossing", 64),
                                     (("-n", "3", "./nowhere"), r"nowhere", 64),
                                     (("nowhere.run",), r"nowhere\.run", 64),
                                     (("empty",), r"empty", 64),
                                     (("photofinish.run", "--outcome", "99"), r"photofinish.run has only outcome 1", 64),
                                     (("checked.run", "--outcome", "1"), r"checked.run has no outcomes yet: run photofinish explore checked.run", 64),
                                     (("-n", "3", "--outcome", "1", app), r"--outcome needs an explored run: photofinish explore RUN --outcome N", 64),
                                     (("photofinish.run", "--outcome", "0"), r"--outcome", 64),
                                     (("photofinish.run", "--jobs", "0"), r"--jobs", 64),
                                     (("photofinish.run", "--runs", "0"), r"--runs", 64),
                                     (("photofinish.run", "-n", "4"), r"already has its number of ranks: remove -n", 64),
                                     (("photofinish.run", "./other"), r"explore takes a run, which has its program, or a program: remove one of them", 64),
                                     (("photofinish.run", "-n", "3", app, "say"), r"explore takes a run, which has its program, or a program", 64),
                                     (("photofinish.run", "--ignore", "("), r"not a regular expression", 64)]:
            with self.subTest(words):
                self.assertSays(self.photofinish("explore", *words), pattern, code)
        # The program has been rebuilt: what earlier runs did tells nothing about it.
        later = time.time() + 60
        os.utime(self.path("crossing"), (later, later))
        self.assertSays(self.photofinish("explore", "photofinish.run"), r"crossing has changed since photofinish.run was made; explore the program again", 64)
        with open(self.path("photofinish.run/explored.state"), "rb") as state:
            self.assertEqual(state.read(), before)

    def test_report_of_one_finding(self):
        race = self.race()
        self.assertEqual(self.photofinish("check", "-n", "3", race).code, 66)
        for name in ("F1", "f1", "1"):
            result = self.photofinish("report", "photofinish.run", "--finding", name)
            self.assertEqual(result.code, 66, result)
            self.assertIn("[F1]", result.out, result)
            self.assertNotIn("SUMMARY", result.out, result)
        self.assertSays(self.photofinish("report", "photofinish.run", "--finding", "F2"), r"photofinish.run has no finding F2: it has F1$", 64)
        self.assertSays(self.photofinish("report", "photofinish.run", "--finding", "F1", "--format", "json"), r"--finding works only with text: remove --format json", 64)

    def test_a_missing_value(self):
        self.assertSays(self.photofinish("replay", "photofinish.run", "--rank", "0", "--gdb"), r"--gdb needs a value: --gdb RANK \(see photofinish replay --help\)", 64)
        self.assertSays(self.photofinish("confirm", "photofinish.run", "--order"), r"--order needs a value: --order N ", 64)

    def test_findings_by_number(self):
        self.race()
        self.assertEqual(self.photofinish("check", "-n", "3", "./race").code, 66)
        for finding in ("1", "f1", "F1"):
            self.assertIn("F1 needs ranks 0-2", self.photofinish("explain", "--finding", finding).out)
            recorded = self.photofinish("record", "--for-finding", finding)
            self.assertEqual(recorded.code, 0, recorded)
            self.assertIn("photofinish: F1 needs ranks 0-2", recorded.err)
        self.assertIn("F1 confirmed", self.photofinish("confirm", "--finding", "1").out)
        self.assertSays(self.photofinish("confirm", "--finding", "2"), r"has no finding F2: it has F1", 64)

    def test_dump_of_one_call(self):
        app = self.compile("children.c")
        self.assertEqual(self.photofinish("check", "-n", "1", app).code, 0)
        for pattern, said in (("MPI_Foo", r"there is no call 'MPI_Foo'"), ("MPI_Wn_fence", r"did you mean MPI_Win_fence\?"),
                              ("mpi_put", r"did you mean MPI_Put\?"), ("Put", r"did you mean MPI_Put\?"), ("MPX_*", r"no call matches 'MPX_\*'"),
                              ("MPI_Comm_rank", r"MPI_Comm_rank is not recorded\. Queries ")):
            self.assertSays(self.photofinish("dump", "-c", pattern), said, 64)
        self.assertSays(self.photofinish("dump", "-c", "MPI_Put"), r"no MPI_Put on record in photofinish\.run", 0)
        found = self.photofinish("dump", "-c", "MPI_Init*")
        self.assertEqual((found.code, found.err), (0, ""), found)
        self.assertIn("MPI_Init", found.out)

    # --- scripts

    def test_exit_codes_for_scripts(self):
        self.race()
        self.assertEqual(self.photofinish("check", "-n", "3", "--exit-zero", "./race").code, 0)
        self.assertEqual(self.photofinish("check", "-n", "3", "--error-exitcode", "9", "./race").code, 9)
        self.assertEqual(self.photofinish("check", "-n", "1", "-o", "clean.run", self.compile("children.c")).code, 0)
        for words in (["analyze"], ["report"], ["report", "--format", "sarif", "-o", "report.sarif"], ["diff", "clean.run", "photofinish.run"]):
            with self.subTest(words):
                plain = self.photofinish(*words)
                self.assertEqual(plain.code, 66, plain)
                self.assertEqual(self.photofinish(*words, "--exit-zero").code, 0)
                self.assertEqual(self.photofinish(*words, "--error-exitcode=3").code, 3)
        self.assertEqual(self.photofinish("confirm", "--error-exitcode", "4").code, 4)
        # Only findings: an error stays one.
        self.assertEqual(self.photofinish("report", "--exit-zero", "nowhere").code, 64)
        self.assertSays(self.photofinish("report", "--error-exitcode", "256"), r"error_exitcode takes 0 to 255", 64)
        self.write("fails.c", "#include <mpi.h>\nint main(int c, char **v) { MPI_Init(&c, &v); MPI_Finalize(); return 5; }\n")
        self.run_(f"mpicc.{mpi()}", "-w", "fails.c", "-o", "fails")
        self.assertEqual(self.photofinish("check", "-n", "1", "--exit-zero", "./fails").code, 5)

    def test_quiet(self):
        self.race()
        loud = self.photofinish("check", "-n", "3", "./race")
        quiet = self.photofinish("check", "-q", "-n", "3", "./race")
        self.assertEqual(quiet.code, 66, quiet)
        self.assertRegex(quiet.out, r"^got \d\n$", quiet)
        self.assertIn("ranks recorded", loud.err)
        self.assertEqual([line for line in quiet.err.splitlines() if line.startswith("photofinish: ")], [], quiet)
        self.assertRegex(quiet.err, r"^={18}\nWARNING: photofinish: one-sided race \[F1\][^\0]*\n={18}\n(NOTE: photofinish: .*\n)*SUMMARY: photofinish: 1 one-sided race ", quiet)
        self.assertNotIn("VERDICT", quiet.err)

    def on_a_terminal(self, *words):
        """What a terminal shows."""
        child, terminal = pty.fork()
        if child == 0:
            os.chdir(self.dir)
            os.execve(words[0], words, environment(TERM="xterm"))
        shown, deadline = b"", time.time() + cli_test.TIMEOUT
        while time.time() < deadline:
            if not select.select([terminal], [], [], 0.2)[0]:
                continue
            try:
                some = os.read(terminal, 65536)
            except OSError:
                break
            if not some:
                break
            shown += some
        os.close(terminal)
        os.waitpid(child, 0)
        return shown.decode(errors="replace")

    def test_confirm_shows_where_it_is(self):
        self.race()
        self.assertEqual(self.photofinish("check", "-n", "3", "./race").code, 66)
        shown = self.on_a_terminal(cli_test.arguments.photofinish, "confirm")
        self.assertRegex(shown, r"\r\033\[Kphotofinish: F1, finding 1 of 1, run 1 of \d+(, about \d+ s left)?", shown)
        self.assertRegex(shown, r"\r\033\[K\033\[[\d;]+mF1 confirmed, \w+[^\n]*\033\[0m: one-sided race", shown)
        quiet = self.on_a_terminal(cli_test.arguments.photofinish, "confirm", "-q")
        self.assertNotIn("\033[K", quiet)
        self.assertNotRegex(self.photofinish("confirm").out, "\033|\r")


class Quickstart(Case):
    def test_what_it_builds_can_be_installed(self):
        """Each file of the build folder that cmake --install wants is made by the targets that quickstart builds."""
        with open(os.path.join(ROOT, "quickstart")) as script:
            targets = re.search(r"\(build release ([\w ]+)\)", script.read()).group(1).split()
        build = os.path.realpath(cli_test.arguments.build)
        wanted = set()
        for folder, _, names in os.walk(build):
            if "cmake_install.cmake" in names:
                with open(os.path.join(folder, "cmake_install.cmake")) as script:
                    wanted |= set(re.findall(r'"(' + re.escape(build) + r'/[^"$]+)"', script.read()))
        wanted = {os.path.relpath(path, build) for path in wanted if "cmake_install" not in path and "CMakeFiles" not in path}
        commands = subprocess.run(["ninja", "-C", build, "-t", "commands", *targets], check=True, capture_output=True, text=True).stdout
        # Those that no rule makes were written when the build was configured.
        rules = subprocess.run(["ninja", "-C", build, "-t", "targets", "all"], check=True, capture_output=True, text=True).stdout
        rules = {line.rsplit(": ", 1)[0] for line in rules.splitlines()}
        missing = []
        for path in sorted(wanted):
            below = [rule for rule in rules if (rule == path or rule.startswith(path + "/")) and not rule.endswith("/all")]
            if below and path not in commands:
                missing.append(path)
        self.assertGreater(len(wanted), 8)
        self.assertEqual(missing, [])

    def test_how_far_a_build_is(self):
        steps = "".join(f"[{i}/40] Building CXX object src/x{i}.o\n" for i in range(1, 41))
        shown = self.run_("bash", "-c", f". {ROOT}/tools/setup.sh; printf '{steps}' | show_steps")
        self.assertEqual(re.findall(r"(\d+) %", shown.out), ["2", *map(str, range(10, 101, 10))], shown)
        shown = self.run_("bash", "-c", f". {ROOT}/tools/setup.sh; printf '0 upgraded, 2 newly installed, 0 to remove\\nUnpacking a (1) ...\\nUnpacking b (1) ...\\nSetting up a\\nSetting up b\\n' | show_steps")
        self.assertEqual(re.findall(r"(\d+) %", shown.out), ["25", "50", "75", "100"], shown)


if __name__ == "__main__":
    cli_test.main()
