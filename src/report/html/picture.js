// The picture of a finding: lanes are ranks, steps go from left to right. It highlights both
// accesses and the missing order. Only an open finding has a picture. Zoom and pan redraw it; it
// has few hundred elements.
const LEFT = 92, TOP = 34, LANE = 118, STEP_HEIGHT = 18;

class PictureView {
  constructor(finding) {
    this.finding = finding;
    this.picture = finding.picture;
    this.step = 0;  // pixels for a level; 0: fit to the width
    this.offset = 0;
    this.centered = true;  // keeps the race in view until the user moves the picture
    this.svg = svg("svg", {role: "img", tabindex: "0", "aria-label": this.label(), "aria-describedby": `${finding.id}-words`});
    this.figure = el("figure", {class: "picture"}, this.controls(), this.svg, this.caption());
    this.listen();
  }

  label() {
    const ranks = this.picture.lanes.map((lane) => lane.rank).join(", ");
    return `What ranks ${ranks} did near ${this.finding.id}, in logical steps: ${this.finding.title}; the accesses are concurrent.`;
  }

  controls() {
    const button = (text, name, action) => el("button", {type: "button", "aria-label": name, title: name, onclick: action}, text);
    return el("div", {class: "controls"}, button("−", "Zoom out", () => this.zoom(1 / 1.3)), button("+", "Zoom in", () => this.zoom(1.3)), button("Fit", "Fit to the width", () => this.fit()),
      button("←", "Move left", () => this.pan(-120)), button("→", "Move right", () => this.pan(120)),
      el("span", {class: "hint"}, "drag to move, Ctrl+wheel to zoom; with focus: arrows, + − 0"));
  }

  caption() {
    const messages = this.finding.kind === "message-race";
    return el("figcaption", {}, "Logical steps from left to right: an event further right never happens before one further left. ",
      messages ? "Solid arrow: the message that matched. Dashed arrow: a message that could have matched. Red line: no happens-before path."
               : "A bar spans an access from start to completion. Dashed, on the lane of the memory's owner: when it may touch the memory. Red line: no happens-before path.");
  }

  listen() {
    this.svg.addEventListener("keydown", (event) => {
      const actions = {ArrowLeft: () => this.pan(-60), ArrowRight: () => this.pan(60), "+": () => this.zoom(1.3), "=": () => this.zoom(1.3), "-": () => this.zoom(1 / 1.3), 0: () => this.fit()};
      if (!actions[event.key] || event.ctrlKey || event.metaKey) return;
      actions[event.key]();
      event.preventDefault();
      event.stopPropagation();
    });
    this.svg.addEventListener("wheel", (event) => {
      if (event.ctrlKey) this.zoom(event.deltaY < 0 ? 1.15 : 1 / 1.15, event.offsetX);
      else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) this.pan(event.deltaX);
      else return;
      event.preventDefault();
    }, {passive: false});
    this.svg.addEventListener("pointerdown", (event) => {
      this.drag = {x: event.clientX, offset: this.offset};
      this.svg.setPointerCapture(event.pointerId);
      this.svg.classList.add("dragged");
    });
    this.svg.addEventListener("pointermove", (event) => {
      if (this.drag) this.moveTo(this.drag.offset - (event.clientX - this.drag.x));
    });
    for (const end of ["pointerup", "pointercancel"]) this.svg.addEventListener(end, () => { this.drag = null; this.svg.classList.remove("dragged"); });
    if (window.ResizeObserver) new ResizeObserver(() => this.later()).observe(this.figure);
  }

  get width() { return Math.max(320, this.svg.clientWidth || this.figure.clientWidth || 1000); }
  get fitting() { return Math.max(20, Math.min(130, (this.width - LEFT - 70) / Math.max(this.picture.width + 1, 1))); }
  get pixels() { return this.step || this.fitting; }
  within(offset) { return Math.max(0, Math.min((this.picture.width + 2) * this.pixels - (this.width - LEFT), offset)); }
  moveTo(offset) {
    this.centered = false;
    this.offset = this.within(offset);
    this.later();
  }
  center() {
    const begins = this.picture.ends.map((end) => end.begin);
    this.offset = begins.length ? this.within(30 + (Math.min(...begins) + Math.max(...begins)) / 2 * this.pixels - (this.width - LEFT) / 2) : 0;
  }
  pan(by) { this.moveTo(this.offset + by); }
  zoom(by, at) {
    const x = (at === undefined ? this.width / 2 : at) - LEFT, level = (this.offset + x) / this.pixels;
    this.step = Math.max(10, Math.min(240, this.pixels * by));
    this.moveTo(level * this.step - x);
  }
  fit() { this.step = 0; this.centered = true; this.later(); }
  later() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => { this.waiting = false; this.draw(); });
  }

  x(level) { return LEFT + 30 + level * this.pixels - this.offset; }
  y(lane) { return TOP + 62 + lane * LANE; }
  endX(level) { return level < 0 ? this.x(this.picture.width) + 14 : this.x(level); }

  draw() {
    if (this.centered) this.center();
    const height = TOP + this.picture.lanes.length * LANE + 18;
    this.svg.setAttribute("viewBox", `0 0 ${this.width} ${height}`);
    this.svg.setAttribute("height", height);
    const body = svg("g", {});
    this.labels = [];  // drawn above everything that could cross them
    this.drawJoins(body);
    this.picture.lanes.forEach((lane, i) => this.drawLane(body, lane, i));
    this.drawArrows(body);
    if (this.finding.kind === "message-race") this.drawMessages(body);
    else this.drawAccesses(body);
    body.append(...this.labels);
    this.svg.replaceChildren(this.markers(), body, this.margin(height));
  }

  markers() {
    const marker = (name, colour) => svg("marker", {id: `${this.finding.id}-${name}`, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto-start-reverse"},
      svg("path", {d: "M0 0 8 4 0 8z", style: `fill: var(--${colour})`}));
    return svg("defs", {}, marker("plain", "step"), marker("message", "third"), marker("first", "first"), marker("second", "second"), marker("third", "third"));
  }
  pointer(name) { return `url(#${this.finding.id}-${name})`; }

  // Covers what was scrolled out to the left, and names the lanes.
  margin(height) {
    const group = svg("g", {}, svg("rect", {class: "margin", x: 0, y: 0, width: LEFT, height}));
    this.picture.lanes.forEach((lane, i) => {
      group.append(svg("text", {class: "rank", x: 12, y: this.y(i) + 4}, `rank ${lane.rank}`));
      const roles = [];
      if (this.finding.memory && this.finding.memory.owner === lane.rank) roles.push("owner");
      if (roles.length) group.append(svg("text", {class: "soft", x: 12, y: this.y(i) + 19}, roles.join(", ")));
    });
    const others = data.run.worldSize - this.picture.lanes.length;
    if (others > 0) group.append(svg("text", {class: "soft", x: 12, y: height - 8}, `${plural(others, "other rank")} not drawn`));
    return group;
  }

  drawJoins(body) {
    for (const join of this.picture.joins) {
      const begin = this.x(Math.max(...join.parts.map((part) => part[1]))), end = this.x(Math.min(...join.parts.map((part) => part[2])));
      const lanes = join.parts.map((part) => part[0]), top = this.y(Math.min(...lanes)), bottom = this.y(Math.max(...lanes));
      body.append(svg("rect", {class: "join", x: Math.min(begin, end), y: top, width: Math.max(4, Math.abs(end - begin)), height: bottom - top}, svg("title", {}, join.label)));
    }
  }

  drawLane(body, lane, number) {
    const y = this.y(number), right = this.x(this.picture.width) + 24;
    body.append(svg("line", {class: "lane", x1: this.x(-0.4), x2: right, y1: y, y2: y}));
    if (!lane.steps.length) body.append(svg("text", {class: "soft", x: this.x(-0.3), y: y - 8}, "its trace could not be read"));
    for (const [begin, end, label, closes] of lane.epochs) {
      const from = this.x(begin), to = closes ? this.x(end) : right, group = svg("g", {class: "epoch"}, svg("title", {}, label));
      group.append(svg("rect", {x: from, y: y + 13, width: Math.max(2, to - from), height: 15, rx: 4}));
      if (to - from > label.length * 5.6) this.labels.push(svg("text", {class: "label epoch-label", x: from + 6, y: y + 24}, label));
      body.append(group);
    }
    for (const [begin, end, events] of lane.gaps) {
      const from = this.x(begin - 0.5), to = end < 0 ? right : this.x(end), count = events.toLocaleString("en");
      body.append(svg("line", {class: "gap", x1: from, x2: to, y1: y, y2: y}));
      const [text, x, anchor] = end < 0 ? [`${count} later`, from + 4, "start"] : begin === 0 ? [`${count} earlier`, from + 4, "start"] : [`${count} more`, (from + to) / 2, "middle"];
      body.append(svg("text", {class: "soft", x, y: y + 42, "text-anchor": anchor}, text));
    }
    for (const [begin, end, call, place, note, returned, index] of lane.steps) {
      const from = this.x(begin) - 4, to = this.x(end) + 4;
      if (to < LEFT - 80 || from > this.width) continue;
      const short = data.names[call].replace(/^MPI_/, "");
      const group = svg("g", {class: returned ? "step" : "step stuck"}, svg("title", {}, `${data.names[call]}${note ? ` (${note})` : ""}\n${data.names[place] || "no source line"}\nevent ${index}${returned ? "" : ", did not return"}`));
      group.append(svg("rect", {x: from, y: y - STEP_HEIGHT / 2, width: to - from, height: STEP_HEIGHT, rx: 5}));
      this.labels.push(svg("text", {class: "label", x: from + 3, y: y - 14, transform: `rotate(-32 ${from + 3} ${y - 14})`}, short));
      body.append(group);
    }
  }

  drawArrows(body) {
    const [receive, got] = this.picture.ends;
    for (const [kind, fromLane, from, toLane, to, label] of this.picture.arrows) {
      // The message that a receive matched is drawn with those that it could have matched.
      if (kind === "message" && this.finding.kind === "message-race" && toLane === receive.lane && fromLane === got.lane && from === got.begin) continue;
      const down = toLane > fromLane, y1 = this.y(fromLane) + (down ? 9 : -9), y2 = this.y(toLane) + (down ? -9 : 9);
      body.append(svg("path", {class: `arrow ${kind}`, d: `M${this.x(from)} ${y1} L${this.x(to)} ${y2}`, "marker-end": this.pointer(kind === "message" ? "message" : "plain")}, svg("title", {}, label || kind)));
    }
  }

  badge(body, colour, x, y, letter) {
    body.append(svg("g", {class: colour}, svg("circle", {class: "badge", cx: x, cy: y, r: 9}), svg("text", {class: "badge-text", x, y: y + 4}, letter)));
  }

  // Between two accesses above each other the curve bends to the left; on one lane, downwards.
  missing(body, a, b) {
    const same = Math.abs(a.y - b.y) < 4, text = "concurrent", width = 60;
    const bulge = same ? {x: (a.x + b.x) / 2, y: a.y + 62} : {x: Math.min(a.x, b.x) - 62, y: (a.y + b.y) / 2};
    const at = {x: (a.x + 2 * bulge.x + b.x) / 4, y: (a.y + 2 * bulge.y + b.y) / 4};  // where the curve passes
    body.append(svg("g", {}, svg("path", {class: "missing", d: `M${a.x} ${a.y} Q${bulge.x} ${bulge.y} ${b.x} ${b.y}`}), svg("rect", {class: "missing-back", x: at.x - width / 2, y: at.y - 10, width, height: 18, rx: 4}),
      svg("text", {class: "missing-text", x: at.x, y: at.y + 3, "text-anchor": "middle"}, text)));
  }

  drawAccesses(body) {
    const spots = [], landings = [], badges = [];
    this.picture.ends.forEach((end, i) => {
      if (end.lane < 0) return;
      const colour = endColour(this.finding, i), y = this.y(end.lane), from = this.x(end.begin) - 5, to = Math.max(from + 14, this.endX(end.end) + 5);
      const group = svg("g", {class: colour}, svg("title", {}, this.finding.ends[i].text));
      group.append(svg("rect", {class: "flight", x: from, y: y - 6, width: to - from, height: 12, rx: 6}));
      if (end.touches >= 0 && end.touches !== end.lane) {
        const down = end.touches > end.lane, theirs = this.y(end.touches) + (i === 0 ? -6 : 6), at = from + Math.min(20 + 22 * i, (to - from) / 2 + 4 * i);
        group.append(svg("rect", {class: "landing", x: from, y: theirs - 5, width: to - from, height: 10, rx: 5}));
        group.append(svg("path", {class: "access", d: `M${from + 8} ${y + (down ? 7 : -7)} L${at} ${theirs + (down ? -6 : 6)}`, "marker-end": this.pointer(colour)}));
      }
      landings.push({from, to, lane: end.touches >= 0 ? end.touches : end.lane});
      body.append(group);
      badges.push([colour, from - 3, y, endLetter(this.finding, i)]);
      spots.push({x: from - 3, y});
    });
    if (spots.length > 1) {
      const [a, b] = landings, from = Math.max(a.from, b.from), to = Math.min(a.to, b.to);
      if (a.lane === b.lane && to > from) body.append(svg("rect", {class: "clash", x: from, y: this.y(a.lane) - 24, width: to - from, height: 48, rx: 6}));
      this.missing(body, spots[0], spots[1]);
    }
    for (const badge of badges) this.badge(body, ...badge);
  }

  drawMessages(body) {
    const [receive, ...sends] = this.picture.ends;
    if (receive.lane < 0) return;
    const y = this.y(receive.lane), from = this.x(receive.begin) - 5, to = this.endX(receive.end) + 5, drawn = [], badges = [];
    body.append(svg("g", {class: "third"}, svg("title", {}, this.finding.ends[0].text), svg("rect", {class: "flight", x: from, y: y - 11, width: to - from, height: 22, rx: 6})));
    badges.push(["third", from - 3, y, "R"]);
    sends.forEach((send, i) => {
      if (send.lane < 0) return;
      const colour = endColour(this.finding, i + 1), sent = {x: this.x(send.begin) - 3, y: this.y(send.lane)}, down = y > sent.y, step = Math.min(16, (to - from) / (sends.length + 1));
      body.append(svg("g", {class: colour}, svg("title", {}, this.finding.ends[i + 1].text),
        svg("path", {class: i === 0 ? "access" : "access could", d: `M${sent.x + 8} ${sent.y + (down ? 9 : -9)} L${to - 6 - i * step} ${y + (down ? -12 : 12)}`, "marker-end": this.pointer(colour)})));
      badges.push([colour, sent.x, sent.y, endLetter(this.finding, i + 1)]);
      drawn.push(sent);
    });
    // A cancelled receive has no match: the missing order is between the message and the end of the
    // receive.
    if (drawn.length) this.missing(body, drawn[0], drawn[1] || {x: from - 3, y});
    for (const badge of badges) this.badge(body, ...badge);
  }

  // A text alternative for screen readers.
  words() {
    const list = el("ul", {class: "words"});
    for (const lane of this.picture.lanes) {
      const steps = el("ol", {});
      for (const [, , call, place, note, returned, index] of lane.steps) {
        const marks = this.finding.ends.map((end, i) => [end, i]).filter(([end]) => end.rank === lane.rank && Math.floor(end.begin / 2) === index).map(([end, i]) => `, ${endLetter(this.finding, i)}: ${end.text}`);
        steps.append(el("li", {}, `${data.names[call]}${note ? ` (${note})` : ""}${data.names[place] ? ` in ${data.names[place]}` : ""}${returned ? "" : ", did not return"}${marks.join("")}`));
      }
      list.append(el("li", {}, `rank ${lane.rank}: `, lane.steps.length ? steps : "its trace could not be read"));
    }
    return el("details", {id: `${this.finding.id}-words`}, el("summary", {}, "The diagram as text"), list);
  }
}
