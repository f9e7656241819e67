// Painting of cores over time. A task wider than a pixel is a rectangle; narrower ones are gathered
// pixel by pixel, in the colour of the kernel that fills most of it and as strong as it is full.
const gutter = 72; // for the names of cores
const axisHeight = 22;
const stripHeight = 14; // the critical path, above the cores
const lanesTop = axisHeight + stripHeight + 8;

function paintAxis(context, view, width, height, colours) {
  const labels = Math.max(2, Math.floor((width - gutter) / 110));
  const { step, at } = ticks(view.low, view.high, labels);
  const label = timeLabels(view.low, view.high, step);
  context.font = `11px ${colours.sans}`;
  context.textBaseline = "middle";
  for (const us of at) {
    const x = Math.round(gutter + ((us - view.low) / view.span) * (width - gutter)) + 0.5;
    context.fillStyle = colours.line;
    context.fillRect(x - 0.5, axisHeight - 4, 1, height - axisHeight + 4);
    context.fillStyle = colours.soft;
    const half = context.measureText(label(us)).width / 2;
    context.textAlign = "center";
    context.fillText(
      label(us),
      Math.min(Math.max(x, gutter + half), width - half),
      axisHeight / 2 - 1,
    );
  }
}

function paintNames(context, lanes, colours) {
  context.font = `10px ${colours.sans}`;
  context.textAlign = "right";
  context.textBaseline = "middle";
  context.fillStyle = colours.soft;
  for (const group of lanes.groups)
    context.fillText(
      lanes.lanes[group.first].name,
      gutter - 8,
      lanesTop + group.y + group.height / 2,
    );
}

// Gathers tasks that are narrower than a pixel, in time order.
class PixelRun {
  constructor(context, scene, y, height) {
    Object.assign(this, { context, scene, y, height, x: -1, full: 0, kernel: -1, most: 0 });
  }
  add(x, part, kernel) {
    if (x !== this.x) this.flush();
    this.x = x;
    this.full += part;
    if (part > this.most) [this.most, this.kernel] = [part, kernel];
  }
  flush() {
    if (this.full > 0) {
      this.context.globalAlpha =
        Math.min(1, Math.max(0.3, this.full)) * this.scene.strength(this.kernel);
      this.context.fillStyle = this.scene.palette.of(this.kernel);
      this.context.fillRect(this.x, this.y, 1, this.height);
    }
    this.full = this.most = 0;
  }
}

// `scene`: tasks, lanes, palette, view, onPath (by task), strength(kernel, task) from 0 to 1.
function paintLane(context, scene, lane, width) {
  const { tasks, lanes, view } = scene;
  const list = lanes.order[lane];
  const scale = (width - gutter) / view.span;
  const y = lanesTop + lanes.top[lane],
    height = lanes.rowHeight - 1;
  const run = new PixelRun(context, scene, y, height);
  for (let n = lanes.firstAfter(lane, view.low); n < list.length; ++n) {
    const i = list[n];
    if (tasks.start[i] > view.high) break;
    const left = Math.max(gutter, gutter + (tasks.start[i] - view.low) * scale);
    const right = Math.min(width, gutter + (tasks.end[i] - view.low) * scale);
    if (right - left < 1.5) {
      run.add(Math.floor(left), Math.max(right - left, 0.02), tasks.kernel[i]);
      continue;
    }
    run.flush();
    context.globalAlpha = scene.strength(tasks.kernel[i], i);
    context.fillStyle = scene.palette.of(tasks.kernel[i]);
    const gap = right - left > 4 ? 0.5 : 0; // neighbours of one colour stay two
    context.fillRect(left, y, right - left - gap, height);
    if (height >= 10 && right - left > 70) paintLabel(context, scene, i, left, right, y, height);
  }
  run.flush();
  context.globalAlpha = 1;
}

function paintLabel(context, scene, i, left, right, y, height) {
  context.save();
  context.beginPath();
  context.rect(left, y, right - left - 4, height);
  context.clip();
  context.fillStyle = inkOn(scene.palette.of(scene.tasks.kernel[i]));
  context.font = `10px ${scene.colours.sans}`;
  context.textAlign = "left";
  context.textBaseline = "middle";
  context.fillText(scene.tasks.name(i), left + 4, y + height / 2 + 0.5);
  context.restore();
}

// The critical path as one lane of its own: what the whole run waits for at each moment.
function paintPathStrip(context, scene, width) {
  const { tasks, view, path, colours } = scene;
  const scale = (width - gutter) / view.span;
  const y = axisHeight + 2;
  context.font = `10px ${colours.sans}`;
  context.textAlign = "right";
  context.textBaseline = "middle";
  context.fillStyle = colours.ink;
  context.fillText("critical", gutter - 8, y + stripHeight / 2);
  context.fillStyle = colours.track;
  context.fillRect(gutter, y, width - gutter, stripHeight);
  for (const i of path) {
    if (tasks.end[i] < view.low || tasks.start[i] > view.high) continue;
    const left = Math.max(gutter, gutter + (tasks.start[i] - view.low) * scale);
    const right = Math.min(width, gutter + (tasks.end[i] - view.low) * scale);
    context.fillStyle = scene.palette.of(tasks.kernel[i]);
    context.fillRect(left, y, Math.max(0.5, right - left), stripHeight);
  }
}

function paintTimeline(context, scene, width, height) {
  paintAxis(context, scene.view, width, height, scene.colours);
  context.fillStyle = scene.colours.track;
  for (const group of scene.lanes.groups)
    context.fillRect(gutter, lanesTop + group.y, width - gutter, group.height - 1);
  scene.lanes.order.forEach((_, lane) => paintLane(context, scene, lane, width));
  paintPathStrip(context, scene, width);
  paintNames(context, scene.lanes, scene.colours);
}
