// DOM helpers. Text is only ever set as text: names of the program never become markup.
const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat(Infinity)) if (child !== undefined && child !== null && child !== false) node.append(child);
  return node;
}
function el(tag, attributes, ...children) { return fill(document.createElement(tag), attributes, children); }
function svg(tag, attributes, ...children) { return fill(document.createElementNS(SVG, tag), attributes, children); }

// Copies the text and shows that for a second. Pages opened as files may not use the clipboard API:
// then the text is selected and copied.
function copyButton(text, what) {
  const button = el("button", {type: "button", class: "copy", title: `Copy ${what}`, "aria-label": `Copy ${what}`, onclick: async () => {
    let done = true;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const area = el("textarea", {class: "skip", readonly: true});
      area.value = text;
      document.body.append(area);
      area.select();
      done = document.execCommand("copy");
      area.remove();
    }
    button.textContent = done ? "Copied" : "Not copied";
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  }}, "Copy");
  return button;
}
function commandText(words) { return [el("code", {class: "command"}, words), copyButton(words, "the command")]; }

function plural(count, what) { return `${count.toLocaleString("en")} ${what}${count === 1 ? "" : "s"}`; }

// Keeps "0-3,7" as pairs, so that thousands of ranks are not thousands of numbers.
function parseRanges(text) {
  return text.split(",").filter(Boolean).map((part) => {
    const [first, last] = part.split("-").map(Number);
    return [first, last === undefined ? first : last];
  });
}
function countRanks(ranges) { return ranges.reduce((sum, [first, last]) => sum + last - first + 1, 0); }
function hasRank(ranges, rank) { return ranges.some(([first, last]) => first <= rank && rank <= last); }

const data = JSON.parse(document.getElementById("report-data").textContent);
for (const finding of data.findings) finding.ranges = parseRanges(finding.rankText);
