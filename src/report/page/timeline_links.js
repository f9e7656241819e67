// Lines between tasks: the critical path, and the producers and consumers of a task of interest.
function taskBox(scene, i, width) {
  const { tasks, lanes, view } = scene;
  const scale = (width - gutter) / view.span;
  return {
    left: gutter + (tasks.start[i] - view.low) * scale,
    right: gutter + (tasks.end[i] - view.low) * scale,
    top: lanesTop + lanes.top[tasks.lane[i]],
    height: lanes.rowHeight - 1,
  };
}

function clipToLanes(context, width, height) {
  context.beginPath();
  context.rect(gutter, lanesTop - 2, width - gutter, height - lanesTop + 2);
  context.clip();
}

// From the end of one task to the start of another.
function traceLink(context, from, to) {
  const y1 = from.top + from.height / 2,
    y2 = to.top + to.height / 2;
  const bend = Math.max(6, Math.abs(to.left - from.right) / 2);
  context.moveTo(from.right, y1);
  context.bezierCurveTo(from.right + bend, y1, to.left - bend, y2, to.left, y2);
}

// Boxes and links of the path. Where its tasks are narrower than this there is nothing to see but
// ink: the strip above shows the path then.
const leastPathPixels = 3;

function paintPath(context, scene, width, height) {
  const { tasks, view, path, colours } = scene;
  context.save();
  clipToLanes(context, width, height);
  context.strokeStyle = colours.ink;
  context.lineWidth = 1.25;
  let before = null;
  for (const i of path) {
    const box = taskBox(scene, i, width);
    const near = tasks.end[i] >= view.low && tasks.start[i] <= view.high;
    const wide = box.right - box.left >= leastPathPixels;
    if (near && wide) {
      context.strokeRect(box.left + 0.5, box.top - 0.5, box.right - box.left - 1, box.height + 1);
      if (before) {
        context.beginPath();
        traceLink(context, before, box);
        context.stroke();
      }
    }
    before = wide ? box : null;
  }
  context.restore();
}

// Where and when the task ran in the run beside this one.
function paintGhost(context, scene, i, width, height) {
  const { tasks, lanes } = scene.peer;
  const { name } = lanes.lanes[tasks.lane[i]];
  const row = scene.lanes.lanes.findIndex((l) => l.name === name);
  if (row < 0) return;
  const scale = (width - gutter) / scene.view.span;
  const left = gutter + (tasks.start[i] - scene.view.low) * scale;
  const right = gutter + (tasks.end[i] - scene.view.low) * scale;
  context.save();
  clipToLanes(context, width, height);
  context.strokeStyle = scene.colours.ink;
  context.setLineDash([4, 2]);
  context.lineWidth = 1.5;
  context.strokeRect(
    left,
    lanesTop + scene.lanes.top[row] - 0.5,
    Math.max(2, right - left),
    scene.lanes.rowHeight,
  );
  context.restore();
}

const mostLinks = 200; // of one task, drawn

function paintNeighbours(context, scene, i, width, height) {
  const { tasks, colours } = scene;
  const own = taskBox(scene, i, width);
  context.save();
  clipToLanes(context, width, height);
  context.strokeStyle = colours.accent;
  context.lineWidth = 1.25;
  context.beginPath();
  for (const p of tasks.producers(i).slice(-mostLinks))
    traceLink(context, taskBox(scene, p, width), own);
  context.stroke();
  context.setLineDash([3, 3]);
  context.beginPath();
  for (const c of tasks.consumers(i).slice(0, mostLinks))
    traceLink(context, own, taskBox(scene, c, width));
  context.stroke();
  context.setLineDash([]);
  context.strokeStyle = colours.ink;
  context.lineWidth = 2;
  context.strokeRect(own.left, own.top - 0.5, Math.max(2, own.right - own.left), own.height + 1);
  context.restore();
}
