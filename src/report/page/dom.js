// Elements in one call: make("td", {class: "words"}, "text", child).
function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.flat(Infinity).filter((c) => c !== null && c !== undefined));
  return element;
}

const make = (tag, properties = {}, ...children) =>
  fill(document.createElement(tag), properties, children);

const drawn = (tag, properties = {}, ...children) =>
  fill(document.createElementNS("http://www.w3.org/2000/svg", tag), properties, children);

// A card of the page with its heading and one sentence that says how to read it.
function section(id, title, lead, ...children) {
  return make(
    "section",
    { id },
    make("h2", {}, title),
    make("p", { class: "lead" }, lead),
    children,
  );
}

// One bar of a list: a name, a track filled to `share`, a number.
function bar(name, share, number, colour = null) {
  const width = `width: ${(100 * Math.min(1, Math.max(0, share))).toFixed(2)}%;`;
  const paint = colour ? ` background: ${colour}` : "";
  return [
    make("span", {}, name),
    make("span", { class: "track" }, make("i", { style: width + paint })),
    make("span", { class: "number" }, number),
  ];
}
