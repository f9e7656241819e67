// The same task in the run beside this one.
function peerFacts(timeline, i) {
  const { tasks, peer } = timeline;
  if (!peer) return [];
  const { start, end } = peer.tasks;
  const exec = tasks.end[i] - tasks.start[i],
    other = end[i] - start[i];
  const factor = exec > 0 ? ` (${significant(other / exec)}\u00d7)` : "";
  const lane = peer.lanes.lanes[peer.tasks.lane[i]].name;
  return [[peer.label, `${moment(start[i])} to ${moment(end[i])} on ${lane}, for ${time(other)}${factor}`]];
}

// What is known of one task, as [name, text].
function taskFacts(tasks, data, i, onPath) {
  const kernel = data.kernels[tasks.kernel[i]];
  const some = (list) => {
    const names = list
      .slice(0, 4)
      .map((t) => tasks.name(t))
      .join(", ");
    return list.length > 4 ? `${names} and ${grouped(list.length - 4)} more` : names;
  };
  const mark = onPath[i] ? " (on the critical path)" : "";
  const { start, end, dispatch, finish } = tasks;
  const fromHbm = data.measured ? "" : ` (${bytes(tasks.hbm[i])} from HBM)`;
  return [
    ["core", `${data.lanes[tasks.lane[i]].name}, ${kernel.core} task${mark}`],
    ["runs", `${moment(start[i])} to ${moment(end[i])}, for ${time(end[i] - start[i])}`],
    ...(knowsLatency(data) || !data.device
      ? [
          ["ready", moment(tasks.ready[i])],
          ["dispatched", `${moment(dispatch[i])}, ${time(start[i] - dispatch[i])} before it starts`],
          ["finished", `${moment(finish[i])}, ${time(finish[i] - end[i])} after it ends`],
        ]
      : []),
    knowsWork(data)
      ? ["GM", `${bytes(tasks.gmRead[i])} read${fromHbm}, ${bytes(tasks.gmWrite[i])} written`]
      : ["GM", ""],
    ["producers", some(tasks.producers(i)) || "none"],
    ["consumers", some(tasks.consumers(i)) || "none"],
    ["source", kernel.place],
  ];
}
