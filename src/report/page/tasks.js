// The tasks of a run: times in microseconds since the first dispatch, names, producers, consumers.
class Tasks {
  constructor(data) {
    const t = data.tasks;
    const unit = t.tick_ps / 1e6;
    const us = (column) => Float64Array.from(decodeColumn(column), (ticks) => ticks * unit);
    this.count = t.count;
    this.kernels = data.kernels;
    this.kernel = decodeColumn(t.kernel);
    this.lane = decodeColumn(t.lane);
    this.start = us(t.start);
    const exec = us(t.exec),
      head = us(t.head),
      tail = us(t.tail),
      wait = us(t.wait);
    this.end = this.start.map((s, i) => s + exec[i]);
    this.dispatch = this.start.map((s, i) => s - head[i]);
    this.finish = this.end.map((e, i) => e + tail[i]);
    this.ready = this.dispatch.map((d, i) => d - wait[i]);
    this.gmRead = decodeColumn(t.gm_read);
    this.gmWrite = decodeColumn(t.gm_write);
    this.hbm = decodeColumn(t.hbm);
    this.total = data.all.total_us;
    this.scalars = decodeColumn(t.scalars);
    this.producerDistance = decodeColumn(t.producers.distance);
    this.producerBegin = this.running(decodeColumn(t.producers.count));
    this.scalarBegin = this.running(Array.from(this.kernel, (k) => data.kernels[k].scalars.length));
    this.consumerLists = null;
  }
  running(counts) {
    const begin = new Uint32Array(this.count + 1);
    for (let i = 0; i < this.count; ++i) begin[i + 1] = begin[i] + counts[i];
    return begin;
  }
  // "out_proj[ob=3]": the kernel and the scalars that tell its executions apart.
  name(i) {
    const kernel = this.kernels[this.kernel[i]];
    const words = kernel.scalars.map((s, n) => `${s}=${this.scalars[this.scalarBegin[i] + n]}`);
    return words.length ? `${kernel.name}[${words.join(", ")}]` : kernel.name;
  }
  producers(i) {
    return Array.from(
      this.producerDistance.subarray(this.producerBegin[i], this.producerBegin[i + 1]),
      (distance) => i - distance,
    );
  }
  consumers(i) {
    const { begin, task } = (this.consumerLists ??= this.invert());
    return Array.from(task.subarray(begin[i], begin[i + 1]));
  }
  // The edges the other way round; made when first asked for.
  invert() {
    const begin = new Uint32Array(this.count + 1);
    this.eachEdge((from) => ++begin[from + 1]);
    for (let i = 0; i < this.count; ++i) begin[i + 1] += begin[i];
    const next = begin.slice();
    const task = new Uint32Array(this.producerDistance.length);
    this.eachEdge((from, to) => (task[next[from]++] = to));
    return { begin, task };
  }
  eachEdge(visit) {
    for (let i = 0; i < this.count; ++i)
      for (let e = this.producerBegin[i]; e < this.producerBegin[i + 1]; ++e)
        visit(i - this.producerDistance[e], i);
  }
}
