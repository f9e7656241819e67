// Where cores stand in the timeline and which tasks each of them ran, in the order of time. A mixed
// task is on its cube core and on the vector cores of that cluster.
class Lanes {
  constructor(data, tasks) {
    this.tasks = tasks;
    this.lanes = data.lanes;
    const cluster = new Map();
    data.lanes.forEach((lane, i) => {
      if (!cluster.has(lane.cluster)) cluster.set(lane.cluster, []);
      cluster.get(lane.cluster).push(i);
    });
    const lists = data.lanes.map(() => []);
    for (let i = 0; i < tasks.count; ++i) {
      const mixed = data.kernels[tasks.kernel[i]].core === "mixed";
      const own = tasks.lane[i];
      for (const lane of mixed ? cluster.get(data.lanes[own].cluster) : [own]) lists[lane].push(i);
    }
    this.order = lists.map((list) =>
      Uint32Array.from(list).sort((a, b) => tasks.start[a] - tasks.start[b]),
    );
    this.place([...cluster.values()]);
  }
  // Cores of a cluster close together, clusters a little apart.
  place(clusters) {
    this.rowHeight = this.lanes.length > 40 ? 7 : this.lanes.length > 12 ? 11 : 18;
    const apart = 3;
    this.top = new Array(this.lanes.length);
    let y = 0;
    this.groups = [];
    for (const members of clusters) {
      this.groups.push({ y, height: members.length * this.rowHeight, first: members[0] });
      for (const lane of members) {
        this.top[lane] = y;
        y += this.rowHeight;
      }
      y += apart;
    }
    this.height = y;
  }
  laneAt(y) {
    const found = this.top.findIndex((top) => y >= top && y < top + this.rowHeight);
    return found;
  }
  // Index in the lane's list of the first task that ends after `us`.
  firstAfter(lane, us) {
    const list = this.order[lane];
    let low = 0,
      high = list.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.tasks.end[list[middle]] < us) low = middle + 1;
      else high = middle;
    }
    return low;
  }
  // The task at a moment, or the nearest one within `slack`; -1 when there is none.
  taskAt(lane, us, slack) {
    if (lane < 0) return -1;
    const list = this.order[lane];
    const at = this.firstAfter(lane, us);
    let best = -1,
      distance = slack;
    for (const i of [list[at - 1], list[at]]) {
      if (i === undefined) continue;
      const away = Math.max(0, this.tasks.start[i] - us, us - this.tasks.end[i]);
      if (away <= distance) [best, distance] = [i, away];
    }
    return best;
  }
}
