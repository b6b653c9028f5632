// The source lines around a call site, with its line marked.
const CONTEXT = 7;

function sourceLines(path) {
  const source = data.sources[path];
  if (!source || !source.chunks) return null;
  if (!source.byLine) {
    source.byLine = new Map();
    for (const [first, lines] of source.chunks) lines.forEach((text, i) => source.byLine.set(first + i, text));
  }
  return source.byLine;
}

// `others`: line numbers marked as belonging to its epoch.
function codeBlock(frame, others) {
  if (!frame.file) return el("p", {class: "note epoch"}, `No source line is known: ${frame.module}+${frame.offset}. Build with -g.`);
  const lines = sourceLines(frame.file), source = data.sources[frame.file];
  if (!lines) return el("p", {class: "note epoch"}, `${frame.file}:${frame.line} could not be read when this report was written${source && source.trouble ? `: ${source.trouble}` : ""}.`);
  const block = el("pre", {class: "code", tabindex: "0", role: "group", "aria-label": `${frame.file}, line ${frame.line} marked`});
  for (let number = Math.max(1, frame.line - CONTEXT); number <= frame.line + CONTEXT; ++number) {
    if (!lines.has(number)) continue;
    const here = number === frame.line;
    const name = here ? "line here" : others.has(number) ? "line epoch-line" : "line";
    block.append(el("span", {class: name, "data-line": number, "aria-current": here ? "true" : undefined}, lines.get(number) || " "));
  }
  return [source.changed ? el("p", {class: "note epoch"}, "This file has changed since the run: lines may have moved.") : null, block];
}

function frameText(frame, number) {
  const where = frame.file ? `${frame.file}:${frame.line}${frame.column ? `:${frame.column}` : ""}` : `${frame.module}+${frame.offset}`;
  return `#${number} ${frame.function || "?"} ${where}${frame.inlined ? " (inlined)" : ""}`;
}

// One end of a finding: the access, its stack, and the source of the selected frame.
function endCard(end, index, finding) {
  const colour = endColour(finding, index);
  const card = el("div", {class: `end ${colour}`, role: "group", "aria-label": end.text},
    el("header", {}, el("b", {"aria-hidden": "true"}, endLetter(finding, index)), end.text[0].toUpperCase() + end.text.slice(1)));
  const leading = end.stack.find((frame) => frame.file);
  if (leading) card.firstChild.append(" ", copyButton(`${leading.file}:${leading.line}`, "file and line"));
  if (end.epoch) card.append(el("p", {class: "epoch"}, end.epoch));
  if (end.regions) card.append(el("p", {class: "epoch"}, `in region ${end.regions.join(" > ")}`));
  if (!end.stack.length) {
    if (end.rank !== null) card.append(el("p", {class: "note epoch"}, `No stack is known${end.noStack ? `: ${end.noStack}` : ""}.`));
    return card;
  }
  const list = el("ol", {class: "frames", "aria-label": "Stack, innermost first"}), code = el("div", {});
  const buttons = [];
  const choose = (number) => {
    const frame = end.stack[number], others = new Set();
    for (const place of [end.opened, end.closed])
      if (place && place.stack.length && place.stack[0].file === frame.file) others.add(place.stack[0].line);
    code.replaceChildren(...[codeBlock(frame, others)].flat().filter(Boolean));
    buttons.forEach((button, i) => button.setAttribute("aria-pressed", i === number ? "true" : "false"));
  };
  end.stack.forEach((frame, number) => {
    const button = el("button", {type: "button", onclick: () => choose(number)}, frameText(frame, number));
    buttons.push(button);
    list.append(el("li", {}, button));
  });
  card.append(list, code);
  choose(0);
  return card;
}

// A and B are the two accesses of a race; in a message race the matched message and those that
// could have matched.
function endColour(finding, index) {
  if (finding.kind !== "message-race") return index === 0 ? "first" : "second";
  return index === 0 ? "third" : index === 1 ? "first" : "second";
}
function endLetter(finding, index) {
  if (finding.kind !== "message-race") return "AB"[index];
  if (finding.ends[index].rank === null) return "–";
  return index === 0 ? "R" : String.fromCharCode(64 + index);
}
