// Numbers as people read them, always with their unit.
const grouped = (n, digits = 0) =>
  rounded(n, digits).toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });

// To the nearest number, as the command line rounds: by the exact value, and halfway to the even
// digit. toLocaleString rounds what the shortest decimal says, toFixed halfway away from 0.
function rounded(n, digits) {
  const size = Math.abs(n);
  if (!(size < 1e15)) return n;
  const near = size.toFixed(digits);
  const exact = size.toFixed(digits + 60);
  const kept = exact.length - 60 - (digits === 0 ? 1 : 0);
  const halfway = /^\.?50*$/.test(exact.slice(kept));
  const even = halfway && Number(near.at(-1)) % 2 === 1 ? exact.slice(0, kept) : near;
  return Math.sign(n) * Number(even);
}

const micro = "\u00b5s";

// Three to four digits that matter.
function significant(n) {
  const size = Math.abs(n);
  return grouped(n, size >= 1000 ? 0 : size >= 100 ? 1 : size >= 1 ? 2 : 3);
}

function time(us) {
  if (us !== 0 && Math.abs(us) < 1) return `${significant(us * 1e3)} ns`;
  return Math.abs(us) < 1e5 ? `${significant(us)} ${micro}` : `${significant(us / 1e3)} ms`;
}

// A point in time, to the nanosecond tens: neighbours differ by little.
const moment = (us) => `${grouped(us, 2)} ${micro}`;

function bytes(n) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  while (Math.abs(n) >= 1024 && unit + 1 < units.length) {
    n /= 1024;
    ++unit;
  }
  return `${unit === 0 || Number.isInteger(n) ? grouped(n) : grouped(n, n < 10 ? 2 : 1)} ${units[unit]}`;
}

const percent = (share, digits = 1) => `${grouped(100 * share, digits)}%`;
const ratio = (part, whole) => (whole > 0 ? part / whole : 0);
const counted = (n, noun) => `${grouped(n)} ${noun}${n === 1 ? "" : "s"}`;

// A sentence of the data is plain text; on the page its times look like all others.
const spelled = (sentence) => sentence.replace(/(\d+(?:\.\d+)?) us/g, (_, us) => time(Number(us)));

// Of a program with named shapes; a file has none.
const shapeWords = ({ shape }) => (shape ? `shape ${shape}, ` : "");

// Where a run's times come from.
function ranOn(data) {
  if (data.device) {
    const own = `measured on a device (${data.device.recording}; ${data.device.file})`;
    return data.predicted ? `${own}, ${ranOn(data.predicted)}` : own;
  }
  const how = data.measured ? "measured" : "predicted";
  return `${how} on ${data.platform} (${data.machine.title}), rules ${data.rules}`;
}
