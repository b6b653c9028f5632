"""Reports of real runs, in every format: text, JSON, SARIF, Perfetto, OTF2; suppressions, baselines and diff. The page has its own test, page_test.py.

  report_test.py --photofinish BIN --mpi openmpi|mpich [--yield-preload LIB] [unittest arguments]
"""
import json
import os
import re
import shutil
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tests", "cli"))
import cli_test  # noqa: E402
from cli_test import Case, Run  # noqa: E402
import perfetto_trace  # noqa: E402
from sarif_rules import broken_rules  # noqa: E402

PROGRAMS = {  # a race of each kind: name, source, ranks
    "race": ("examples/race.c", 3),
    "buffer": ("tests/programs/rma/buffer_isend.c", 2),
    "gather": ("tests/programs/messages/gather_any_source.c", 4),
    "knapsack": ("examples/races/knapsack.c", 3),
}


class ReportCase(Case):
    """Recorded once for all tests of a class, in `home`; each test works in a copy."""
    programs = ()

    @classmethod
    def setUpClass(cls):
        cls.home = tempfile.mkdtemp(prefix="photofinish-report-")
        cls.addClassCleanup(shutil.rmtree, cls.home, ignore_errors=True)
        for name in cls.programs:
            source, ranks = PROGRAMS[name]
            result = cls.record(os.path.join(ROOT, source), name, ranks, cls.home, loads=source.startswith("examples/races/"))
            assert result.code == 66, result

    @staticmethod
    def deadlock(where):
        """A run, stuck.run, whose three ranks wait for each other in a ring."""
        built = Run(f"mpicc.{cli_test.arguments.mpi}", "-g", "-w", os.path.join(ROOT, "tests/cli/waits.c"), "-o", "stuck", cwd=where)
        assert built.code == 0, built
        result = Run(cli_test.arguments.photofinish, "check", "-n", "3", "-o", "stuck.run", "./stuck", "ring", cwd=where, interrupt=cli_test.interrupt_behind("started"))
        assert result.code == 71, result

    @staticmethod
    def record(source, name, ranks, where, *flags, options=(), loads=False):
        """`loads`: built with the pass."""
        wrapper = [os.path.join(os.path.dirname(cli_test.arguments.photofinish), "pfmpicc"), f"--mpi={cli_test.arguments.mpi}"]
        built = Run(*(wrapper if loads else [f"mpicc.{cli_test.arguments.mpi}"]), "-g", "-O1", "-w", source, *flags, "-o", name, cwd=where)
        assert built.code == 0, built
        return Run(cli_test.arguments.photofinish, "check", "-n", str(ranks), "-o", name + ".run", *options, "./" + name, cwd=where)

    def setUp(self):
        super().setUp()
        for name in self.programs:
            shutil.copytree(os.path.join(self.home, name + ".run"), self.path(name + ".run"))
            shutil.copy(os.path.join(self.home, name), self.path(name))

    def report(self, name, *words, code=66):
        result = self.photofinish("report", name + ".run", *words)
        self.assertEqual(result.code, code, result)
        return result.out

    def json(self, name, *words, code=66):
        return json.loads(self.report(name, "--format", "json", *words, code=code))


class Formats(ReportCase):
    programs = ("race", "buffer", "gather", "knapsack")

    def test_json_is_as_its_schema_says(self):
        import jsonschema
        with open(os.path.join(ROOT, "docs", "report.schema.json")) as file:
            schema = json.load(file)
        jsonschema.Draft7Validator.check_schema(schema)
        # Absolute, so that a reference from another schema means this one wherever it lies.
        self.assertEqual(schema["$id"], f"urn:photofinish:report:{self.json('race')['version']}")
        validator = jsonschema.Draft7Validator(schema)
        for name in self.programs:
            with self.subTest(name):
                report = self.json(name)
                self.assertEqual([error.message for error in validator.iter_errors(report)], [])
                self.assertTrue(report["findings"])
                # A schema that lets everything through would be none.
                for broken in ({**report, "more": 1}, {**report, "findings": [{**report["findings"][0], "kind": "race"}]}):
                    self.assertTrue(list(validator.iter_errors(broken)))

    def test_json_says_what_the_text_says(self):
        for name in self.programs:
            text, report = self.report(name), self.json(name)
            for finding in report["findings"]:
                with self.subTest(name + " " + finding["id"]):
                    self.assertIn(f"{finding['name']} [{finding['id']}] {finding['stateText']}", text)
                    for words in [finding["why"], finding["advice"], *(end["text"] for end in finding["ends"])]:
                        self.assertIn(words + "\n", text)
                    for end in finding["ends"]:
                        self.assertRegex(end["stack"][0]["file"], r"\.[ch]$")
            self.assertEqual(text.count("WARNING: photofinish:"), len(report["findings"]))

    def test_json_of_a_race(self):
        finding, = self.json("race")["findings"]
        self.assertEqual([end["access"] for end in finding["ends"]], ["put", "get"])
        self.assertEqual([end["stack"][0]["line"] for end in finding["ends"]], [18, 26])
        self.assertEqual([end["source"] for end in finding["ends"]], ["MPI_Put(&seven, 1, MPI_INT, 1, 0, 1, MPI_INT, win);", "MPI_Get(&got, 1, MPI_INT, 1, 0, 1, MPI_INT, win);"])
        self.assertEqual([end["opened"]["call"] for end in finding["ends"]], ["MPI_Win_lock"] * 2)
        self.assertEqual(finding["memory"]["window"], "mailbox")
        self.assertEqual(finding["identity"], "one-sided-race: get main race.c / put main race.c")

    def test_sarif(self):
        kinds = {"race": "one-sided-race", "buffer": "buffer-race", "gather": "message-race", "knapsack": "one-sided-race"}
        for name in self.programs:
            with self.subTest(name):
                log = json.loads(self.report(name, "--format", "sarif"))
                self.assertEqual(broken_rules(log), [])
                results, findings = log["runs"][0]["results"], self.json(name)["findings"]
                self.assertEqual(len(results), len(findings))
                for result, finding in zip(results, findings):
                    self.assertEqual(result["ruleId"], kinds[name])
                    self.assertEqual(result["partialFingerprints"]["photofinish/v1"], finding["fingerprint"])
                    self.assertTrue(result["relatedLocations"])
                    ranks = {end["rank"] for end in finding["ends"]}
                    self.assertEqual({flow["id"] for flow in result["codeFlows"][0]["threadFlows"]}, {f"rank {rank}" for rank in ranks})
                    self.assertIn(finding["why"], result["message"]["text"])

    def test_sarif_rules_find_what_is_broken(self):
        whole = self.report("race", "--format", "sarif")
        for pattern, other in [('"version": "2.1.0"', '"version": "2.0"'), ('"startLine": 18', '"startLine": 0'), ('"ruleId": "one-sided-race"', '"ruleId": "race"'),
                               ('"message"', '"massage"'), ('"warning"', '"bad"'), ('"threadFlows"', '"flows"'), ('"ruleIndex": 0', '"ruleIndex": 1'), ('"photofinish/v1"', '"photofinish"'),
                               ('"uri": "', '"uri": "./'), ('"semanticVersion": "', '"semanticVersion": "v'), ('"id": "rank 2"', '"id": "rank 0"'), ('"mpi",', '"race",')]:
            with self.subTest(pattern):
                self.assertIn(pattern, whole)
                self.assertTrue(broken_rules(json.loads(whole.replace(pattern, other))))

    def test_a_deadlock(self):
        import jsonschema
        self.deadlock(self.dir)
        report = self.json("stuck")
        with open(os.path.join(ROOT, "docs", "report.schema.json")) as file:
            self.assertEqual([error.message for error in jsonschema.Draft7Validator(json.load(file)).iter_errors(report)], [])
        standstill, = report["deadlocks"]
        self.assertEqual([(wait["rank"], wait["on"]) for wait in standstill["waits"]], [(0, 1), (1, 2), (2, 0)])
        self.assertTrue(all(re.fullmatch(r"MPI_Recv waits\.c:\d+", wait["at"]) for wait in standstill["waits"]))
        log = json.loads(self.report("stuck", "--format", "sarif"))
        self.assertEqual(broken_rules(log), [])
        result, = log["runs"][0]["results"]
        self.assertEqual((result["ruleId"], result["level"]), ("deadlock", "error"))
        self.assertRegex(result["message"]["text"], r"^Deadlock: rank 0 waits in MPI_Recv .* \(tag \d+\) for rank 1; .*rank 2 waits in .* for rank 0\. Try: ")
        self.assertEqual([flow["id"] for flow in result["codeFlows"][0]["threadFlows"]], ["rank 0", "rank 1", "rank 2"])
        # It is in the log, and no finding that a baseline could have.
        self.write("stuck.sarif", json.dumps(log))
        self.assertIn("0 new, 0 gone, 0 unchanged", self.photofinish("diff", "stuck.sarif", "stuck.run").out)

    def test_paths_are_relative_to_the_repository(self):
        os.makedirs(self.path("project/.git"))
        os.makedirs(self.path("project/src"))
        shutil.copy(os.path.join(ROOT, "examples/race.c"), self.path("project/src/race.c"))
        result = self.record("src/race.c", "race", 3, self.path("project"))
        self.assertEqual(result.code, 66, result)
        log = json.loads(self.run_(cli_test.arguments.photofinish, "report", "project/race.run", "--format", "sarif").out)
        self.assertEqual(broken_rules(log), [])
        where = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
        self.assertEqual(where, {"uri": "src/race.c", "uriBaseId": "%SRCROOT%"})
        self.assertEqual(log["runs"][0]["originalUriBaseIds"], {"%SRCROOT%": {"uri": "file://" + os.path.realpath(self.path("project")) + "/"}})

        # A run far from the sources, and a root of one's own.
        os.mkdir(self.path("scratch"))
        shutil.copy(self.path("project/race"), self.path("scratch/race"))
        checked = Run(cli_test.arguments.photofinish, "check", "-n", "3", "./race", cwd=self.path("scratch"))
        self.assertEqual(checked.code, 66, checked)
        for words, uri in (([], "src/race.c"), (["--source-root", "../project/src"], "race.c")):
            log = json.loads(Run(cli_test.arguments.photofinish, "report", "--format", "sarif", *words, cwd=self.path("scratch")).out)
            where = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
            self.assertEqual(where, {"uri": uri, "uriBaseId": "%SRCROOT%"})
        self.assertSays(self.photofinish("report", "race.run", "--source-root", "nowhere"), r"source_root: nowhere is not a directory", 64)

    def test_a_library_without_lines(self):
        """A race inside a library is shown where the user calls it."""
        self.write("inner.c", "#include <mpi.h>\nvoid inner(int *x, MPI_Win win) { MPI_Put(x, 1, MPI_INT, 1, 0, 1, MPI_INT, win); }\n")
        self.write("outer.c", "#include <mpi.h>\nvoid inner(int *, MPI_Win);\nint main(int c, char **v) {\n  int x = 1, *m;\n  MPI_Win win;\n  MPI_Init(&c, &v);\n"
                              "  MPI_Win_allocate(4, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &m, &win);\n  MPI_Win_fence(0, win);\n  inner(&x, win);\n  MPI_Win_fence(0, win);\n"
                              "  MPI_Win_free(&win);\n  MPI_Finalize();\n  return 0;\n}\n")
        built = self.run_(f"mpicc.{cli_test.arguments.mpi}", "-w", "-shared", "-fPIC", "inner.c", "-o", "libboost_inner.so")
        self.assertEqual(built.code, 0, built)
        result = self.record("outer.c", "outer", 2, self.dir, "./libboost_inner.so", "-Wl,-rpath," + self.dir)
        self.assertEqual(result.code, 66, result)
        log = json.loads(self.report("outer", "--format", "sarif"))
        self.assertEqual(broken_rules(log), [])
        found, = log["runs"][0]["results"]
        for location in found["locations"] + found["relatedLocations"]:
            self.assertEqual((location["physicalLocation"]["artifactLocation"]["uri"], location["physicalLocation"]["region"]["startLine"]), ("outer.c", 9), location)
        self.assertIn("put outer.c:9 and put outer.c:9", found["properties"]["title"])
        self.assertIn("race:main|main\n", self.report("outer", "--gen-suppressions"))

    @unittest.skipUnless(shutil.which("flang-new-19"), "needs flang")
    def test_stacks_name_the_fortran_program(self):
        """The program and its parallel region have the program's name. The library that starts threads is left out."""
        wrapper = os.path.join(os.path.dirname(cli_test.arguments.photofinish), "pfmpifort")
        built = self.run_(wrapper, f"--mpi={cli_test.arguments.mpi}", "-g", "-O1", "-fopenmp", os.path.join(ROOT, "tests/programs/hybrid/fortran_region.f90"), "-o", "region")
        self.assertEqual(built.code, 0, built)
        result = self.photofinish("check", "-n", "2", "-o", "region.run", "./region")
        self.assertEqual(result.code, 66, result)
        stacks = [[frame["function"] for frame in end["stack"]] for end in self.json("region")["findings"][0]["ends"]]
        region = "fortran_region (parallel region)"
        self.assertEqual(sorted(stacks), [[region], [region, "fortran_region"]])

    def perfetto(self, name):
        self.report(name, "--format", "perfetto", "-o", "run.pftrace")
        with open(self.path("run.pftrace"), "rb") as file:
            return perfetto_trace.Trace(file.read())

    def test_perfetto(self):
        for name in self.programs:
            with self.subTest(name):
                trace = self.perfetto(name)
                slices = trace.slices()
                dumped = sum(not line.startswith("==") for line in self.photofinish("dump", name + ".run").out.splitlines())
                self.assertEqual(len(slices), dumped)
                self.assertEqual({one["rank"] for one in slices}, set(range(PROGRAMS[name][1])))
                self.assertTrue(all(one["depth"] == 0 and one["args"]["call"].startswith(one["name"]) for one in slices), slices)
                self.assertTrue(any(re.search(r"main \S+\.c:\d+$", one["args"].get("place", "")) for one in slices), slices)
                self.assertEqual(sorted(trace.processes.values()), [f"rank {rank}" for rank in range(PROGRAMS[name][1])])
                for finding in self.json(name)["findings"]:
                    marks = [one for one in trace.instants() if one["name"].startswith(finding["id"] + " ")]
                    self.assertEqual({mark["rank"] for mark in marks}, {end["rank"] for end in finding["ends"]})
                    marks.sort(key=lambda mark: mark["ts"])
                    self.assertEqual(len({flow for mark in marks for flow in mark["flows"] + mark["last_flows"]}), 1)
                    self.assertEqual([len(mark["last_flows"]) for mark in marks], [0] * (len(marks) - 1) + [1])

    def test_perfetto_has_an_arrow_for_each_message(self):
        events = [event for event in self.perfetto("gather").events if event["category"] != "finding"]
        begins = {flow: event for event in events for flow in event["flows"]}
        ends = {flow: event for event in events for flow in event["last_flows"]}
        self.assertEqual(len(begins), 3)
        self.assertEqual(begins.keys(), ends.keys())
        self.assertEqual({event["rank"] for event in begins.values()}, {1, 2, 3})
        self.assertEqual({event["rank"] for event in ends.values()}, {0})

    def test_perfetto_is_small(self):
        """A loop's events take a few bytes each."""
        self.write("loop.c", "#include <mpi.h>\nint main(int c, char **v) { MPI_Init(&c, &v); for (int i = 0; i < 20000; ++i) { int x = i, y;"
                             "MPI_Sendrecv(&x, 1, MPI_INT, 0, 1, &y, 1, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE); } MPI_Finalize(); return 0; }\n")
        self.assertEqual(self.record("loop.c", "loop", 1, self.dir).code, 0)
        self.report("loop", "--format", "perfetto", "-o", "loop.pftrace", code=0)
        with open(self.path("loop.pftrace"), "rb") as file:
            data = file.read()
        trace = perfetto_trace.Trace(data)
        self.assertGreater(len(trace.slices()), 20000)
        self.assertLess(len(data), 32 * len(trace.slices()))

    def test_where_it_goes(self):
        self.assertEqual(self.report("race", "--format", "html"), "race.run/report.html\n")
        self.assertTrue(os.path.getsize(self.path("race.run/report.html")) > 10000)
        for form, begin in [("text", "====="), ("json", "{"), ("sarif", "{"), ("html", "<!doctype html>")]:
            with self.subTest(form):
                self.assertEqual(self.report("race", "--format", form, "-o", "there"), "there\n")
                with open(self.path("there")) as file:
                    self.assertTrue(file.read().startswith(begin))
                self.assertTrue(self.report("race", "--format", form, "-o", "-").startswith(begin))
        self.assertNotIn("there.new", os.listdir(self.dir))
        # The next run may replace one that has a page in it.
        again = self.photofinish("check", "-n", "3", "-o", "race.run", "--overwrite", "./race")
        self.assertEqual(again.code, 66, again)
        self.assertFalse(os.path.exists(self.path("race.run/report.html")))

    def test_check_writes_one_as_well(self):
        for form, name, begin in [("html", "report.html", "<!doctype html>"), ("json", "report.json", "{"), ("sarif", "report.sarif", "{"), ("perfetto", "report.pftrace", "\n")]:
            with self.subTest(form):
                result = self.photofinish("check", "-n", "3", "--format", form, "--overwrite", "./race")
                self.assertEqual(result.code, 66, result)
                self.assertIn("WARNING: photofinish: one-sided race [F1]", result.err)
                self.assertTrue(result.err.endswith(f"\nphotofinish: photofinish.run/{name}\n"), result)
                with open(self.path("photofinish.run/" + name), errors="replace") as file:
                    self.assertTrue(file.read().startswith(begin))
        result = self.photofinish("check", "-n", "3", "--format", "json", "--output-file", "mine.json", "--overwrite", "./race")
        self.assertTrue(result.err.endswith("\nphotofinish: mine.json\n"), result)
        self.assertEqual(sorted(name for name in os.listdir(self.path("photofinish.run")) if name.startswith(("report", "perfetto"))), [])
        self.assertSays(self.photofinish("check", "-n", "3", "--offline", "--format", "json", "-o", "new.run", "./race"), "this run is recorded only, so it has no report yet", 64)

    def test_wrong_usage(self):
        self.assertSays(self.photofinish("report", "race.run", "--format", "xml"), r"--format: xml not in", 64)
        self.assertSays(self.photofinish("report", "race.run", "--format", "json", "-o", "nowhere/file"), r"cannot write nowhere/file", 64)
        self.assertSays(self.photofinish("report", "race.run", "--group-by", "colour"), r"'colour' is not kind, file, window", 64)

    def test_a_run_without_findings(self):
        result = self.record(os.path.join(ROOT, "examples/race.c"), "fixed", 3, self.dir, "-DFIXED")
        self.assertEqual(result.code, 0, result)
        self.assertEqual(self.json("fixed", code=0)["findings"], [])
        self.assertEqual(broken_rules(json.loads(self.report("fixed", "--format", "sarif", code=0))), [])
        self.assertEqual(self.report("fixed", "--format", "html", code=0), "fixed.run/report.html\n")


class Otf2(ReportCase):
    """An archive, as OTF2's own otf2-print reads it."""
    programs = ("race",)

    def archive(self, name, code):
        """Its records: name, location, time, the rest of the line. Skips where there is no OTF2."""
        result = self.photofinish("report", name + ".run", "--format", "otf2")
        if re.search("OTF2 is not installed here|built without OTF2", result.err):
            self.assertSays(result, "--format perfetto needs no library", 70)
            self.skipTest("no OTF2 here")
        self.assertEqual((result.code, result.out, result.err), (code, name + ".run.otf2\n", ""), result)
        if shutil.which("otf2-print") is None:
            self.skipTest("no otf2-print here")
        printed = self.run_("otf2-print", "-Werror", name + ".run.otf2/traces.otf2")
        self.assertEqual((printed.code, printed.err), (0, ""), printed)
        return [found.groups() for found in re.finditer(r"^([A-Z_]+) +(\d+) +(\d+) *(.*)$", printed.out, re.M)]

    def test_every_call_is_entered_and_left(self):
        records = self.archive("race", 66)
        called = [line.split()[2] for line in self.photofinish("dump", "race.run").out.splitlines() if line.startswith(" ")]
        for kind in ("ENTER", "LEAVE"):
            self.assertEqual(sorted(re.search('Region: "(.*?)"', rest)[1] for name, _, _, rest in records if name == kind), sorted(called))
        for rank in "012":
            times = [int(time) for _, location, time, _ in records if location == rank]
            self.assertEqual(times, sorted(times))
        marks = self.run_("otf2-marker", "race.run.otf2/traces.otf2").out
        self.assertRegex(marks, r'Scope: LOCATION:0, Text: "F1 one-sided race: Put of 4 bytes by rank 0 into rank 1')
        self.assertRegex(marks, r'Scope: LOCATION:2, Text: "F1 one-sided race: conflicts with get of 4 bytes by rank 2"')
        definitions = self.run_("otf2-print", "-G", "race.run.otf2/traces.otf2").out
        self.assertRegex(definitions, r'RMA_WIN .*Name: "mailbox"')
        self.assertRegex(definitions, r'COMM .*Name: "MPI_COMM_WORLD"')
        for rank in range(3):
            self.assertRegex(definitions, rf'LOCATION_GROUP .*Name: "MPI Rank {rank}"')

    def test_records(self):
        recorded = self.record(os.path.join(HERE, "records.c"), "records", 2, self.dir)
        self.assertEqual(recorded.code, 0, recorded)
        records = self.archive("records", 0)
        found = lambda *kinds: [(name, location, rest) for name, location, _, rest in records if name in kinds]
        ends = lambda peer, *kinds: sorted((location, *re.search(rf'{peer}: (\d+).*Communicator: "(.*?)".*Tag: (\d+), Length: (\d+)', rest).groups()) for _, location, rest in found(*kinds))
        # Each message has two ends, the same in both: ranks are those of the communicator, turned round in one of them.
        world = {"0": "0", "1": "1"}
        of_rank = lambda comm, rank: world[rank] if comm == "MPI_COMM_WORLD" else "0" if comm == "MPI_COMM_SELF" else str(1 - int(rank))
        sent = sorted((of_rank(comm, at), to, comm, tag, length) for at, to, comm, tag, length in ends("Receiver", "MPI_SEND", "MPI_ISEND"))
        received = sorted((source, of_rank(comm, at), comm, tag, length) for at, source, comm, tag, length in ends("Sender", "MPI_RECV", "MPI_IRECV"))
        self.assertEqual(sent, received)
        self.assertEqual(sorted((tag, length) for _, _, _, tag, length in sent),
                         sorted([("7", "8")] + 2 * [("8", "4")] + 2 * [("9", "12")] + 4 * [("10", "16")] + [("11", "4")] + 2 * [("12", "4")]))
        count = lambda *kinds: len(found(*kinds))
        self.assertEqual((count("MPI_ISEND"), count("MPI_ISEND_COMPLETE"), count("MPI_IRECV_REQUEST"), count("MPI_IRECV")), (6, 6, 6, 6))
        self.assertEqual(count("MPI_COLLECTIVE_BEGIN"), count("MPI_COLLECTIVE_END"))
        for operation, times in (("BARRIER", 4), ("BCAST", 2), ("ALLREDUCE", 2), ("CREATE_HANDLE", 2)):
            self.assertEqual(sum(f"Operation: {operation}" in rest for _, _, rest in found("MPI_COLLECTIVE_END")), times, operation)
        self.assertTrue(all("Root: 1" in rest for _, _, rest in found("MPI_COLLECTIVE_END") if "BCAST" in rest))
        self.assertEqual((count("NON_BLOCKING_COLLECTIVE_REQUEST"), count("NON_BLOCKING_COLLECTIVE_COMPLETE")), (2, 2))
        self.assertEqual((count("RMA_WIN_CREATE"), count("RMA_WIN_DESTROY"), count("RMA_PUT"), count("RMA_GET"), count("RMA_ATOMIC")), (2, 2, 4, 2, 6))
        self.assertEqual((count("RMA_ACQUIRE_LOCK"), count("RMA_RELEASE_LOCK")), (6, 6))
        self.assertTrue(all("Remote: 1" in rest for _, location, rest in found("RMA_PUT", "RMA_GET", "RMA_ATOMIC") if location == "0"))
        # What is started is completed at the target, once.
        matching = lambda *kinds: sorted({(location, re.search(r"Matching: (\d+)", rest)[1]) for _, location, rest in found(*kinds)})
        self.assertEqual(matching("RMA_PUT", "RMA_GET", "RMA_ATOMIC"), matching("RMA_OP_COMPLETE_REMOTE"))

    def test_where_it_goes(self):
        self.archive("race", 66)
        self.report("race", "--format", "otf2", "-o", "there/")
        self.assertEqual(sorted(os.listdir(self.path("there"))), ["traces", "traces.def", "traces.marker", "traces.otf2"])
        self.report("race", "--format", "otf2", "-o", "there")  # an archive is replaced
        os.mkdir(self.path("mine"))
        self.write("mine/thesis.tex", "")
        self.assertSays(self.photofinish("report", "race.run", "--format", "otf2", "-o", "mine"), "mine is not an OTF2 archive; give another folder", 70)
        self.assertEqual(os.listdir(self.path("mine")), ["thesis.tex"])
        self.assertSays(self.photofinish("report", "race.run", "--format", "otf2", "-o", "race/there"), "cannot write race/there", 64)
        self.assertSays(self.photofinish("report", "race.run", "--format", "otf2", "-o", "-"), "an OTF2 archive is a folder", 64)


class Text(ReportCase):
    programs = ("race", "knapsack")

    def test_the_same_at_every_run_of_the_same_trace(self):
        first = self.report("knapsack")
        self.assertEqual(self.report("knapsack"), first)
        self.assertEqual(self.photofinish("analyze", "knapsack.run").out, first)
        self.assertEqual(self.photofinish("analyze", "-n", "2", "knapsack.run").out, first)

    def test_max_findings(self):
        text = self.report("knapsack", "--max-findings", "1")
        self.assertEqual(text.count("WARNING:"), 1)
        self.assertIn("2 one-sided races, the first 1 shown", text)

    def test_group_by(self):
        self.assertRegex(self.report("knapsack", "--group-by", "kind"), r"(?s)^=+\none-sided races · 2 findings\n=+\nWARNING.*\n=+\nWARNING")
        self.assertIn("file knapsack.c · 2 findings\n", self.report("knapsack", "--group-by", "file"))
        self.assertIn("window mailbox · 1 finding\n", self.report("race", "--group-by", "window"))
        self.assertIn("predicted · 2 findings\n", self.report("knapsack", "--group-by", "state"))
        self.assertIn("ranks 0,2 · 1 finding\n", self.report("race", "--group-by", "rank"))


class Suppressions(ReportCase):
    programs = ("race", "gather", "knapsack")

    def suppressed(self, name, *lines, code=0):
        self.write("my.supp", "\n".join(("# what we know of",) + lines) + "\n")
        return self.report(name, "--suppressions", "my.supp", code=code)

    def test_by_function_file_window(self):
        for line in ["race:main", "race:ma*", "race:race.c", "race:*/examples/*", "race:race.c:18", "race:main|main", "window:mail*"]:
            with self.subTest(line):
                text = self.suppressed("race", line)
                self.assertIn("SUMMARY: photofinish: no findings, 1 suppressed", text)
                self.assertIn(f"1 finding was suppressed: 1 by {line} (my.supp:2)", text)
                self.assertNotIn("WARNING", text)
        for line in ["race:main|other", "race:nobody", "message_race:main", "window:other", "race:race.c:19"]:
            with self.subTest(line):
                self.assertIn(f"1 suppression matches no finding: {line} (my.supp:2)", self.suppressed("race", line, code=66))

    def test_of_messages(self):
        self.assertIn("no findings, 1 suppressed", self.suppressed("gather", "message_race:gather_any_source.c"))
        self.suppressed("gather", "race:gather_any_source.c", code=66)

    def test_numbers_stay(self):
        line = self.json("knapsack")["findings"][0]["ends"][0]["stack"][0]["line"]
        text = self.suppressed("knapsack", f"race:knapsack.c:{line}", code=66)
        self.assertIn("[F2]", text)
        self.assertNotIn("[F1]", text)

    def test_in_the_other_formats(self):
        self.write("my.supp", "window:mailbox\nrace:nobody\n")
        report = self.json("race", "--suppressions", "my.supp", code=0)
        self.assertEqual(report["findings"][0]["suppressedBy"], {"text": "window:mailbox", "file": "my.supp", "line": 1, "used": 1})
        self.assertEqual([one["used"] for one in report["suppressions"] if one["file"] == "my.supp"], [1, 0])
        result, = json.loads(self.report("race", "--format", "sarif", "--suppressions", "my.supp", code=0))["runs"][0]["results"]
        self.assertEqual(result["suppressions"][0]["kind"], "external")

    def test_made_by_the_tool(self):
        for name in self.programs:
            with self.subTest(name):
                lines = [line for line in self.report(name, "--gen-suppressions").splitlines() if re.match(r"(race|message_race|window):", line)]
                self.assertEqual(len(lines), len(self.json(name)["findings"]))
                self.assertIn("no findings", self.suppressed(name, *dict.fromkeys(lines)))

    def test_while_it_runs(self):
        self.write("my.supp", "window:mailbox\n")
        result = self.photofinish("check", "-n", "3", "-o", "again.run", "--suppressions", "my.supp", "./race")
        self.assertEqual(result.code, 0, result)
        self.assertIn("no findings, 1 suppressed", result.err)
        by_environment = cli_test.environment(PHOTOFINISH_OPTIONS="suppressions=my.supp")
        self.assertEqual(self.photofinish("report", "race.run", env=by_environment).code, 0)

    def test_what_is_wrong_is_said_before_the_run(self):
        for line, words in [("race main", r"my\.supp:2: 'race main' is not a suppression"), ("race:", r"my\.supp:2: .* empty pattern"), ("deadlock:x", r"my\.supp:2: .* is not a suppression"),
                            ("race:a|b|c", r"my\.supp:2: .* too many patterns"), ("window:a|b", r"my\.supp:2: .* too many patterns")]:
            with self.subTest(line):
                self.write("my.supp", f"# known\n{line}\n")
                self.assertSays(self.photofinish("check", "-n", "3", "-o", "new.run", "--suppressions", "my.supp", "./race"), words, 64)
                self.assertFalse(os.path.exists(self.path("new.run")))
        self.assertSays(self.photofinish("report", "race.run", "--suppressions", "nowhere.supp"), r"nowhere\.supp: No such file", 64)
        self.assertSays(self.photofinish("report", "race.run", "--suppressions", "."), r"Is a directory", 64)


class Diff(ReportCase):
    programs = ("race", "knapsack")

    def compare(self, before, after, code):
        result = self.photofinish("diff", before, after)
        self.assertEqual(result.code, code, result)
        return result.out

    def test_new_gone_same(self):
        self.assertRegex(self.compare("race.run", "race.run", 0), r"^unchanged one-sided race, put race.c:18 and get race.c:26\nSUMMARY: photofinish: 0 new, 0 gone, 1 unchanged · race.run -> race.run\n$")
        self.assertIn("1 new, 2 gone, 0 unchanged", self.compare("knapsack.run", "race.run", 66))
        self.assertRegex(self.compare("race.run", "knapsack.run", 66), r"(?s)^new [^\n]*\nnew [^\n]*\ngone one-sided race, put race.c:18")

    def test_of_reports_in_files(self):
        for form in ("json", "sarif"):
            self.report("race", "--format", form, "-o", "race." + form)
            self.assertIn("0 new, 0 gone, 1 unchanged", self.compare("race." + form, "race.run", 0))
            self.assertIn("2 new, 1 gone, 0 unchanged", self.compare("race." + form, "knapsack.run", 66))

    def test_lines_may_move(self):
        with open(os.path.join(ROOT, "examples/race.c")) as file:
            source = file.read()
        os.makedirs(self.path("moved"))
        self.write("moved/race.c", "// new\n\n" + source.replace("int* memory;", "\n  int* memory;"))
        result = self.record("race.c", "race", 3, self.path("moved"))
        self.assertIn("race.c:21", result.err)
        self.assertIn("0 new, 0 gone, 1 unchanged", self.compare("race.run", "moved/race.run", 0))

    def test_baseline(self):
        self.report("race", "--format", "json", "-o", "known.json")
        for baseline in ["race.run", "known.json"]:
            with self.subTest(baseline):
                result = self.photofinish("check", "-n", "3", "-o", "new.run", "--overwrite", "--baseline", baseline, "./race")
                self.assertEqual(result.code, 0, result)
                self.assertIn("SUMMARY: photofinish: no findings, 1 known", result.err)
                self.assertIn(f"baseline {baseline}: 1 known finding occurred again", result.err)
        result = self.photofinish("check", "-n", "3", "-o", "other.run", "--baseline", "known.json", "./knapsack")
        self.assertEqual(result.code, 66, result)
        self.assertIn("2 one-sided races not in the baseline", result.err)
        self.assertIn("1 did not: photofinish diff lists them", result.err)
        log = json.loads(self.report("race", "--format", "sarif", "--baseline", "race.run", code=0))
        self.assertEqual(log["runs"][0]["results"][0]["baselineState"], "unchanged")
        self.assertEqual(broken_rules(log), [])

    def build_race(self, extra=""):
        """The program at its place, with more lines at its beginning."""
        with open(os.path.join(ROOT, PROGRAMS["race"][0])) as file:
            self.write("own.c", extra + file.read())
        built = self.run_(f"mpicc.{cli_test.arguments.mpi}", "-g", "-O1", "-w", "own.c", "-o", "own")
        self.assertEqual(built.code, 0, built)

    def test_a_run_of_an_earlier_build(self):
        """A run keeps its lines when the program is edited and built again."""
        self.build_race()
        self.photofinish("check", "-n", "3", "-o", "own.run", "./own")
        before = self.report("own")
        self.assertIn("| MPI_Put(", before)
        self.assertIn("own.c:18", before)
        self.build_race("// one line more\n")
        self.assertEqual(self.report("own"), before)
        self.photofinish("check", "-n", "3", "-o", "new.run", "./own")
        self.assertIn("own.c:19", self.report("new"))
        self.assertIn("0 new, 0 gone, 1 unchanged", self.compare("own.run", "new.run", 0))
        os.remove(self.path("own"))
        self.assertEqual(self.report("own"), before)

    def test_a_run_of_an_earlier_build_that_no_report_has_shown(self):
        self.build_race()
        self.photofinish("check", "-n", "3", "-o", "own.run", "./own")
        os.remove(self.path("own.run/symbols.json"))
        self.build_race("// one line more\n")
        self.assertRegex(self.report("own"), r"NOTE: photofinish: \S*/own was rebuilt since this run, so that functions and source lines are unknown\. Run photofinish check again\n")
        for words in (["diff", "own.run", "race.run"], ["report", "knapsack.run", "--baseline", "own.run"]):
            result = self.photofinish(*words)
            self.assertRegex(result.err, r"photofinish: cannot compare own\.run: \S*/own has changed since", result)
            self.assertNotIn(result.code, (0, 66, 67), result)

    def test_a_program_without_lines(self):
        source = os.path.join(ROOT, PROGRAMS["race"][0])
        built = self.run_(f"mpicc.{cli_test.arguments.mpi}", "-w", source, "-o", "bare")
        self.assertEqual(built.code, 0, built)
        result = self.photofinish("check", "-n", "3", "-o", "bare.run", "./bare")
        self.assertRegex(result.err, r"NOTE: photofinish: \S*/bare has no line information: compile with -g to see source lines\n")

    def test_bad_input(self):
        self.assertSays(self.photofinish("diff", "race.run"), r"diff needs two runs: photofinish diff BEFORE AFTER", 64)
        self.assertSays(self.photofinish("diff", "nowhere", "race.run"), r"nowhere: No such file", 64)
        self.write("text", "[1, 2")
        self.assertSays(self.photofinish("diff", "text", "race.run"), r"text is not a baseline: give a run directory, or a report", 64)
        self.write("other.json", '{"findings": [1]}')
        self.assertSays(self.photofinish("diff", "race.run", "other.json"), r"other\.json is not a baseline", 64)
        self.assertSays(self.photofinish("check", "-n", "3", "--baseline", "nowhere", "./race"), r"nowhere: No such file", 64)
        self.assertSays(self.photofinish("check", "-n", "3", "-o", "race.run", "--overwrite", "--baseline", "./race.run", "./race"), r"would be replaced", 64)


if __name__ == "__main__":
    cli_test.main()
