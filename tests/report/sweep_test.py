"""Every program of messages, confirm, rma and annotations that has findings: all formats are what they should be, and the page draws each finding as a race.

  sweep_test.py --photofinish BIN --mpi openmpi|mpich [--yield-preload LIB] [unittest arguments]
"""
import glob
import json
import os
import re

import jsonschema
import perfetto_trace
from page_test import PageCase
from report_test import ROOT, cli_test
from sarif_rules import broken_rules

# Whether the two accesses overlap in the picture, and nothing points to the left.
OVERLAP = """(finding => {
  const until = end => end.end < 0 ? Infinity : end.end, [a, b] = finding.picture.ends;
  if (finding.picture.arrows.some(arrow => arrow[4] < arrow[2])) return "an arrow points to the left";
  if (finding.kind === "message-race") return "";
  if (a.lane < 0 || b.lane < 0) return "a side is not drawn";
  return a.begin < until(b) && b.begin < until(a) ? "" : "the sides stand apart";
})"""


class Sweep(PageCase):
    programs = ()

    def sources(self):
        for folder in ("messages", "confirm", "rma", "annotations"):
            yield from sorted(glob.glob(os.path.join(ROOT, "tests/programs", folder, "*.c")))
        yield from sorted(glob.glob(os.path.join(ROOT, "examples/races/*.c")))

    def test_all(self):
        with open(os.path.join(ROOT, "docs", "report.schema.json")) as file:
            validator = jsonschema.Draft7Validator(json.load(file))
        found = 0
        for path in self.sources():
            name = os.path.splitext(os.path.basename(path))[0]
            with self.subTest(name), open(path) as source:
                text = source.read()
                if re.search(r"run:.* mpi=(?!%s)" % cli_test.arguments.mpi, text):
                    continue
                ranks = re.search(r"run:.*ranks=(\d+)", text)
                result = self.record(path, name, int(ranks.group(1)) if ranks else 4, self.dir, "-lm", f"-I{ROOT}/include")
                if result.code not in (0, 66):
                    continue  # it is meant to fail, and may have no findings
                report = json.loads(self.report(name, "--format", "json", code=result.code))
                self.assertEqual([error.message for error in validator.iter_errors(report)], [])
                self.assertEqual(broken_rules(json.loads(self.report(name, "--format", "sarif", code=result.code))), [])
                self.report(name, "--format", "perfetto", "-o", name + ".pftrace", code=result.code)
                with open(self.path(name + ".pftrace"), "rb") as file:
                    self.assertTrue(perfetto_trace.Trace(file.read()).slices())
                self.look_at_page(name, report["findings"], result.code)
                found += len(report["findings"])
        self.assertGreater(found, 50)

    def look_at_page(self, name, findings, code):
        self.page(name, code=code)
        for finding in findings:
            self.run_js(f"document.querySelector('#{finding['id']} .row[aria-expanded=false]')?.click()")
        self.settle()
        for finding in findings:
            here = "#" + finding["id"]
            self.assertEqual(self.count(here + " svg .missing"), 1, here)
            self.assertIn("B", self.texts(here + " svg .badge-text"), here)
            self.assertEqual(self.run_js(f"{OVERLAP}(JSON.parse(document.getElementById('report-data').textContent).findings[{int(finding['id'][1:]) - 1}])"), "", here)


if __name__ == "__main__":
    cli_test.main()
