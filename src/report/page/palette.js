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

// The rank of each kernel by the time it takes; those that never ran come last.
function ranking(data) {
  const busy = data.kernels.map(() => 0);
  for (const s of data.stages) busy[s.kernel] = s.busy_us;
  const order = [...busy.keys()].sort((a, b) => busy[b] - busy[a]);
  return order.reduce((rank, kernel, i) => ((rank[kernel] = i), rank), []);
}

// The same for two runs: kernels of a pair have one rank, and so one colour on both sides.
function pairedRanking({ a, b, stages }) {
  const stage = (side, index) => (index === null ? null : side.stages[index]);
  const busy = (pair) =>
    Math.max(stage(a, pair.a)?.busy_us ?? 0, stage(b, pair.b)?.busy_us ?? 0);
  const order = [...stages].sort((x, y) => busy(y) - busy(x));
  return [
    [a, "a"],
    [b, "b"],
  ].map(([side, name]) => {
    const rank = side.kernels.map(() => order.length);
    order.forEach((pair, i) => {
      if (pair[name] !== null) rank[side.stages[pair[name]].kernel] = i;
    });
    return rank;
  });
}

// `rank` by kernel: 0 is the one with the clearest colour.
class Palette {
  constructor(rank) {
    this.rank = rank;
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
  schemeFollowers.add(paint);
}

// A page that is drawn anew lets go of what the old one drew.
const schemeFollowers = new Set();
darkScheme.addEventListener("change", () => schemeFollowers.forEach((paint) => paint()));
const forgetDrawings = () => schemeFollowers.clear();
