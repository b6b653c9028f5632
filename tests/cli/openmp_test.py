"""Programs built with GCC's OpenMP: LLVM's runtime serves them, and where it cannot, the tool says so.

  openmp_test.py --photofinish BIN --mpi openmpi|mpich [--yield-preload LIB] [unittest arguments]
"""
import json

import cli_test
from cli_test import Case, environment

KINDS = ("team", "sections", "tasks")


class OpenMp(Case):
    def findings(self):
        result = self.photofinish("report", "photofinish.run", "--format", "json")
        report = json.loads(result.out)
        return len(report["findings"]), {entry["kind"] for entry in report["limitations"]}

    def judge(self, app, kind, form, **more):
        result = self.photofinish("check", "--overwrite", "-n", "2", app, kind, form, env=environment(**more))
        self.assertIn("done\n", result.out, result)
        return result

    def check_forms(self, app):
        for kind in KINDS:
            for form, code, count in (("racy", 66, 1), ("fixed", 0, 0)):
                with self.subTest(kind=kind, form=form):
                    result = self.judge(app, kind, form)
                    self.assertEqual(result.code, code, result)
                    self.assertEqual(self.findings(), (count, set()), result)
                    self.assertNotIn("OpenMP runtime", result.err, result)

    def test_gcc(self):
        self.check_forms(self.compile("openmp_calls.c", "-fopenmp"))

    def test_function_that_is_not_provided(self):
        """The program runs with its own runtime."""
        app = self.compile("openmp_calls.c", "-fopenmp", "-DMISSING", name="missing")
        result = self.judge(app, "team", "racy")
        self.assertRegex(result.err, r"(?m)^photofinish: \S+missing uses GOMP_scope_start of GCC's OpenMP runtime, which \S+ does not provide: ", result)
        self.assertEqual(result.err.count("GOMP_scope_start"), 1, result)
        self.assertEqual(self.findings(), (0, {"threads"}), result)

    def test_tools_are_disabled(self):
        app = self.compile("openmp_calls.c", "-fopenmp")
        result = self.judge(app, "team", "racy", OMP_TOOL="disabled")
        self.assertEqual(result.err.count("photofinish: OMP_TOOL=disabled: "), 1, result)
        self.assertRegex(result.err, r"\nSUMMARY: photofinish: no findings \(.*threads of a rank not told apart\)", result)
        self.assertEqual(self.findings(), (0, {"threads"}), result)


if __name__ == "__main__":
    cli_test.main()
