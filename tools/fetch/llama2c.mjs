// The checkpoint and tokenizer files of the well-known C runner.

// Seven int32 of sizes, then the weights kind by kind, each for all layers.
export function llama2cTensors(bytes) {
  const [dim, hidden, layers, heads, kvHeads, vocab, positions] = [0, 1, 2, 3, 4, 5, 6].map(i => bytes.readInt32LE(4 * i));
  const all = new Float32Array(new Uint8Array(bytes.subarray(28)).buffer);  // copied, so aligned
  const headDim = dim / heads, kvDim = headDim * kvHeads;
  let at = 0;
  const take = n => all.subarray(at, at += n);
  const perLayer = n => Array.from({ length: layers }, () => take(n));

  // The runner rotates rows 2i and 2i + 1 together; here the pairs are i and i + D/2.
  const byHalves = w => {
    const out = new Float32Array(w.length);
    const rows = w.length / dim;
    for (let row = 0; row < rows; row++) {
      const inHead = row % headDim;
      const from = row - inHead + 2 * (inHead % (headDim / 2)) + Math.floor(inHead / (headDim / 2));
      out.set(w.subarray(from * dim, (from + 1) * dim), row * dim);
    }
    return out;
  };

  const embedding = take(vocab * dim);
  const attentionNorm = perLayer(dim);
  const q = perLayer(dim * dim), k = perLayer(dim * kvDim), v = perLayer(dim * kvDim), o = perLayer(dim * dim);
  const mlpNorm = perLayer(dim);
  const gate = perLayer(dim * hidden), down = perLayer(dim * hidden), up = perLayer(dim * hidden);
  const norm = take(dim);

  const tensors = [{ name: 'model.embed_tokens.weight', shape: [vocab, dim], data: embedding }];
  for (let l = 0; l < layers; l++) {
    const add = (name, shape, data) => tensors.push({ name: `model.layers.${l}.${name}.weight`, shape, data });
    add('input_layernorm', [dim], attentionNorm[l]);
    add('self_attn.q_proj', [dim, dim], byHalves(q[l]));
    add('self_attn.k_proj', [kvDim, dim], byHalves(k[l]));
    add('self_attn.v_proj', [kvDim, dim], v[l]);
    add('self_attn.o_proj', [dim, dim], o[l]);
    add('post_attention_layernorm', [dim], mlpNorm[l]);
    add('mlp.gate_proj', [hidden, dim], gate[l]);
    add('mlp.down_proj', [dim, hidden], down[l]);
    add('mlp.up_proj', [hidden, dim], up[l]);
  }
  tensors.push({ name: 'model.norm.weight', shape: [dim], data: norm });
  const config = {
    architectures: ['LlamaForCausalLM'], model_type: 'llama', hidden_size: dim, intermediate_size: hidden,
    num_hidden_layers: layers, num_attention_heads: heads, num_key_value_heads: kvHeads, head_dim: headDim, vocab_size: vocab,
    max_position_embeddings: positions, rms_norm_eps: 1e-5, rope_theta: 10000.0, hidden_act: 'silu', tie_word_embeddings: true,
    attention_bias: false, bos_token_id: 1, eos_token_id: 2, torch_dtype: 'float32',
  };
  return { config, tensors };
}

// The longest piece's length, then for each piece its score, length and bytes. Pieces merge by the
// score of what they become, which gives every pair that makes a piece its rank.
export function llama2cTokenizer(bytes, vocab) {
  const kMark = '\u2581';  // how tokenizer.json writes a space
  const pieces = [], scores = [];
  for (let at = 4; pieces.length < vocab;) {
    scores.push(bytes.readFloatLE(at));
    const size = bytes.readInt32LE(at + 4);
    pieces.push(bytes.toString('utf8', at + 8, at + 8 + size).replaceAll(' ', kMark));
    at += 8 + size;
  }
  pieces[1] = '<s>';
  pieces[2] = '</s>';
  // The bytes follow the three special pieces; older files write them as themselves.
  for (let b = 0; b < 256; b++) pieces[3 + b] = `<0x${b.toString(16).toUpperCase().padStart(2, '0')}>`;
  const kFirstMade = 3 + 256;
  const ids = new Map(pieces.map((piece, id) => [piece, id]));
  const merges = [];
  pieces.forEach((piece, id) => {
    const letters = [...piece];
    if (id < kFirstMade) return;
    const ways = [];
    for (let cut = 1; cut < letters.length; cut++) {
      const left = letters.slice(0, cut).join(''), right = letters.slice(cut).join('');
      if (ids.has(left) && ids.has(right)) ways.push([left, right]);
    }
    ways.sort((a, b) => ids.get(a[0]) - ids.get(b[0]) || ids.get(a[1]) - ids.get(b[1]));
    for (const pair of ways) merges.push({ score: scores[id], pair });
  });
  merges.sort((a, b) => b.score - a.score);  // stable: equal scores keep the order of ids

  const special = (id, content) => ({ id, content, single_word: false, lstrip: false, rstrip: false, normalized: false, special: true });
  return {
    version: '1.0', truncation: null, padding: null,
    added_tokens: [special(0, '<unk>'), special(1, '<s>'), special(2, '</s>')],
    normalizer: { type: 'Sequence', normalizers: [{ type: 'Prepend', prepend: kMark }, { type: 'Replace', pattern: { String: ' ' }, content: kMark }] },
    pre_tokenizer: null,
    post_processor: { type: 'TemplateProcessing', single: [{ SpecialToken: { id: '<s>', type_id: 0 } }, { Sequence: { id: 'A', type_id: 0 } }],
      pair: [{ Sequence: { id: 'A', type_id: 0 } }, { Sequence: { id: 'B', type_id: 1 } }], special_tokens: { '<s>': { id: '<s>', ids: [1], tokens: ['<s>'] } } },
    decoder: { type: 'Sequence', decoders: [{ type: 'Replace', pattern: { String: kMark }, content: ' ' }, { type: 'ByteFallback' }, { type: 'Fuse' },
      { type: 'Strip', content: ' ', start: 1, stop: 0 }] },
    model: { type: 'BPE', dropout: null, unk_token: '<unk>', continuing_subword_prefix: null, end_of_word_suffix: null, fuse_unk: true,
      byte_fallback: true, ignore_merges: false, vocab: Object.fromEntries(ids), merges: merges.map(m => m.pair) },
  };
}
