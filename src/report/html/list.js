// The list: one row for each finding, made once. Filtering and sorting only show, hide and move
// rows. Details are made when a row is opened.
const rows = new Map();

function rowOf(finding) {
  const hidden = finding.suppressedBy ? "suppressed" : finding.inBaseline ? "known" : "";
  const button = el("button", {type: "button", class: "row", "aria-expanded": "false", onclick: () => toggle(finding.id)},
    el("span", {class: "id"}, finding.id), el("span", {class: "kind-cell"}, el("span", {class: `kind ${finding.kind}`}, finding.name)),
    el("span", {class: "title"}, finding.title, finding.memory && finding.memory.window ? el("span", {class: "soft"}, ` · window “${finding.memory.window}”`) : null),
    el("span", {class: "state-cell"}, el("span", {class: `state ${finding.state}`}, finding.stateText), hidden ? el("span", {class: "hidden-by"}, ` ${hidden}`) : null),
    el("span", {class: "soft times"}, `${finding.times.toLocaleString("en")}× · ${countRanks(finding.ranges) === 1 ? "rank" : "ranks"} ${finding.rankText.length > 18 ? `${finding.rankText.slice(0, 17)}…` : finding.rankText}`),
    el("span", {class: "turn", "aria-hidden": "true"}, "▸"));
  const item = el("li", {id: finding.id}, el("article", {"aria-label": `${finding.id}, ${finding.name}`}, button));
  return {item, button, finding, text: `${finding.id} ${finding.name} ${finding.title} ${finding.stateText} ${finding.identity} ${finding.memory && finding.memory.window || ""} ${finding.why}`.toLowerCase()};
}

function isOpen(id) { return rows.get(id).button.getAttribute("aria-expanded") === "true"; }
function open(id) {
  const {item, button, finding} = rows.get(id);
  if (isOpen(id)) return;
  button.setAttribute("aria-expanded", "true");
  item.classList.add("open");
  item.firstChild.append(detailOf(finding));
}
function shut(id) {
  const {item, button} = rows.get(id);
  if (!isOpen(id)) return;
  button.setAttribute("aria-expanded", "false");
  item.classList.remove("open");
  item.firstChild.lastChild.remove();
}
function toggle(id) {
  if (isOpen(id)) return shut(id);
  open(id);
  history.replaceState(null, "", `#${id}`);
}

const ORDERS = {
  number: ["Number", (a, b) => a.number - b.number],
  kind: ["Kind", (a, b) => a.kind.localeCompare(b.kind)],
  state: ["State", (a, b) => STATES.indexOf(a.state) - STATES.indexOf(b.state)],
  times: ["How often", (a, b) => b.times - a.times],
  ranks: ["How many ranks", (a, b) => countRanks(b.ranges) - countRanks(a.ranges)],
  file: ["File", (a, b) => fileOf(a).localeCompare(fileOf(b)) || lineOf(a) - lineOf(b)],
  window: ["Window", (a, b) => windowOf(a).localeCompare(windowOf(b))],
};
const STATES = ["confirmed-harmful", "confirmed-unstable", "confirmed-effect-unknown", "predicted", "confirmed-same-outcome", "not-reproduced"];
function firstFrame(finding) { return finding.ends[0].stack[0] || {}; }
function fileOf(finding) { return firstFrame(finding).file || ""; }
function lineOf(finding) { return firstFrame(finding).line || 0; }
function windowOf(finding) { return finding.memory && finding.memory.window || ""; }

const filter = {text: "", kind: "", state: "", file: "", window: "", rank: "", hidden: false, sort: "number", backwards: false};

function matches({finding, text}) {
  if (!filter.hidden && (finding.suppressedBy || finding.inBaseline)) return false;
  if (filter.kind && finding.kind !== filter.kind) return false;
  if (filter.state && finding.state !== filter.state) return false;
  if (filter.file && !finding.ends.some((end) => end.stack.length && end.stack[0].file === filter.file)) return false;
  if (filter.window && windowOf(finding) !== filter.window) return false;
  if (filter.rank !== "" && !hasRank(finding.ranges, Number(filter.rank))) return false;
  return filter.text.toLowerCase().split(/\s+/).every((word) => text.includes(word));
}

let visible = [];
function refresh() {
  const compare = ORDERS[filter.sort][1];
  visible = [...rows.values()].filter(matches).sort((a, b) => (filter.backwards ? -1 : 1) * compare(a.finding, b.finding) || a.finding.number - b.finding.number);
  document.getElementById("list").replaceChildren(...visible.map((row) => row.item));
  const all = rows.size, hidden = filter.hidden ? 0 : data.findings.filter((finding) => finding.suppressedBy || finding.inBaseline).length;
  document.getElementById("shown").textContent = all === 0 ? (data.summary.deadlocks ? "No other findings." : "No findings.") : `${visible.length} of ${plural(all, "finding")} shown${hidden ? `, ${hidden} suppressed or known hidden` : ""}`;
  for (const button of document.querySelectorAll(".count[data-kind]")) button.setAttribute("aria-pressed", button.dataset.kind === filter.kind ? "true" : "false");
}

function setFilter(name, value) {
  filter[name] = value;
  const control = document.querySelector(`#filters [name="${name}"]`);
  if (control && control.type === "checkbox") control.checked = value;
  else if (control && control.value !== value) control.value = value;
  refresh();
}

function select(name, label, all, values) {
  const control = el("select", {name, onchange: (event) => setFilter(name, event.target.value)}, all === null ? null : el("option", {value: ""}, all), values.map(([value, text]) => el("option", {value}, text)));
  return el("label", {}, label, control);
}

function makeFilters() {
  const form = document.getElementById("filters");
  form.hidden = data.findings.length === 0;
  form.addEventListener("submit", (event) => event.preventDefault());
  const distinct = (of) => [...new Set(data.findings.flatMap(of).filter(Boolean))].sort();
  form.append(el("input", {type: "search", name: "text", placeholder: "Filter: words, function, file  ( / )", "aria-label": "Filter by words", oninput: (event) => setFilter("text", event.target.value)}));
  const kinds = [...new Map(data.findings.map((finding) => [finding.kind, finding.name]))];
  if (kinds.length > 1) form.append(select("kind", "Kind", "all", kinds));
  const states = STATES.filter((state) => data.findings.some((finding) => finding.state === state)).map((state) => [state, state.replaceAll("-", " ")]);
  if (states.length > 1) form.append(select("state", "State", "all", states));
  const files = distinct((finding) => finding.ends.map((end) => end.stack.length ? end.stack[0].file : ""));
  if (files.length > 1) form.append(select("file", "File", "all", files.map((file) => [file, file.length > 40 ? `…${file.slice(-39)}` : file])));
  const windows = distinct((finding) => [windowOf(finding)]);
  if (windows.length > 1) form.append(select("window", "Window", "all", windows.map((name) => [name, name])));
  if (data.run.worldSize > 1) form.append(el("label", {}, "Rank", el("input", {type: "number", name: "rank", min: 0, max: data.run.worldSize - 1, style: "width: 5.5rem", oninput: (event) => setFilter("rank", event.target.value)})));
  form.append(select("sort", "Sort by", null, Object.entries(ORDERS).map(([value, [text]]) => [value, text])));
  form.append(el("button", {type: "button", "aria-label": "Reverse the order", title: "Reverse the order", "aria-pressed": "false", onclick: (event) => {
    filter.backwards = !filter.backwards;
    event.target.setAttribute("aria-pressed", filter.backwards ? "true" : "false");
    refresh();
  }}, "⇅"));
  if (data.findings.some((finding) => finding.suppressedBy || finding.inBaseline))
    form.append(el("label", {}, el("input", {type: "checkbox", name: "hidden", onchange: (event) => setFilter("hidden", event.target.checked)}), "also suppressed and known"));
}
