// Activates the extension, whose client is a stand-in that starts the real server with the settings
// of package.json, initializes it and shuts it down.
"use strict";
const assert = require("node:assert");
const { spawn } = require("node:child_process");
const Module = require("node:module");
const path = require("node:path");

const [directory, tilewright] = process.argv.slice(2);
const manifest = require(path.join(directory, "package.json"));

// What getConfiguration gives: values and functions, of which JSON keeps the values.
function configuration(section) {
  const values = { executable: tilewright };
  for (const [name, property] of Object.entries(manifest.contributes.configuration.properties)) {
    assert(name.startsWith(section + "."), name);
    const key = name.slice(section.length + 1);
    if (!(key in values)) values[key] = property.default;
  }
  return { ...values, get: (key) => values[key] };
}

const clients = [];

class LanguageClient {
  constructor(id, name, server, options) {
    Object.assign(this, { id, name, server, options, heard: [] });
    clients.push(this);
  }

  start() {
    this.process = spawn(this.server.command, this.server.args, { stdio: ["pipe", "pipe", "inherit"] });
    this.ended = new Promise((resolve) => this.process.on("exit", resolve));
    let rest = Buffer.alloc(0);
    this.process.stdout.on("data", (bytes) => {
      rest = Buffer.concat([rest, bytes]);
      for (;;) {
        const header = /^Content-Length: (\d+)\r\n\r\n/.exec(rest.toString("latin1"));
        if (!header || rest.length < header[0].length + Number(header[1])) return;
        const end = header[0].length + Number(header[1]);
        this.hear(JSON.parse(rest.subarray(header[0].length, end).toString()));
        rest = rest.subarray(end);
      }
    });
    return this.ask("initialize", {
      processId: process.pid, rootUri: null, capabilities: {},
      initializationOptions: this.options.initializationOptions,
    });
  }

  async stop() {
    await this.ask("shutdown");
    this.send({ method: "exit" });
    return this.ended;
  }

  hear(message) {
    this.heard.push(message);
    if (message.id === this.waiting?.id && !message.method) this.waiting.resolve(message);
  }

  send(message) {
    const text = JSON.stringify({ jsonrpc: "2.0", ...message });
    this.process.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  }

  ask(method, params) {
    this.last = (this.last ?? 0) + 1;
    const answer = new Promise((resolve) => (this.waiting = { id: this.last, resolve }));
    this.send({ id: this.last, method, params });
    return answer;
  }
}

const vscode = {
  workspace: {
    getConfiguration: configuration,
    createFileSystemWatcher: (pattern) => ({ pattern, dispose() {} }),
  },
};
const load = Module._load;
Module._load = (request, ...rest) => {
  if (request === "vscode") return vscode;
  if (request === "vscode-languageclient/node") return { LanguageClient };
  return load(request, ...rest);
};

(async () => {
  const extension = require(path.join(directory, manifest.main));
  const answer = await extension.activate({ subscriptions: [] });
  assert.strictEqual(clients.length, 1);
  assert.strictEqual(answer.result.serverInfo.name, "tilewright");
  assert(answer.result.capabilities.hoverProvider);
  const { documentSelector, synchronize } = clients[0].options;
  assert.deepStrictEqual(documentSelector, [{ language: "python" }]);
  assert.strictEqual(synchronize.configurationSection, "tilewright");
  // A setting with a default that the server refuses would be shown as an error.
  assert(!clients[0].heard.some((m) => m.method === "window/showMessage"), JSON.stringify(clients[0].heard));
  assert.strictEqual(await extension.deactivate(), 0);
  console.log("PASS");
})().catch((error) => {
  console.error(error);
  process.exit(1);
});
