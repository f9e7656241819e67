// Colours of kernels, told apart by people with any colour vision. The kernels that take most time
// get the clearest ones; beyond those, greys: hovering and the legend tell them apart.
const palettes = {
  light: [
    "#332288",
    "#44aa99",
    "#ddaa33",
    "#cc6677",
    "#66aadd",
    "#117733",
    "#aa4499",
    "#999933",
    "#882255",
  ],
  dark: [
    "#8c9eff",
    "#44bb99",
    "#eedd88",
    "#ee8866",
    "#99ddff",
    "#55a868",
    "#ffaabb",
    "#bbcc33",
    "#c79bdc",
  ],
};
const greys = { light: ["#8d939c", "#b3b8bf", "#6c727b"], dark: ["#8a919b", "#b4bac2", "#666d77"] };

const darkScheme = window.matchMedia("(prefers-color-scheme: dark)");
// Kept: it is asked for tens of thousands of times a frame.
let currentScheme = darkScheme.matches ? "dark" : "light";
darkScheme.addEventListener(
  "change",
  () => (currentScheme = darkScheme.matches ? "dark" : "light"),
);

// Names of kernels by the time they take; those that never ran come last. Several runs share one
// ranking, so that a kernel has one colour in all of them.
function ranking(...runs) {
  const busy = new Map();
  for (const run of runs) {
    for (const k of run.kernels) busy.set(k.name, busy.get(k.name) ?? 0);
    for (const s of run.stages) {
      const { name } = run.kernels[s.kernel];
      busy.set(name, Math.max(busy.get(name), s.busy_us));
    }
  }
  return [...busy.keys()].sort((a, b) => busy.get(b) - busy.get(a));
}

class Palette {
  constructor(kernels, ranked) {
    this.rank = kernels.map((k) => ranked.indexOf(k.name));
  }
  of(kernel) {
    const clear = palettes[currentScheme];
    const rank = this.rank[kernel];
    const rest = greys[currentScheme];
    return rank < clear.length ? clear[rank] : rest[(rank - clear.length) % rest.length];
  }
}

// Text on a filled colour: whichever of black and white reads better.
function inkOn(colour) {
  const part = (at) => parseInt(colour.slice(at, at + 2), 16);
  return 0.299 * part(1) + 0.587 * part(3) + 0.114 * part(5) > 140 ? "#000000" : "#ffffff";
}

// A chip of a kernel's colour that follows the scheme.
function chip(palette, kernel) {
  const element = make("span", { class: "chip" });
  onScheme(() => (element.style.background = palette.of(kernel)));
  return element;
}

// Calls now and whenever light and dark change.
function onScheme(paint) {
  paint();
  darkScheme.addEventListener("change", paint);
}
