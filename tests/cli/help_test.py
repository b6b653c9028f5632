"""photofinish doctor, the manual and the shells' completions, on the real tool.

  help_test.py --photofinish BIN --mpi openmpi|mpich [--yield-preload LIB] [unittest arguments]
"""
import os
import pty
import re
import select
import shutil
import subprocess
import time
import unittest

import cli_test
from cli_test import Case, environment

ROOT = os.path.dirname(os.path.dirname(cli_test.HERE))
NAMES = {"openmpi": "Open MPI", "mpich": "MPICH"}


def mpi():
    return cli_test.arguments.mpi


def commands_of(help_text):
    """The names in the list of subcommands."""
    return re.findall(r"^  (\w+) ", help_text.split("Subcommands:")[1], re.M)


class Doctor(Case):
    def doctor(self, *words, **variables):
        return self.photofinish("doctor", *words, env=environment(**variables))

    def test_machine(self):
        result = self.doctor()
        self.assertRegex(result.out, rf"  ok       {NAMES[mpi()]} [\d.]+: mpirun\S* starts processes, mpicc\S*, analyze -n works with it\n", result)
        self.assertEqual(result.code, 1 if "  problem  " in result.out else 0, result)
        self.assertRegex(result.out, r"\nSUMMARY: photofinish: (no problems|\d+ problems?)(, \d+ notes?)?\n$", result)
        for title in ("MPI", "Compilers (for loads and stores)", "Environment", "System"):
            self.assertIn(f"\n{title}\n", result.out, result)
        self.assertEqual(result.err, "")
        if shutil.which("clang-19"):
            self.assertRegex(result.out, r"  ok       clang-19 loads the pass: pfmpicc", result)

    def test_compare_and_swap(self):
        """Open MPI 4.1.4 crashes in it; with the components that doctor names it does not."""
        if mpi() != "openmpi" or "4.1.4" not in self.run_("mpirun.openmpi", "--version").out:
            self.skipTest("needs Open MPI 4.1.4")
        crash = r"  note     Open MPI 4\.1\.4: MPI_Compare_and_swap on 8 bytes crashes in its component osc/rdma.*\n           → for programs that use it: export OMPI_MCA_osc=sm,pt2pt\n"
        self.assertRegex(self.doctor().out, crash)
        self.assertNotRegex(self.doctor(OMPI_MCA_osc="sm,pt2pt").out, "Compare_and_swap")

    def test_no_launcher(self):
        result = self.doctor(PATH="/nonexistent")
        self.assertEqual(result.code, 1, result)
        self.assertRegex(result.out, rf"  problem  {NAMES[mpi()]}: its mpirun is not in PATH\n           → install ", result)

    def test_another_tool(self):
        self.write("tool.c", "int PMPI_Init(int *, char ***);\nint MPI_Init(int *c, char ***v) { return PMPI_Init(c, v); }\n")
        self.run_("cc", "-shared", "-fPIC", "tool.c", "-o", "libtool.so")
        # For the tool only: processes that it starts to look around would not find PMPI_Init.
        result = self.doctor(LD_PRELOAD=self.path("libtool.so"))
        self.assertEqual(result.code, 1, result)
        self.assertIn("  problem  LD_PRELOAD has another tool that intercepts MPI: " + self.path("libtool.so"), result.out, result)

    def test_wrong_options(self):
        result = self.doctor(PHOTOFINISH_OPTIONS="stack_depth=many")
        self.assertEqual(result.code, 1, result)
        self.assertIn("  problem  PHOTOFINISH_OPTIONS: option stack_depth: 'many' is not a number\n", result.out, result)

    def test_program(self):
        app = self.compile("survive.c")
        result = self.doctor(app)
        self.assertEqual(result.code, 0, result)
        self.assertRegex(result.out, rf"^\./survive\n  ok       uses {NAMES[mpi()]} \(/\S+\), started with mpirun", result)
        self.assertIn("  ok       has line information\n  note     not instrumented", result.out, result)
        self.run_("strip", app)
        self.assertIn("  note     has no line information", self.doctor(app).out)

    @unittest.skipUnless(shutil.which("clang-19"), "needs clang-19")
    def test_program_with_the_pass(self):
        self.compile("survive.c", f"--mpi={mpi()}", compiler="pfmpicc")
        result = self.doctor("./survive")
        self.assertRegex(result.out, r"  ok       instrumented: \S*survive\.c\nSUMMARY: photofinish: no problems\n$", result)

    def test_what_cannot_be_checked(self):
        result = self.doctor("/bin/ls")
        self.assertEqual(result.code, 1, result)
        self.assertRegex(result.out, r"  problem  /bin/ls: not an MPI program\n +→ if it loads MPI at run time, give --mpi", result)
        self.assertIn("nowhere", self.doctor("./nowhere").out)
        script = self.write("run.sh", "#!/bin/sh\n", 0o755)
        result = self.doctor(script)
        self.assertEqual(result.code, 0, result)
        self.assertIn("a script", result.out)


class Manual(Case):
    def commands(self):
        found = commands_of(self.photofinish("--help").out)
        self.assertIn("check", found)
        self.assertIn("doctor", found)
        return found

    def test_a_page_for_each_command(self):
        self.assertEqual(self.photofinish("man", "--into", self.dir).code, 0)
        self.assertEqual(sorted(os.listdir(self.dir)), sorted(["photofinish.1"] + [f"photofinish-{name}.1" for name in self.commands()]))
        for command in self.commands():
            with self.subTest(command):
                page = self.photofinish("man", command).out
                with open(self.path(f"photofinish-{command}.1")) as file:
                    self.assertEqual(file.read(), page)
                for flag in re.findall(r"(?:^|,)\s*(--[a-z-]+)", self.photofinish(command, "--help").out, re.M):
                    self.assertIn(flag.replace("-", r"\-"), page)

    @unittest.skipUnless(shutil.which("groff"), "needs groff")
    def test_pages_are_roff(self):
        for command in ["", *self.commands(), "pfmpicc", "pfupcc", "pfcaf"]:
            if command.startswith("pf"):
                with open(os.path.join(ROOT, f"src/manual/{command}.1")) as file:
                    page = file.read()
            else:
                page = self.photofinish("man", *[command] * bool(command)).out
            made = subprocess.run(["groff", "-man", "-ww", "-K", "utf8", "-T", "utf8", "-P", "-c"], input=page, capture_output=True, text=True)
            self.assertEqual((made.returncode, made.stderr), (0, ""), command)
            title = f"{command.upper()}(1)" if command.startswith("pf") else "PHOTOFINISH" + ("-" + command.upper() if command else "") + "(1)"
            self.assertIn(title, made.stdout.splitlines()[0])
            self.assertIn("photofinish", re.sub(".\b", "", made.stdout))

    def test_bad_input(self):
        self.assertSays(self.photofinish("man", "nothing"), r"there is no command 'nothing'", 64)
        self.assertSays(self.photofinish("man", "--into", "/nonexistent"), r"cannot write to /nonexistent: .*; give a folder", 64)

    def test_help_fits_100_columns(self):
        for words in [], *[[command] for command in self.commands()]:
            text = self.photofinish(*words, "--help").out
            self.assertEqual([line for line in text.splitlines() if len(line) > 100], [], words)
            self.assertNotIn("\n\n\n", text, words)

    def test_advanced_options_come_last(self):
        options, advanced = self.photofinish("check", "--help").out.split("\nAdvanced options:\n")
        for flag, group in ("--overwrite", options), ("--suppressions", options), ("--stack-depth", advanced), ("--memory", advanced):
            self.assertIn(f"  {flag} ", group)
        page = self.photofinish("man", "check").out
        self.assertLess(page.index(r"\-\-quiet"), page.index(".SS Advanced options"))
        self.assertLess(page.index(".SS Advanced options"), page.index(r"\-\-stack\-depth"))

    def test_options_page_is_current(self):
        with open(os.path.join(ROOT, "docs/options.md")) as file:
            self.assertEqual(file.read(), self.photofinish("man", "--markdown").out, "photofinish man --markdown > docs/options.md makes it anew")


class Completion(Case):
    def setUp(self):
        super().setUp()
        with open(self.path("completion"), "w") as file:
            file.write(self.photofinish("completion", "bash").out)
        os.makedirs(self.path("a.run"))
        os.makedirs(self.path("a.folder"))
        self.write("a.run/run.json", "{}")

    def complete(self, *words):
        """What bash offers for the last of the words: those that readline would hand over, which parts them at = and :."""
        quoted = " ".join("'" + word + "'" for word in words)
        script = f'source ./completion; COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _photofinish; printf "%s\\n" "${{COMPREPLY[@]}}"'
        result = self.run_("bash", "--norc", "-c", script)
        self.assertEqual((result.code, result.err), (0, ""), result)
        return result.out.split()

    def test_commands(self):
        self.assertEqual(self.complete("photofinish", "con"), ["confirm"])
        offered = self.complete("photofinish", "")
        for command in commands_of(self.photofinish("--help").out):
            self.assertIn(command, offered)

    def test_flags_are_those_of_the_command(self):
        for command in commands_of(self.photofinish("--help").out):
            offered = self.complete("photofinish", command, "--")
            wanted = re.findall(r"(?:^ +|, )(--[a-z][a-z-]*)", self.photofinish(command, "--help").out, re.M)
            self.assertEqual(sorted(set(offered)), sorted(set(wanted)), command)
        self.assertEqual(self.complete("photofinish", "confirm", "--pause"), ["--pause-ms"])
        self.assertEqual(self.complete("photofinish", "check", "--pause"), [])

    def test_values(self):
        self.assertEqual(self.complete("photofinish", "check", "--mpi", "="), ["auto", "openmpi", "mpich"])
        self.assertEqual(self.complete("photofinish", "check", "--mpi", "=", "mp"), ["mpich"])
        self.assertEqual(self.complete("photofinish", "check", "--mpi", "op"), ["openmpi"])

    def test_runs_and_programs(self):
        self.assertEqual(self.complete("photofinish", "report", "a"), ["a.run"])
        self.assertEqual(self.complete("photofinish", "report", "a.run", "a"), [])
        # The program's own arguments are left to bash, whatever they look like.
        self.assertEqual(self.complete("photofinish", "check", "-n", "4", "./app", "--mpi"), [])
        self.assertEqual(self.complete("photofinish", "check", "-n", "4", "--overw"), ["--overwrite"])
        self.assertEqual(self.complete("photofinish", "check", "--mpi", "=", "mpich", "--overw"), ["--overwrite"])
        self.assertEqual(self.complete("photofinish", "check", "--", "mpirun", "--mp"), [])

    def test_with_the_tab_key(self):
        """As a user has it: an interactive bash in a terminal."""
        child, terminal = pty.fork()
        if child == 0:
            os.chdir(self.dir)
            os.execvpe("bash", ["bash", "--norc", "-i"], environment(TERM="dumb", PS1="ready> ", HISTFILE="/dev/null", INPUTRC="/dev/null"))
        shown = ""

        def until(word):
            nonlocal shown
            deadline = time.time() + 20
            while word not in shown and time.time() < deadline:
                if select.select([terminal], [], [], 0.2)[0]:
                    shown += os.read(terminal, 65536).decode(errors="replace")
            self.assertIn(word, shown)
            shown = ""

        try:
            until("ready> ")
            os.write(terminal, b"source ./completion\n")
            until("ready> ")
            os.write(terminal, b"photofinish con\t--find\tF1 --tol\t")
            until("photofinish confirm --finding F1 --tolerance ")
        finally:
            os.write(terminal, b"\x15exit\n")
            os.close(terminal)
            os.waitpid(child, 0)

    def test_other_shells(self):
        for shell, check in (("zsh", ["zsh", "-n"]), ("fish", ["fish", "--no-execute"])):
            script = self.photofinish("completion", shell)
            self.assertEqual(script.code, 0, script)
            for command in commands_of(self.photofinish("--help").out):
                self.assertIn(command, script.out)
            if shutil.which(shell):
                result = self.run_(*check, self.write("script", script.out))
                self.assertEqual((result.code, result.err), (0, ""), result)
        if shutil.which("fish"):
            self.write("script", self.photofinish("completion", "fish").out)
            offered = self.run_("fish", "-c", 'source ./script; complete -C"photofinish con"; complete -C"photofinish check --mpi "')
            self.assertEqual([line.split("\t")[0] for line in offered.out.splitlines()], ["confirm", "auto", "mpich", "openmpi"], offered)
        self.assertSays(self.photofinish("completion", "tcsh"), r"tcsh", 64)


if __name__ == "__main__":
    cli_test.main()
