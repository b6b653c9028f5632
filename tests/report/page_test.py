"""The HTML report in a real browser: it renders, filters, sorts, expands, links work, keys work, it prints, nothing is fetched, and the console stays empty.

  page_test.py --photofinish BIN --mpi openmpi|mpich [--yield-preload LIB] [unittest arguments]
  BIG_RUN: the program of big_run.cpp. SCREENSHOTS: a folder for pictures of what was tested, to be looked at.
"""
import os
import shutil
import subprocess
import unittest

from browser import Browser, find_browser
from report_test import ROOT, ReportCase, cli_test

SECONDS_TO_OPEN = 2.0


@unittest.skipUnless(find_browser(), "needs chromium")
class PageCase(ReportCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.browser = Browser()
        cls.addClassCleanup(cls.browser.close)

    def setUp(self):
        super().setUp()
        self.browser.complaints.clear()
        self.browser.events.clear()

    def tearDown(self):
        # Whatever a test did: nothing went wrong, nothing was asked for, and nothing is on the page that was meant to be something else.
        self.assertNotRegex(self.run_js("document.body.textContent.replace(document.getElementById('report-data')?.textContent || '', '').split('(() => {')[0]"), r"\[object |undefined|NaN")
        self.assertEqual(self.browser.complaints, [])
        self.assertEqual(self.browser.requests(), [])

    def page(self, name, *words, anchor="", code=66):
        self.report(name, "--format", "html", *words, code=code)
        return self.browser.open(self.path(name + ".run/report.html"), anchor)

    def run_js(self, expression):
        return self.browser.run(expression)

    def texts(self, selector):
        return self.run_js(f"[...document.querySelectorAll({selector!r})].map(e => e.textContent)")

    def count(self, selector):
        return self.run_js(f"document.querySelectorAll({selector!r}).length")

    def settle(self):
        self.run_js("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def shoot(self, name, whole=True):
        if os.environ.get("SCREENSHOTS"):
            self.settle()
            self.browser.screenshot(os.path.join(os.environ["SCREENSHOTS"], name + ".png"), whole)


class Page(PageCase):
    programs = ("race", "buffer", "gather", "knapsack")

    def test_both_sources_with_their_lines(self):
        self.page("race", anchor="#F1")
        self.assertEqual(self.texts("#F1 pre.code .here"), ["    MPI_Put(&seven, 1, MPI_INT, 1, 0, 1, MPI_INT, win);", "    MPI_Get(&got, 1, MPI_INT, 1, 0, 1, MPI_INT, win);"])
        self.assertEqual(self.run_js("[...document.querySelectorAll('#F1 pre.code .here')].map(e => e.dataset.line)"), ["18", "26"])
        tops = self.run_js("[...document.querySelectorAll('#F1 .end')].map(e => Math.round(e.getBoundingClientRect().top))")
        self.assertEqual(tops[0], tops[1])
        self.assertIn("The accesses are concurrent", self.texts("#F1 .why")[0])
        self.assertIn("Try:", self.texts("#F1 .try")[0])
        self.shoot("race")

    def test_a_picture_of_each_kind(self):
        for name in self.programs:
            with self.subTest(name):
                self.page(name, anchor="#F1")
                self.settle()
                lanes = self.texts("#F1 svg .rank")
                self.assertGreaterEqual(len(lanes), 1)
                self.assertGreater(self.count("#F1 svg .step"), 2)
                self.assertEqual(self.count("#F1 svg .missing"), 1)
                self.assertEqual(self.texts("#F1 svg .missing-text"), ["concurrent"])
                badges = self.texts("#F1 svg .badge-text")
                self.assertEqual(sorted(badges)[:2], ["A", "B"])
                # What is drawn is in the picture, and each step is told in words as well.
                self.assertEqual(self.count("#F1 svg .step"), self.count("#F1 .words ol > li"))
                self.shoot("picture-" + name)

    def test_the_picture_shows_the_race(self):
        self.page("race", anchor="#F1")
        self.settle()
        self.assertEqual(self.texts("#F1 svg .rank"), ["rank 0", "rank 1", "rank 2"])
        self.assertEqual(self.count("#F1 svg .access"), 2)
        self.assertEqual(self.count("#F1 svg .landing"), 2)
        self.assertEqual(self.count("#F1 svg .clash"), 1)
        self.assertEqual(self.count("#F1 svg .epoch"), 2)
        self.assertGreaterEqual(self.count("#F1 svg .join"), 2)
        begins = self.run_js("[...document.querySelectorAll('#F1 svg .flight')].map(e => e.getAttribute('x'))")
        self.assertEqual(begins[0], begins[1])  # nothing orders them: they stand side by side

    def test_labels_lie_above_arrows(self):
        for name in self.programs:
            self.page(name, anchor="#F1")
            self.settle()
            self.assertEqual(self.count("#F1 svg .label:not(.epoch-label)"), self.count("#F1 svg .step"))
            self.assertEqual(self.count("#F1 svg .epoch .label"), 0)
            self.assertTrue(self.run_js("(() => { const all = [...document.querySelectorAll('#F1 svg *')], first = all.findIndex(e => e.matches('.label')); return all.slice(first).every(e => !e.matches('.arrow, .access, .flight, .missing')); })()"), name)

    def test_the_picture_shows_messages(self):
        self.page("gather", anchor="#F1")
        self.settle()
        self.assertEqual(self.count("#F1 svg .access"), self.count("#F1 svg .access.could") + 1)
        self.assertGreaterEqual(self.count("#F1 svg .access.could"), 1)

    def test_on_a_phone_the_race_is_in_view(self):
        self.addCleanup(self.browser.page, "Emulation.clearDeviceMetricsOverride")
        self.browser.page("Emulation.setDeviceMetricsOverride", width=390, height=844, deviceScaleFactor=1, mobile=True)
        self.page("knapsack")
        self.settle()
        self.assertEqual(self.run_js("document.documentElement.scrollWidth"), 390)
        self.assertTrue(self.run_js("document.querySelector('#F1 .row').getBoundingClientRect().bottom < innerHeight"), "findings come first")
        self.shoot("phone-list", whole=False)
        for name in self.programs:
            with self.subTest(name):
                self.page(name, anchor="#F1")
                self.settle()
                self.settle()
                edges = self.run_js("(() => { const box = document.querySelector('#F1 svg').getBoundingClientRect(); return [...document.querySelectorAll('#F1 svg .badge')].map(e => e.getBoundingClientRect()).map(b => [b.left - box.left - 92, box.right - b.right, innerHeight - b.top]); })()")
                self.assertGreaterEqual(len(edges), 2)
                for left, right, below in edges:
                    self.assertGreaterEqual(left, -12, edges)  # right of the names of the lanes
                    self.assertGreaterEqual(right, 0, edges)
                if name == "knapsack":
                    self.assertTrue(all(below > 0 for _, _, below in edges), edges)
                self.shoot("phone-" + name, whole=False)

    def test_the_bar_covers_no_finding(self):
        self.addCleanup(self.browser.page, "Emulation.clearDeviceMetricsOverride")
        for width in (970, 1280):
            self.browser.page("Emulation.setDeviceMetricsOverride", width=width, height=600, deviceScaleFactor=1, mobile=False)
            self.page("knapsack", anchor="#F2")
            # However many lines the filters need.
            self.run_js("document.getElementById('filters').append(...Array.from({length: 8}, () => Object.assign(document.createElement('button'), {textContent: 'one more filter, with a long name'})))")
            self.settle()
            self.run_js("document.getElementById('F2').scrollIntoView()")
            self.settle()
            self.assertTrue(self.run_js("document.querySelector('#F2 .row').getBoundingClientRect().top >= document.querySelector('.bar').getBoundingClientRect().bottom"), width)

    def test_copies(self):
        self.page("race", anchor="#F1")
        self.run_js("window.copied = []; Object.defineProperty(navigator, 'clipboard', {value: {writeText: async (text) => { window.copied.push(text); }}})")
        self.run_js("document.querySelectorAll('#F1 .copy').forEach((button) => button.click())")
        self.settle()
        copied = self.run_js("window.copied")
        self.assertEqual([text.rsplit("/", 1)[-1] for text in copied[:2]], ["race.c:18", "race.c:26"])
        self.assertEqual(copied[2], "photofinish confirm race.run --finding F1")
        self.assertRegex(copied[3], r"(?s)^one-sided race \[F1\] predicted: .*\n    #0 main .*race\.c:18:5\n.*\n  The accesses are concurrent.*\n  Try: .*\n$")
        self.assertEqual(set(self.texts("#F1 .copy")), {"Copied"})

    def test_help_and_ends_of_ranks(self):
        self.page("race", anchor="#F1")
        self.assertEqual(self.texts("#ends li"), ["all 3 ranks: exit 0"])
        self.assertIn("no happens-before path", self.texts("#F1 .about")[0])
        page = self.run_js("decodeURI(new URL(document.querySelector('#F1 .about a').href).pathname)")
        self.assertTrue(page.endswith("docs/findings/one-sided-race.md") and os.path.exists(page), page)

    def test_long_lines_scroll(self):
        os.makedirs(self.path("long"))
        with open(os.path.join(ROOT, "examples/race.c")) as source, open(self.path("long/app.c"), "w") as app:
            app.write(source.read().replace("MPI_Put(&seven", "/* " + "long " * 60 + "*/ MPI_Put(&seven"))
        self.record("app.c", "app", 3, self.path("long"))
        self.run_(cli_test.arguments.photofinish, "report", "long/app.run", "--format", "html")
        self.browser.open(self.path("long/app.run/report.html"), "#F1")
        self.assertTrue(self.run_js("(() => { const code = document.querySelector('#F1 pre.code'); return code.scrollWidth > code.clientWidth; })()"))
        self.assertTrue(self.run_js("document.documentElement.scrollWidth <= innerWidth"))

    def test_zoom_and_pan(self):
        self.page("race", anchor="#F1")
        self.settle()
        place = "document.querySelector('#F1 svg .flight').getBoundingClientRect().x"
        width = "document.querySelector('#F1 svg .flight').getBoundingClientRect().width"
        before_x, before_width = self.run_js(place), self.run_js(width)
        self.run_js("document.querySelector('#F1 svg').focus()")
        for _ in range(4):
            self.browser.key("+")
        self.settle()
        self.assertGreater(self.run_js(width), before_width * 1.5)
        x = self.run_js(place)
        self.browser.key("ArrowRight")
        self.settle()
        self.assertLess(self.run_js(place), x)
        self.browser.key("0")
        self.settle()
        self.assertAlmostEqual(self.run_js(place), before_x, delta=1)
        self.run_js("document.querySelector('#F1 .controls button[aria-label=\"Zoom in\"]').click()")
        self.settle()
        self.assertGreater(self.run_js(width), before_width)

    def test_expands_and_shuts(self):
        self.page("knapsack")
        self.assertEqual(self.count("#list > li"), 2)
        self.assertEqual(self.count(".detail"), 0)
        self.run_js("document.querySelector('#F2 .row').click()")
        self.assertEqual(self.run_js("document.querySelector('#F2 .row').getAttribute('aria-expanded')"), "true")
        self.assertEqual(self.count("#F2 .detail"), 1)
        self.assertEqual(self.run_js("location.hash"), "#F2")
        self.run_js("document.querySelector('#F2 .row').click()")
        self.assertEqual(self.count(".detail"), 0)

    def test_links(self):
        self.page("knapsack", anchor="#F2")
        self.assertEqual(self.count("#F2 .detail"), 1)
        self.assertEqual(self.count("#F1 .detail"), 0)
        self.run_js("location.hash = '#F1'")
        self.browser.wait_for("document.querySelectorAll('#F1 .detail').length === 1")
        # Also when a filter hides what the link is to.
        self.run_js("(() => { const i = document.querySelector('#filters input'); i.value = 'nothing like it'; i.dispatchEvent(new Event('input')); })()")
        self.assertEqual(self.count("#list > li"), 0)
        self.run_js("location.hash = '#F2'")
        self.browser.wait_for("document.querySelectorAll('#F2 .detail').length === 1")

    def test_filters_and_sorts(self):
        self.page("knapsack")
        lines = [self.json("knapsack")["findings"][i]["ends"][0]["stack"][0]["line"] for i in (0, 1)]
        search = "(() => {{ const i = document.querySelector('#filters input'); i.value = {!r}; i.dispatchEvent(new Event('input')); }})()"
        self.run_js(search.format(f"knapsack.c:{lines[1]}"))
        self.assertEqual(self.texts("#list .id"), ["F2"])
        self.assertIn("1 of 2 findings shown", self.texts("#shown")[0])
        self.run_js(search.format(""))
        self.assertEqual(self.texts("#list .id"), ["F1", "F2"])
        self.run_js("document.querySelector('#filters button').click()")
        self.assertEqual(self.texts("#list .id"), ["F2", "F1"])
        self.run_js("(() => { const i = document.querySelector('#filters [name=rank]'); i.value = '1'; i.dispatchEvent(new Event('input')); })()")
        self.assertEqual(self.count("#list > li"), 0)

    def test_keys(self):
        self.page("knapsack")
        self.browser.key("j")
        self.assertEqual(self.run_js("document.activeElement.closest('li').id"), "F1")
        self.browser.key("j")
        self.assertEqual(self.run_js("document.activeElement.closest('li').id"), "F2")
        self.browser.key("e")
        self.assertEqual(self.count(".detail"), 2)
        self.browser.key("c")
        self.assertEqual(self.count(".detail"), 0)
        self.browser.key("/")
        self.assertEqual(self.run_js("document.activeElement.type"), "search")
        self.browser.key("Escape")
        self.browser.key("?")
        self.assertTrue(self.run_js("document.getElementById('keys').open"))

    def test_dark_and_light(self):
        self.page("race", anchor="#F1")
        colour = "getComputedStyle(document.body).backgroundColor"
        light = self.run_js(colour)
        self.run_js("document.getElementById('theme').click()")
        dark = self.run_js(colour)
        self.assertNotEqual(light, dark)
        self.shoot("race-dark")
        self.browser.page("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
        self.addCleanup(self.browser.page, "Emulation.setEmulatedMedia", features=[])
        self.page("race", anchor="#F1")
        self.assertEqual(self.run_js(colour), dark)

    def test_prints(self):
        self.page("knapsack")
        pdf = self.path("page.pdf")
        self.browser.pdf(pdf)
        with open(pdf, "rb") as file:
            self.assertTrue(file.read(5) == b"%PDF-")
        self.assertGreater(os.path.getsize(pdf), 20000)  # with its pictures
        self.run_js("window.dispatchEvent(new Event('beforeprint'))")
        self.assertEqual(self.count(".detail"), 2)
        self.run_js("window.dispatchEvent(new Event('afterprint'))")
        self.assertEqual(self.count(".detail"), 0)

    def test_for_screen_readers(self):
        self.page("knapsack", anchor="#F1")
        tree = self.browser.page("Accessibility.getFullAXTree")["nodes"]
        named = [(node["role"]["value"], node.get("name", {}).get("value", "")) for node in tree if not node.get("ignored")]
        for role in ("button", "image", "combobox", "searchbox"):
            unnamed = [name for kind, name in named if kind == role and not name.strip()]
            self.assertEqual(unnamed, [], f"a {role} without a name")
        self.assertTrue(any(role == "image" and "concurrent" in name for role, name in named), named)
        self.assertTrue(any(role == "main" for role, _ in named))
        self.assertTrue(any(role == "heading" and name == "Findings" for role, name in named))

    def test_a_source_that_is_gone(self):
        os.makedirs(self.path("gone"))
        shutil.copy(os.path.join(ROOT, "examples/race.c"), self.path("gone/app.c"))
        result = self.record("app.c", "app", 3, self.path("gone"))
        self.assertEqual(result.code, 66, result)
        os.unlink(self.path("gone/app.c"))
        self.run_(cli_test.arguments.photofinish, "report", "gone/app.run", "--format", "html")
        self.browser.open(self.path("gone/app.run/report.html"), "#F1")
        self.assertEqual(self.count("#F1 pre.code"), 0)
        self.assertIn("could not be read", " ".join(self.texts("#F1 .end")))

    def test_a_trace_that_is_gone(self):
        os.unlink(self.path("race.run/rank-000002.trace"))
        self.page("race", anchor="#F1")
        self.settle()
        self.assertEqual(self.texts("#F1 svg .badge-text"), ["A"])
        self.assertIn("its trace could not be read", " ".join(self.texts("#F1 svg text")))
        self.assertIn("No stack is known: race.run/rank-000002.trace: No such file", self.texts("#F1 .end")[1])

    def test_what_a_program_is_called_is_only_text(self):
        with open(os.path.join(ROOT, "examples/race.c")) as file:
            self.write("odd.c", file.read().replace('"mailbox"', '"</script><img src=x onerror=alert(1)>"'))
        result = self.record(self.path("odd.c"), "odd", 3, self.dir)
        self.assertEqual(result.code, 66, result)
        self.page("odd", anchor="#F1")
        self.assertEqual(self.count("img"), 0)
        self.assertIn("</script><img", self.texts("#F1 .facts")[0])

    def test_suppressed_ones_are_hidden_until_wanted(self):
        self.write("my.supp", "race:best\nrace:main\n")
        self.page("knapsack", "--suppressions", "my.supp", code=0)
        self.assertEqual(self.count("#list > li"), 0)
        self.run_js("document.querySelector('#filters [name=hidden]').click()")
        self.assertEqual(self.count("#list > li"), 2)

    def test_without_findings(self):
        result = self.record(os.path.join(ROOT, "examples/race.c"), "fixed", 3, self.dir, "-DFIXED")
        self.assertEqual(result.code, 0, result)
        self.page("fixed", code=0)
        self.assertEqual(self.texts("#headline"), ["no findings (loads and stores not checked)"])
        self.assertEqual(self.texts("#shown"), ["No findings."])
        self.shoot("none")

    def test_deadlocks(self):
        result = self.record(os.path.join(ROOT, "tests/programs/messages/ring.c"), "ring", 4, self.dir)
        self.assertEqual(result.code, 0, result)
        self.page("ring", code=0)
        told = self.texts("#deadlocks")[0]
        self.assertIn("Deadlock if sends are not buffered", told)
        for rank in range(4):
            self.assertIn(f"rank {rank} waits in MPI_Send", told)
        self.assertIn("Try: MPI_Sendrecv", told)
        # A ring: a box for each rank, and an arrow to the one that it would wait for.
        self.assertEqual(self.texts("#deadlocks .waiter .rank"), [f"rank {rank}" for rank in range(4)])
        self.assertEqual(self.count("#deadlocks svg.waits .wait"), 4)
        self.assertEqual(self.count("#deadlocks svg.waits.real"), 0)
        self.assertEqual(len(set(self.texts("#deadlocks .waiter .soft"))), 1)
        self.assertRegex(self.texts("#deadlocks .line.here")[0], "MPI_Send")
        self.shoot("deadlock")

    def test_a_deadlock_on_a_phone(self):
        """Two boxes below each other, which can be read, and nothing is cut."""
        self.addCleanup(self.browser.page, "Emulation.clearDeviceMetricsOverride")
        self.browser.page("Emulation.setDeviceMetricsOverride", width=390, height=844, deviceScaleFactor=1, mobile=True)
        result = self.record(os.path.join(ROOT, "examples/findings/head_to_head.c"), "head_to_head", 2, self.dir)
        self.assertEqual(result.code, 0, result)
        self.page("head_to_head", code=0)
        self.settle()
        self.assertEqual(self.run_js("document.documentElement.scrollWidth"), 390)
        self.assertEqual(self.run_js("new Set([...document.querySelectorAll('#deadlocks .waiter rect')].map(e => e.getBoundingClientRect().x)).size"), 1)
        self.assertGreater(self.run_js("document.querySelector('#deadlocks .waiter .soft').getBoundingClientRect().height"), 9)
        self.shoot("phone-deadlock")

    def test_a_deadlock_that_came_about(self):
        self.deadlock(self.dir)
        self.page("stuck")
        self.assertEqual(self.texts("#headline"), ["1 deadlock"])
        self.assertEqual(self.texts("#shown"), ["No other findings."])
        self.assertEqual(self.texts("#deadlocks .waiter .rank"), ["rank 0", "rank 1", "rank 2"])
        self.assertEqual(self.count("#deadlocks svg.waits.real .wait"), 3)
        self.assertRegex(self.texts("#ends li.bad")[0], "rank")
        self.shoot("deadlock")

    def test_a_receive_that_got_nothing(self):
        result = self.record(os.path.join(ROOT, "tests/programs/messages/cancelled.c"), "cancelled", 2, self.dir)
        self.assertEqual(result.code, 66, result)
        self.page("cancelled", anchor="#F1")
        self.settle()
        self.assertEqual(self.texts("#F1 .end header b"), ["R", "–", "B"])
        self.assertEqual(self.count("#F1 svg .missing"), 1)
        self.assertEqual(self.count("#F1 svg .access.could"), 1)

    def test_confirmed(self):
        confirmed = self.photofinish("confirm", "race.run")
        self.assertEqual(confirmed.code, 66, confirmed)
        self.page("race", anchor="#F1")
        self.assertEqual(self.texts("#F1 .row .state"), ["confirmed, harmful"])
        self.assertIn("+ got 0", self.texts("#F1 .difference")[0])
        self.shoot("confirmed")
        # The longest state ends before what stands beside it begins, wherever they are on one line.
        self.addCleanup(self.browser.page, "Emulation.clearDeviceMetricsOverride")
        self.run_js("document.querySelector('#F1 .row .state').textContent = 'confirmed, same outcome'")
        for width in (970, 1280, 1600):
            self.browser.page("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
            self.settle()
            self.assertTrue(self.run_js("document.querySelector('#F1 .row .state').getBoundingClientRect().right < document.querySelector('#F1 .row .state-cell').nextSibling.getBoundingClientRect().left"), width)
            self.assertEqual(self.run_js("document.documentElement.scrollWidth"), width)
        self.browser.page("Emulation.setDeviceMetricsOverride", width=390, height=844, deviceScaleFactor=1, mobile=True)
        self.settle()
        self.assertTrue(self.run_js("[...document.querySelectorAll('#F1 .row .state, #F1 .row .turn')].every(e => e.getBoundingClientRect().right < document.querySelector('#F1 .row').getBoundingClientRect().right - 4)"))


@unittest.skipUnless(os.environ.get("BIG_RUN"), "needs BIG_RUN")
class Big(PageCase):
    """A thousand findings, a thousand ranks, a million events."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.run_directory = os.path.join(cls.home, "big.run")
        subprocess.run([os.environ["BIG_RUN"], cls.run_directory, "1024", "1000", "1000000"], check=True, timeout=600)
        subprocess.run([cli_test.arguments.photofinish, "report", cls.run_directory, "--format", "html"], timeout=600, stdout=subprocess.DEVNULL)

    def test_opens_and_stays_smooth(self):
        page = os.path.join(self.run_directory, "report.html")
        # The machine may have other things to do: the best of three.
        took = min(self.browser.open(page) for _ in range(3))
        print(f"opened in {took:.2f} s, {os.path.getsize(page) / 1e6:.1f} MB")
        self.assertLess(took, SECONDS_TO_OPEN)
        self.assertEqual(self.count("#list > li"), 1000)
        self.assertIn("999,424", self.texts(".facts")[0])  # events: the nearest to a million that 1024 ranks can share evenly
        # Filtering, opening and scrolling: each well under what one notices as a hitch, on a machine that has nothing else to do.
        steps = {
            "filter": "(() => { const i = document.querySelector('#filters input'); i.value = 'F99'; i.dispatchEvent(new Event('input')); document.body.offsetHeight; })()",
            "unfilter": "(() => { const i = document.querySelector('#filters input'); i.value = ''; i.dispatchEvent(new Event('input')); document.body.offsetHeight; })()",
            "sort": "(() => { const i = document.querySelector('#filters [name=sort]'); i.value = 'times'; i.dispatchEvent(new Event('change')); document.body.offsetHeight; })()",
            "open": "(() => { document.querySelector('#F500 .row').click(); document.body.offsetHeight; })()",
            "scroll": "(() => { scrollTo(0, 20000); document.body.offsetHeight; })()",
        }
        for name, expression in steps.items():
            seconds = self.timed(expression)
            print(f"{name}: {seconds * 1000:.0f} ms")
            self.assertLess(seconds, 0.5, name)
        self.assertEqual(self.count("#F500 .detail"), 1)
        self.assertGreater(self.count("#F500 svg .step"), 5)
        self.run_js("document.querySelector('#F500').scrollIntoView()")
        self.shoot("big", whole=False)

    def timed(self, expression):
        return self.run_js(f"(() => {{ const begin = performance.now(); {expression}; return performance.now() - begin; }})()") / 1000

    def test_small_enough_to_be_sent(self):
        self.assertLess(os.path.getsize(os.path.join(self.run_directory, "report.html")), 20e6)


if __name__ == "__main__":
    cli_test.main()
