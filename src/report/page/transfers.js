// How large the rows are that DMA moves, and how full the cube's rows are.
function histogram(data) {
  const rows = data.all.transfers;
  const used = rows
    .map((n, bin) => ({ bin, rows: n, bytes: n * 2 ** bin }))
    .filter((b) => b.rows > 0);
  if (used.length === 0) return make("p", { class: "soft" }, "Nothing is moved.");
  const first = used[0].bin,
    last = used[used.length - 1].bin;
  const all = { rows: 0, bytes: 0 };
  for (const b of used) {
    all.rows += b.rows;
    all.bytes += b.bytes;
  }
  const width = 560,
    height = 210,
    left = 6,
    top = 26,
    base = height - 26;
  const slot = (width - 2 * left) / (last - first + 1);
  const y = (share) => base - share * (base - top);
  const svg = drawn("svg", {
    viewBox: `0 0 ${width} ${height}`,
    role: "img",
    "aria-label": "sizes of transfers",
  });
  svg.append(drawn("line", { class: "grid", x1: left, x2: width - left, y1: base, y2: base }));
  const limit = Math.log2(data.machine.dma_row_bytes || 0);
  if (limit > first && limit <= last) {
    const x = left + (limit - first) * slot;
    svg.append(
      drawn("line", { class: "limit", x1: x, x2: x, y1: top - 8, y2: base }),
      drawn(
        "text",
        x > width / 2 ? { x: x - 5, y: top - 6, "text-anchor": "end" } : { x: x + 5, y: top - 6 },
        `rows below ${bytes(data.machine.dma_row_bytes)} waste bandwidth`,
      ),
    );
  }
  for (let bin = first; bin <= last; ++bin) {
    const x = left + (bin - first) * slot;
    const one = used.find((b) => b.bin === bin) ?? { rows: 0, bytes: 0 };
    const bars = [
      [one.rows / all.rows, "var(--faint)"],
      [one.bytes / all.bytes, "var(--accent)"],
    ];
    bars.forEach(([share, fill], n) => {
      if (share === 0) return;
      const bw = Math.min(40, slot * 0.38),
        bx = x + slot / 2 + (n - 1) * bw;
      svg.append(
        drawn("rect", {
          x: bx,
          y: y(share),
          width: bw - 2,
          height: Math.max(1, base - y(share)),
          fill,
          rx: 1.5,
        }),
      );
      // The labels of a pair lean away from each other; small shares have no room for one.
      if (slot > 38 && share >= 0.03)
        svg.append(
          drawn(
            "text",
            {
              class: "halo",
              x: n === 0 ? bx + bw - 3 : bx,
              y: y(share) - 4,
              "text-anchor": n === 0 ? "end" : "start",
            },
            percent(share, 0),
          ),
        );
    });
    svg.append(
      drawn(
        "text",
        { x: x + slot / 2, y: base + 16, "text-anchor": "middle" },
        bytes(2 ** bin).replace("iB", ""),
      ),
    );
  }
  return make(
    "div",
    {},
    svg,
    make(
      "p",
      { class: "small soft" },
      make("span", { class: "chip", style: "background: var(--faint)" }),
      " share of rows  ",
      make("span", { class: "chip", style: "background: var(--accent); margin-left: 12px" }),
      ` share of bytes; ${counted(all.rows, "row")} in all, each bar from its size to the next`,
    ),
  );
}

function rowBars(data, palette) {
  const cube = data.stages.filter((s) => s.mac_rows > 0);
  if (cube.length === 0) return make("p", { class: "soft" }, "No stage uses the cube.");
  return make(
    "div",
    { class: "bars" },
    cube.map((s) => {
      const cells = bar(
        data.kernels[s.kernel].name,
        s.mac_rows_used / s.mac_rows,
        percent(s.mac_rows_used / s.mac_rows, 0),
      );
      onScheme(() => (cells[1].firstChild.style.background = palette.of(s.kernel)));
      return cells;
    }),
  );
}

function transfersSection(data, palette) {
  return section(
    "transfers",
    "Sizes of transfers, rows of the cube",
    "A row is one contiguous piece of a transfer between GM and a core. The cube works on rows in groups; rows " +
      "without data cost the same.",
    make(
      "div",
      { class: "columns" },
      make("div", {}, make("h3", {}, "Rows moved, by size"), histogram(data)),
      make("div", {}, make("h3", {}, "Rows of matmuls that hold data"), rowBars(data, palette)),
    ),
  );
}
