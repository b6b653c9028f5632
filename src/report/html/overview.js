// The overview: the run, its findings, and the number of events that are not drawn.
function findingsCard() {
  const counts = new Map();
  for (const finding of data.findings) if (!finding.suppressedBy && !finding.inBaseline) counts.set(finding.kind, (counts.get(finding.kind) || 0) + 1);
  const card = el("div", {class: "card"}, el("h2", {}, "Found"));
  for (const [kind, name] of new Map(data.findings.map((finding) => [finding.kind, finding.name])))
    if (counts.get(kind)) card.append(el("button", {type: "button", class: "count", "data-kind": kind, "aria-pressed": "false", onclick: () => setFilter("kind", filter.kind === kind ? "" : kind)},
      el("span", {}, name, counts.get(kind) === 1 ? "" : "s"), el("b", {}, counts.get(kind).toLocaleString("en"))));
  const add = (count, text) => { if (count) card.append(el("p", {class: "count"}, el("span", {}, text), el("b", {}, count.toLocaleString("en")))); };
  add(data.summary.deadlocks, data.summary.deadlocks === 1 ? "deadlock" : "deadlocks");
  add(data.summary.suppressed, "suppressed");
  add(data.summary.known, "known from the baseline");
  if (!counts.size && !data.summary.deadlocks) card.append(el("p", {}, data.summary.text));
  return card;
}

// What was not checked comes before anything that could be read as "no findings".
function coverageCard() {
  if (!data.limitations.length) return null;
  return el("div", {class: "card whole", id: "limitations"}, el("h2", {}, "Not checked"),
    el("ul", {class: "verdicts"}, data.limitations.map((one) => el("li", {class: one.unexpected ? "bad" : ""}, one.text))));
}

function verdictsCard() {
  const items = data.verdicts.map((text) => el("li", {class: /^(not |depends on|deadlocked)/.test(text) ? "bad" : /^(deterministic|independent of send buffering):/.test(text) ? "good" : ""}, text)).concat(data.notes.map((text) => el("li", {}, text)));
  return items.length ? el("div", {class: "card whole"}, el("h2", {}, "Verdicts and notes"), el("ul", {class: "verdicts"}, items)) : null;
}

function runCard() {
  const facts = [["Program", data.run.program], ["MPI", data.run.mpi.split(",")[0]], ["Ranks", `${data.run.worldSize}${data.counts.ranks.length < data.run.worldSize ? `, ${data.counts.ranks.length} recorded` : ""}`],
    ["Events", data.counts.events.toLocaleString("en")], ["Started", data.run.startedNs ? new Date(data.run.startedNs / 1e6).toISOString().replace("T", " ").slice(0, 19) + " UTC" : "?"], ["Folder", data.run.folder || "?"]];
  return el("div", {class: "card"}, el("h2", {}, "Run"), el("dl", {class: "facts"}, facts.map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)])));
}

// A bar for each rank, or group of ranks: the number of its events and findings.
function drawStrip(canvas) {
  const width = canvas.clientWidth || 300, height = 64, scale = window.devicePixelRatio || 1;
  canvas.width = width * scale;
  canvas.height = height * scale;
  const context = canvas.getContext("2d"), style = getComputedStyle(document.documentElement), size = Math.max(1, data.run.worldSize), bars = Math.min(size, Math.floor(width / 2));
  const events = new Float64Array(bars), findings = new Float64Array(bars + 1), of = (rank) => Math.min(bars - 1, Math.floor(rank * bars / size));
  for (const [rank, count] of data.counts.ranks) events[of(rank)] = Math.max(events[of(rank)], count);
  for (const finding of data.findings) for (const [first, last] of finding.ranges) { findings[of(first)] += 1; findings[of(last) + 1] -= 1; }
  const most = Math.max(1, ...events), each = width / bars;
  let sum = 0, highest = 1;
  const sums = Array.from({length: bars}, (_, i) => { sum += findings[i]; highest = Math.max(highest, sum); return sum; });
  context.scale(scale, scale);
  for (let i = 0; i < bars; ++i) {
    context.fillStyle = style.getPropertyValue("--step-soft");
    context.fillRect(i * each, height - 2 - events[i] / most * (height - 14), Math.max(1, each - 1), events[i] / most * (height - 14) + 2);
    if (!sums[i]) continue;
    context.fillStyle = style.getPropertyValue("--wrong");
    context.globalAlpha = 0.3 + 0.7 * sums[i] / highest;
    context.fillRect(i * each, height - 6, Math.max(1, each - 1), 6);
    context.globalAlpha = 1;
  }
}

function ranksCard() {
  const canvas = el("canvas", {class: "strip", role: "img", "aria-label": "Events of each rank; red: ranks with findings"});
  const calls = data.counts.calls.slice(0, 15);
  const counts = data.counts.ranks.map(([, count]) => count).sort((a, b) => a - b);
  const [least, most] = [counts[0] || 0, counts[counts.length - 1] || 0].map((count) => count.toLocaleString("en"));
  const text = `${least === most ? most : `${least} to ${most}`} events per rank${data.findings.length ? "; red: ranks with findings" : ""}`;
  const ends = el("ul", {class: "verdicts", id: "ends"}, data.counts.ends.map(([end, ranks, count]) =>
    el("li", {class: end === "exit 0" ? "good" : "bad"}, `${count === data.run.worldSize && count > 2 ? `all ${count.toLocaleString("en")} ranks` : `${count === 1 ? "rank" : "ranks"} ${ranks}`}: ${end}`)));
  const card = el("div", {class: "card"}, el("h2", {}, "Ranks"), canvas, el("p", {class: "note"}, text), ends,
    el("details", {}, el("summary", {}, "Calls"), el("table", {class: "calls"}, el("tbody", {}, calls.map(([name, count]) => el("tr", {}, el("th", {scope: "row"}, el("code", {}, name)), el("td", {}, count.toLocaleString("en"))))),
      data.counts.calls.length > calls.length ? el("caption", {}, `the ${calls.length} most frequent of ${data.counts.calls.length}`) : null)));
  requestAnimationFrame(() => drawStrip(canvas));
  window.addEventListener("resize", () => drawStrip(canvas));
  document.addEventListener("theme", () => drawStrip(canvas));
  return card;
}

function makeOverview() {
  document.getElementById("headline").textContent = data.summary.text;
  document.getElementById("command").textContent = `${data.run.name} · ${data.run.command.join(" ")}`;
  document.getElementById("overview").append(el("div", {class: "cards"}, findingsCard(), runCard(), ranksCard(), coverageCard(), deadlocksCard(), verdictsCard()));
}
