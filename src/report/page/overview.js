// The whole run in a strip: how many cores of each kind are busy, and which part is on screen.
function busyShares(tasks, lanes, buckets) {
  const kinds = [...new Set(lanes.lanes.map((lane) => lane.core))];
  const width = tasks.total / buckets;
  const shares = kinds.map(() => new Float64Array(buckets));
  const cores = kinds.map((kind) => lanes.lanes.filter((l) => l.core === kind).length);
  lanes.order.forEach((list, lane) => {
    const share = shares[kinds.indexOf(lanes.lanes[lane].core)];
    for (const i of list) {
      let at = tasks.start[i];
      while (at < tasks.end[i] && at < tasks.total) {
        const bucket = Math.min(buckets - 1, Math.floor(at / width + 1e-9));
        const until =
          bucket + 1 === buckets ? tasks.end[i] : Math.min(tasks.end[i], (bucket + 1) * width);
        share[bucket] += (until - at) / width;
        at = until;
      }
    }
  });
  return kinds.map((kind, k) => ({
    kind,
    share: shares[k].map((s) => (cores[k] ? s / cores[k] : 0)),
  }));
}

// Pressing or dragging in the strip brings that part of the run to the middle of the view.
function pickFrom(overview, view) {
  const pick = (event) => {
    if (!event.buttons) return;
    const at = ((event.offsetX - gutter) / Math.max(1, overview.width - gutter)) * view.total;
    view.set(at - view.span / 2, at + view.span / 2);
  };
  overview.canvas.addEventListener("pointerdown", pick);
  overview.canvas.addEventListener("pointermove", pick);
}

// `total` is how long the run takes; the view may be of a longer one beside it.
function paintBusy(context, busy, total, view, width, height, colours) {
  const rows = busy.length;
  const rowHeight = height / rows - 4;
  context.font = `10px ${colours.sans}`;
  context.textBaseline = "middle";
  context.textAlign = "right";
  busy.forEach(({ kind, share }, row) => {
    const y = row * (rowHeight + 4);
    context.fillStyle = colours.soft;
    context.fillText(`${kind === "mixed" ? "threads" : kind} busy`, gutter - 8, y + rowHeight / 2);
    context.fillStyle = colours.track;
    context.fillRect(gutter, y, width - gutter, rowHeight);
    context.fillStyle = colours.faint;
    const step = ((width - gutter) * (total / view.total)) / share.length;
    share.forEach((s, i) => {
      const tall = Math.min(1, s) * rowHeight;
      context.fillRect(gutter + i * step, y + rowHeight - tall, step + 0.5, tall);
    });
  });
  const left = gutter + (view.low / view.total) * (width - gutter);
  const right = gutter + (view.high / view.total) * (width - gutter);
  if (view.span >= view.total * 0.999) return;
  context.strokeStyle = colours.accent;
  context.lineWidth = 2;
  context.strokeRect(left, 1, Math.max(2, right - left), height - 6);
}
