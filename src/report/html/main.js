// Builds the page; handles keys, links, themes and printing.
const MOST_PRINTED = 100;
let current = -1;

function focusRow(step) {
  if (!visible.length) return;
  const focused = visible.findIndex((row) => row.item.contains(document.activeElement));
  current = Math.max(0, Math.min(visible.length - 1, (focused >= 0 ? focused : current) + step));
  visible[current].button.focus();
  visible[current].item.scrollIntoView({block: "nearest"});
}

// #F12 opens F12, even if a filter hides it.
function followLink() {
  const id = decodeURIComponent(location.hash.slice(1));
  if (!rows.has(id)) return;
  if (!visible.some((row) => row.finding.id === id)) {
    for (const name of ["text", "kind", "state", "file", "window", "rank"]) filter[name] = "";
    for (const control of document.querySelectorAll("#filters select, #filters input")) if (control.type !== "checkbox" && control.name !== "sort") control.value = "";
    const {finding} = rows.get(id);
    setFilter("hidden", filter.hidden || Boolean(finding.suppressedBy || finding.inBaseline));
  }
  open(id);
  const {item, button} = rows.get(id);
  item.scrollIntoView();
  button.focus({preventScroll: true});
}

function nextTheme() {
  const dark = document.documentElement.dataset.theme ? document.documentElement.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.dataset.theme = dark ? "light" : "dark";
  document.dispatchEvent(new Event("theme"));
}

const KEYS = [["j  k", "next, previous finding"], ["Enter", "open or shut it"], ["/", "filter"], ["e", "open all shown, up to 20"], ["c", "shut all"], ["t", "dark or light"], ["← → + − 0", "in a diagram: move, zoom, fit"], ["?", "these keys"]];
function showKeys() {
  const dialog = document.getElementById("keys");
  dialog.replaceChildren(el("h2", {}, "Keys"), el("dl", {class: "facts"}, KEYS.map(([key, text]) => [el("dt", {}, el("kbd", {}, key)), el("dd", {}, text)])), el("form", {method: "dialog"}, el("button", {}, "Close")));
  dialog.showModal();
}

const ACTIONS = {
  j: () => focusRow(1), k: () => focusRow(-1), "?": showKeys, t: nextTheme,
  "/": () => document.querySelector("#filters input").focus(),
  e: () => visible.slice(0, 20).forEach((row) => open(row.finding.id)),
  c: () => visible.forEach((row) => shut(row.finding.id)),
};
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && event.target.matches("#filters input")) return event.target.blur();
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, select, textarea") || !ACTIONS[event.key]) return;
  ACTIONS[event.key]();
  event.preventDefault();
});

for (const finding of data.findings) rows.set(finding.id, rowOf(finding));
makeFilters();
makeOverview();
// On a narrow page findings come first, unless something else is the result.
document.body.classList.toggle("findings-first", data.findings.length > 0 && !data.summary.deadlocks && data.summary.complete);
document.body.classList.toggle("few", data.findings.length <= 5);
const bar = document.querySelector(".bar");
new ResizeObserver(() => document.documentElement.style.setProperty("--bar", `${bar.offsetHeight}px`)).observe(bar);
refresh();
document.getElementById("theme").addEventListener("click", nextTheme);
document.getElementById("help").addEventListener("click", showKeys);
window.addEventListener("hashchange", followLink);
// Prints the open findings; if none is open, the first ones.
let openedToPrint = [];
window.addEventListener("beforeprint", () => {
  if (visible.some((row) => isOpen(row.finding.id))) return;
  openedToPrint = visible.slice(0, MOST_PRINTED).map((row) => row.finding.id);
  openedToPrint.forEach(open);
  openedToPrint.forEach((id) => { const {view} = rows.get(id).finding; if (view) view.draw(); });
});
window.addEventListener("afterprint", () => { openedToPrint.forEach(shut); openedToPrint = []; });
if (location.hash) followLink();
else if (visible.length === 1) open(visible[0].finding.id);
document.documentElement.dataset.ready = "yes";
performance.mark("photofinish-ready");
