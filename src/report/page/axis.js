// Round numbers along an axis.
function roundStep(span, most) {
  const raw = span / Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(raw));
  for (const factor of [1, 2, 5, 10]) if (factor * power >= raw) return factor * power;
  return 10 * power;
}

function ticks(low, high, most) {
  const step = roundStep(high - low, most);
  const out = [];
  for (let i = Math.ceil(low / step); i * step <= high + step * 1e-9; ++i) out.push(i * step);
  return { step, at: out };
}

// All labels of one axis in one unit, with as many digits as the step needs.
function timeLabels(low, high, step) {
  const [unit, scale] =
    high >= 1e5 ? ["ms", 1e-3] : high - low < 2 && step < 0.1 ? ["ns", 1e3] : [micro, 1];
  const digits = Math.max(0, -Math.floor(Math.log10(step * scale) + 1e-9));
  return (us) => `${grouped(us * scale, digits)} ${unit}`;
}
