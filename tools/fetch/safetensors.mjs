// Writes [{name, shape, data: Float32Array}] as safetensors in F32.
import fs from 'fs';

export function writeSafetensors(file, tensors) {
  const header = { __metadata__: { format: 'pt' } };
  let at = 0;
  for (const { name, shape, data } of tensors) {
    header[name] = { dtype: 'F32', shape, data_offsets: [at, at + data.byteLength] };
    at += data.byteLength;
  }
  let text = JSON.stringify(header);
  text = text.padEnd(Math.ceil(text.length / 8) * 8);
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.length));
  const out = fs.openSync(file, 'w');
  try {
    fs.writeSync(out, length);
    fs.writeSync(out, text);
    for (const { data } of tensors) fs.writeSync(out, Buffer.from(data.buffer, data.byteOffset, data.byteLength));
  } finally {
    fs.closeSync(out);
  }
}
