// Draws a deadlock: a ring of ranks, with an arrow from each to the one it waits for. Of a large
// ring only the ends are drawn.
const MOST_WAITING = 12, BOX = {width: 210, height: 46};

// The boxes {text, place, kind}, and who waits for whom, as indices of boxes.
function waitingBoxes(waits) {
  const kept = waits.length <= MOST_WAITING ? waits : [...waits.slice(0, MOST_WAITING / 2), null, ...waits.slice(1 - MOST_WAITING / 2)];
  const boxes = kept.map((wait) => wait ? {text: `rank ${wait.rank}`, place: wait.at, title: wait.text} : {text: `${(waits.length - kept.length + 1).toLocaleString("en")} more ranks`, place: "each rank waits for the next", kind: "more"});
  const at = new Map(kept.map((wait, i) => [wait ? wait.rank : null, i])), arrows = [];
  kept.forEach((wait, i) => {
    if (!wait) return arrows.push([i, i + 1]);
    if (kept[i + 1] === null) return arrows.push([i, i + 1]);
    if (wait.on !== null && at.has(wait.on)) return arrows.push([i, at.get(wait.on)]);
    boxes.push(wait.on === null ? {text: "what never comes", place: "", kind: "nobody"} : {text: `rank ${wait.on}`, place: "", kind: "nobody"});
    arrows.push([i, boxes.length - 1]);
  });
  return {boxes, arrows};
}

// The point where the line from the center of a box towards `to` leaves the box.
function borderOf(box, to) {
  const dx = to.x - box.x, dy = to.y - box.y, scale = Math.min(BOX.width / 2 / Math.max(Math.abs(dx), 0.01), BOX.height / 2 / Math.max(Math.abs(dy), 0.01));
  return {x: box.x + dx * scale, y: box.y + dy * scale};
}

// Arranges a few boxes in a circle, more in a column down on the right and up on the left, two on a
// narrow screen below each other. Returns the height.
function placeBoxes(boxes, width) {
  const count = boxes.length, middle = width / 2, margin = BOX.height / 2 + 20;
  if (count === 2 && width < 860) {
    boxes.forEach((box, i) => Object.assign(box, {x: middle, y: i ? 205 : 45}));
    return 250;
  }
  if (count === 2) {
    boxes.forEach((box, i) => Object.assign(box, {x: middle + (i ? 300 : -300), y: 90}));
    return 180;
  }
  if (count <= 6) {
    const tall = Math.max(70, 26 * count);
    boxes.forEach((box, i) => Object.assign(box, {x: middle + 300 * Math.sin(2 * Math.PI * i / count), y: margin + tall * (1 - Math.cos(2 * Math.PI * i / count))}));
    return Math.max(...boxes.map((box) => box.y)) + margin;
  }
  const right = Math.ceil(count / 2), row = BOX.height + 38;
  boxes.forEach((box, i) => Object.assign(box, i < right ? {x: middle + 200, y: margin + i * row} : {x: middle - 200, y: margin + (2 * right - 1 - i) * row}));
  return 2 * margin + (right - 1) * row;
}

function waitingPicture(deadlock, number) {
  const {boxes, arrows} = waitingBoxes(deadlock.waits), count = boxes.length, width = count === 2 && innerWidth < 700 ? 380 : 860, height = placeBoxes(boxes, width);
  const picture = svg("svg", {role: "img", class: deadlock.cameAbout ? "waits real" : "waits", viewBox: `0 0 ${width} ${height}`, "aria-label": deadlock.waits.slice(0, MOST_WAITING).map((wait) => wait.text).join("; ")},
    svg("defs", {}, svg("marker", {id: `waits-${number}`, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 9, markerHeight: 9, orient: "auto"}, svg("path", {class: "head", d: "M0 0 8 4 0 8z"}))));
  for (const [from, to] of arrows) {
    // Two ranks that wait for each other have two parallel arrows; other lines bend outwards.
    const a = boxes[from], b = boxes[to], side = count === 2 ? 0.22 : count <= 6 ? 0.08 : 0;
    const bend = {x: (a.x + b.x) / 2 + side * (b.y - a.y), y: (a.y + b.y) / 2 - side * (b.x - a.x)}, start = borderOf(a, bend), end = borderOf(b, bend);
    picture.append(svg("path", {class: "wait", d: `M${start.x} ${start.y} Q${bend.x} ${bend.y} ${end.x} ${end.y}`, "marker-end": `url(#waits-${number})`}, svg("title", {}, boxes[from].title || "waits for")));
  }
  for (const box of boxes)
    picture.append(svg("g", {class: `waiter ${box.kind || ""}`}, svg("title", {}, box.title || box.text), svg("rect", {x: box.x - BOX.width / 2, y: box.y - BOX.height / 2, width: BOX.width, height: BOX.height, rx: 8}),
      svg("text", {class: "rank", x: box.x, y: box.y + (box.place ? -4 : 4)}, box.text), box.place ? svg("text", {class: "soft", x: box.x, y: box.y + 13}, box.place.length > 36 ? `${box.place.slice(0, 35)}…` : box.place) : null));
  return el("figure", {class: width < 860 ? "picture" : "picture wide"}, picture, el("figcaption", {}, deadlock.cameAbout ? "Arrows point from a rank to the rank it waits for." : "Without send buffering: arrows point from a rank to the rank it would wait for."));
}

// The source of each call site at which ranks wait; one box for many ranks at one call site.
function waitingSources(deadlock) {
  const places = new Map();
  for (const wait of deadlock.waits) if (wait.stack.length) {
    const key = frameText(wait.stack[0], 0);
    places.set(key, {frame: wait.stack[0], ranks: [...(places.get(key) || {ranks: []}).ranks, wait.rank]});
  }
  const title = (ranks) => ranks.length === 1 ? `Rank ${ranks[0]}` : ranks.length <= 8 ? `Ranks ${ranks.join(", ")}` : `${ranks.length.toLocaleString("en")} ranks`;
  const cards = [...places.values()].slice(0, 6).map(({frame, ranks}) => el("div", {class: "end", role: "group", "aria-label": `${title(ranks)} in ${frame.function}`}, el("header", {}, `${title(ranks)}: ${frame.function || "?"}`), codeBlock(frame, new Set())));
  return el("div", {class: "sources"}, cards);
}

// Precedes the verdicts, which refer to "the note above".
function deadlocksCard() {
  if (!data.deadlocks.length) return null;
  const block = (one, number) => [
    el("p", {class: one.cameAbout ? "why" : "note"}, one.cameAbout ? "The run deadlocked in these calls." : `Deadlock if sends are not buffered, ${plural(one.times, "time")}.`),
    one.remarks.map((remark) => el("p", {}, remark)), el("p", {class: "try"}, one.advice),
    waitingPicture(one, number),
    el("details", {open: one.waits.length <= 4}, el("summary", {}, `Who waits where: ${plural(one.waits.length, "rank")}`),
      el("ul", {}, one.waits.map((wait) => el("li", {}, wait.text, el("ol", {class: "frames"}, wait.stack.map((frame, i) => el("li", {}, el("code", {}, frameText(frame, i)))))))), waitingSources(one))];
  return el("div", {class: "card whole", id: "deadlocks"}, el("h2", {}, data.deadlocks.length === 1 ? "Deadlock" : "Deadlocks"), data.deadlocks.map(block));
}
