// On-chip memory of one kernel: addresses across, the kernel's life from top to bottom. A tile that
// a pipelined loop keeps in several copies shows each of them.
const mapWidth = 240,
  mapLeft = 1,
  mapTop = 8;

// All of the memory; when little of it is used, only the lower part, so that tiles can be seen.
function shownSize(memory) {
  const whole = Math.max(memory.physical ?? 0, memory.allocated, 1);
  let part = 1024;
  while (part < 1.5 * memory.allocated) part *= 2;
  return part * 4 <= whole ? part : whole;
}

function sizeText(memory, size) {
  if (size < (memory.physical ?? 0)) return `${bytes(size)} shown`;
  return memory.safe && memory.safe < size
    ? `safe ${bytes(memory.safe)}, all ${bytes(size)}`
    : bytes(size);
}

function memoryMap(memory, steps, tooltip, inside) {
  const size = shownSize(memory);
  const height = Math.min(300, Math.max(110, steps * 7));
  const x = (address) => mapLeft + (address / size) * (mapWidth - 2 * mapLeft);
  const y = (step) => mapTop + (step / steps) * height;
  const svg = drawn("svg", {
    viewBox: `0 0 ${mapWidth} ${mapTop + height + 24}`,
    role: "img",
    "aria-label": `tiles in ${memory.name}`,
  });
  svg.append(
    drawn("rect", {
      x: mapLeft,
      y: mapTop,
      width: mapWidth - 2 * mapLeft,
      height,
      fill: "var(--track)",
    }),
  );
  memory.tiles.forEach((tile, n) => svg.append(tileBox(tile, n, x, y, tooltip, inside)));
  const peak = y(memory.peak_at + 0.5);
  svg.append(
    drawn("line", { class: "edge", x1: mapLeft, x2: mapWidth - mapLeft, y1: peak, y2: peak }),
    drawn(
      "text",
      {
        class: "strong halo",
        x: mapWidth - mapLeft - 4,
        y: peak < mapTop + 18 ? peak + 13 : peak - 4,
        "text-anchor": "end",
      },
      `peak ${bytes(memory.peak)}`,
    ),
    drawn("text", { x: mapLeft, y: mapTop + height + 15 }, "0"),
    drawn(
      "text",
      { x: mapWidth - mapLeft, y: mapTop + height + 15, "text-anchor": "end" },
      sizeText(memory, size),
    ),
  );
  if (memory.safe && memory.safe < size)
    svg.append(
      drawn("line", {
        class: "limit",
        x1: x(memory.safe),
        x2: x(memory.safe),
        y1: mapTop,
        y2: mapTop + height,
      }),
    );
  const used = memory.physical
    ? `, ${percent(memory.allocated / memory.physical, 0)} of ${bytes(memory.physical)}`
    : "";
  const most = `  ${bytes(memory.peak)} alive at once, placed up to ${bytes(memory.allocated)}`;
  return make(
    "div",
    {},
    make(
      "h3",
      {},
      memory.name,
      make("span", { class: "soft", style: "font-weight: 400" }, most + used),
    ),
    svg,
  );
}

function tileBox(tile, n, x, y, tooltip, inside) {
  const group = drawn("g");
  const top = y(tile.first),
    height = Math.max(3, y(tile.last + 1) - top);
  for (let copy = 0; copy < tile.copies; ++copy) {
    const left = x(tile.address + copy * tile.bytes);
    const width = Math.max(1.5, x(tile.address + (copy + 1) * tile.bytes) - left);
    const box = drawn("rect", {
      x: left,
      y: top,
      width: Math.max(1, width - 0.5),
      height: Math.max(2, height - 0.5),
      rx: 1.5,
      opacity: copy === 0 ? 1 : 0.6,
    });
    onScheme(() =>
      box.setAttribute(
        "fill",
        tile.scratch ? "var(--faint)" : palettes[currentScheme][n % palettes[currentScheme].length],
      ),
    );
    group.append(box);
    if (copy === 0 && width > 7 * tile.name.length + 8 && height > 13) {
      const text = drawn("text", { x: left + 5, y: top + Math.min(height / 2, 12) + 3 }, tile.name);
      onScheme(
        () =>
          (text.style.fill = tile.scratch
            ? "var(--surface)"
            : inkOn(palettes[currentScheme][n % palettes[currentScheme].length])),
      );
      group.append(text);
    }
  }
  const at = (half) => inside.positions[half >> 1];
  tooltip.attach(
    group,
    tile.scratch ? `${tile.name} (working space of a reduction)` : tile.name,
    () => [
      ["tile", tile.tile],
      [
        "bytes",
        tile.copies > 1 ? `${tile.copies} copies of ${bytes(tile.bytes)}` : bytes(tile.bytes),
      ],
      [
        "address",
        `${grouped(tile.address)} to ${grouped(tile.address + tile.copies * tile.bytes)}`,
      ],
      ["alive", `from ${at(tile.first)?.op ?? "start"} to ${at(tile.last)?.op ?? "end"}`],
      ["source", tile.place],
    ],
  );
  return group;
}

// What is alive when most is.
function peakTable(memories) {
  const rows = memories.flatMap((m) =>
    m.tiles
      .filter((t) => t.first <= m.peak_at && m.peak_at <= t.last)
      .map((t) => ({ memory: m.name, ...t })),
  );
  return table(
    [
      {
        title: "alive at the peak",
        words: true,
        cell: (t) => make("span", { class: "code" }, t.name),
      },
      { title: "memory", words: true, cell: (t) => t.memory },
      { title: "tile", words: true, cell: (t) => t.tile },
      { title: "copies", cell: (t) => t.copies },
      { title: "bytes", cell: (t) => bytes(t.copies * t.bytes) },
      { title: "address", cell: (t) => grouped(t.address) },
      { title: "source", words: true, cell: (t) => make("span", { class: "code" }, t.place) },
    ],
    rows,
  );
}
