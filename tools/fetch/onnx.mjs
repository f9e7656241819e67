// The weights of an 8-bit ONNX export of a llama model, under their Hugging Face names and in F32.
// ONNX is protobuf: fields of (number << 3 | wire type).

function varint(bytes, at) {
  let value = 0, scale = 1;
  for (;;) {
    const byte = bytes[at++];
    value += (byte & 127) * scale;
    if (byte < 128) return [value, at];
    scale *= 128;
  }
}

function* fields(bytes) {
  for (let at = 0; at < bytes.length;) {
    let key, value, size;
    [key, at] = varint(bytes, at);
    const wire = key & 7;
    if (wire === 0) {
      [value, at] = varint(bytes, at);
    } else {
      if (wire === 2) [size, at] = varint(bytes, at);
      else size = wire === 5 ? 4 : 8;
      value = bytes.subarray(at, at + size);
      at += size;
    }
    yield [Math.floor(key / 8), value];
  }
}

function readTensor(bytes) {
  const t = { dims: [], name: '', type: 0, raw: new Uint8Array() };
  for (const [field, value] of fields(bytes)) {
    if (field === 1 && typeof value === 'number') t.dims.push(value);
    else if (field === 1) for (let at = 0, d; at < value.length;) { [d, at] = varint(value, at); t.dims.push(d); }
    else if (field === 2) t.type = value;
    else if (field === 8) t.name = Buffer.from(value).toString();
    else if (field === 9 || (field === 4 && !t.raw.length)) t.raw = value;
  }
  return t;
}

function readNode(bytes) {
  const n = { op: '', name: '', inputs: [] };
  for (const [field, value] of fields(bytes)) {
    if (field === 1) n.inputs.push(Buffer.from(value).toString());
    else if (field === 3) n.name = Buffer.from(value).toString();
    else if (field === 4) n.op = Buffer.from(value).toString();
  }
  return n;
}

const floats = raw => new Float32Array(new Uint8Array(raw).buffer);  // copied, so aligned

export function onnxToTensors(model) {
  const initializers = new Map(), nodes = [];
  for (const [field, graph] of fields(model)) {
    if (field !== 7) continue;
    for (const [part, value] of fields(graph)) {
      if (part === 5) { const t = readTensor(value); initializers.set(t.name, t); }
      else if (part === 1) nodes.push(readNode(value));
    }
  }
  const kInt8 = 3;
  const dequantised = name => {
    const q = initializers.get(name + '_quantized'), scale = floats(initializers.get(name + '_scale').raw)[0];
    const signed = q.type === kInt8;
    const data = Float32Array.from(q.raw, b => (signed ? (b << 24) >> 24 : b - 128) * scale);
    return { shape: q.dims, data };
  };
  const transposed = ({ shape: [n, m], data }) => {
    const out = new Float32Array(n * m);
    for (let i = 0; i < n; i++) for (let j = 0; j < m; j++) out[j * n + i] = data[i * m + j];
    return { shape: [m, n], data: out };
  };

  const tensors = [{ name: 'model.embed_tokens.weight', ...dequantised('model.embed_tokens.weight') }];
  for (const node of nodes) {
    if (node.op !== 'MatMulInteger') continue;
    const layer = /^\/(model\/layers\.\d+\/(?:self_attn|mlp)\/\w+_proj)\//.exec(node.name);
    const name = (layer ? layer[1].replaceAll('/', '.') : 'lm_head') + '.weight';
    tensors.push({ name, ...transposed(dequantised(node.inputs[1].replace(/_quantized$/, ''))) });
  }
  for (const [name, t] of initializers)
    if (name.endsWith('norm.weight')) tensors.push({ name, shape: t.dims, data: floats(t.raw) });
  return tensors;
}
