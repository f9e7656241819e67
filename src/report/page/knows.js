// What a run knows. A prediction knows everything. A run on this CPU has no dispatch and no rates of
// a machine. The profile of a device has the times of its level, and the work of its program if that
// is known.
const knowsLatency = (data) => (data.device ? data.device.latency : !data.measured);
const knowsWork = (data) => !data.device || data.predicted !== null;
const knowsRates = (data) => (data.device ? data.predicted !== null : !data.measured);
