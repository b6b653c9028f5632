// The details of a finding: why, advice, the picture, both sources side by side, the result of
// confirm.
function confirmationPart(finding) {
  const told = finding.confirmation;
  if (!told) return [el("h3", {}, "Does it matter?"), el("p", {}, "Not tried yet: ", commandText(`photofinish confirm ${data.run.name} --finding ${finding.id}`))];
  const orders = el("ol", {class: "orders"}, told.orders.map((order, i) => el("li", {}, `${order.name}: ${order.seen ? order.outcome : `not observed in ${plural(order.runs, "run")}`}`,
    order.seen && !order.forced ? " (observed, but this order could not be forced)" : "", order.seen ? [" · repeat with: ", commandText(`photofinish confirm ${data.run.name} --finding ${finding.id} --order ${i + 1}${told.instances === "every" ? " --every" : ""}`)] : "")));
  const difference = told.difference.length ? el("pre", {class: "difference"}, told.difference.map((line) => el("div", {class: line.startsWith("-") ? "less" : line.startsWith("+") ? "more" : ""}, line))) : null;
  const legend = difference ? el("p", {class: "note"}, "Difference: − first order, + other order.") : null;
  return [el("h3", {}, "Does it matter?"), el("p", {}, el("span", {class: `state ${finding.state}`}, finding.stateText)), orders, legend, difference,
    told.instances === "every" ? el("p", {class: "note"}, "Every instance of the race had this order.") : null,
    finding.state === "confirmed-same-outcome" && told.onlyExitCodes ? el("p", {class: "note"}, "The program printed nothing: only its exit code was compared.") : null,
    finding.state === "confirmed-unstable" ? el("p", {class: "note"}, `Without steering: ${told.control.map((outcome) => `${outcome.text} ×${outcome.times}`).join(", ")}`) : null,
    finding.state === "confirmed-effect-unknown" ? el("p", {class: "note"}, "All outcomes were equal, but not every order was forced in every repetition: the effect of the race is not known.") : null];
}

function factsPart(finding) {
  const facts = [["How often", `${plural(finding.times, "time")} on ${countRanks(finding.ranges) === 1 ? "rank" : "ranks"} ${finding.rankText}`]];
  if (finding.memory && finding.memory.text) facts.push(["Memory", finding.memory.text]);
  if (finding.suppressedBy) facts.push(["Suppressed by", `${finding.suppressedBy.text} (${finding.suppressedBy.file}:${finding.suppressedBy.line})`]);
  if (finding.inBaseline !== undefined) facts.push(["Baseline", finding.inBaseline ? "known there" : "new"]);
  facts.push(["Fingerprint", `${finding.fingerprint} · ${finding.identity}`]);
  return el("dl", {class: "facts"}, facts.map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]));
}

// The finding as in the text report, for a mail or a ticket.
function asText(finding) {
  const ends = finding.ends.map((end) => [`  ${end.text}`, ...end.stack.map((frame, i) => `    ${frameText(frame, i)}`), ...(end.epoch ? [`    ${end.epoch}`] : [])]);
  const memory = finding.memory && finding.memory.text ? [`  ${finding.memory.text}`] : [];
  return [`${finding.name} [${finding.id}] ${finding.stateText}: ${finding.title}`, ...ends.flat(), ...memory, `  ${finding.why}`, `  ${finding.advice}`].join("\n") + "\n";
}

function helpPart(finding) {
  const help = data.help[finding.kind];
  if (!help) return null;
  return el("details", {class: "about"}, el("summary", {}, `About ${finding.name}s`), el("p", {}, help.text),
    help.page ? el("p", {}, el("a", {href: `file://${encodeURI(help.page)}`}, `findings/${finding.kind}.md`), " has examples.") : null);
}

function detailOf(finding) {
  const detail = el("div", {class: "detail", id: `${finding.id}-detail`});
  detail.append(el("p", {class: "why"}, finding.why), el("p", {class: "try"}, finding.advice));
  if (finding.picture && finding.picture.lanes.some((lane) => lane.steps.length)) {
    const view = new PictureView(finding);
    finding.view = view;
    detail.append(el("h3", {}, "What happened"), view.figure, view.words());
    view.later();
  }
  detail.append(el("h3", {}, "Where"), el("div", {class: "sources"}, finding.ends.map((end, i) => endCard(end, i, finding))));
  detail.append(...confirmationPart(finding).filter(Boolean), el("h3", {}, "More ", copyButton(asText(finding), "the finding as text")), factsPart(finding), helpPart(finding) || "");
  return detail;
}
