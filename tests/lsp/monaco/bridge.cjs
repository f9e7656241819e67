// Between a page and the language server: serves Monaco and the page, starts the browser, and carries
// messages. What the page posts goes to the server's stdin; what the server says is an event.
"use strict";
const { spawn } = require("node:child_process");
const fs = require("node:fs");
const http = require("node:http");
const os = require("node:os");
const path = require("node:path");

const [tilewright, directory] = process.argv.slice(2);
const monaco = path.join(directory, "node_modules/monaco-editor/min");
const types = { ".js": "text/javascript", ".css": "text/css", ".html": "text/html", ".ttf": "font/ttf" };

const lsp = spawn(tilewright, ["lsp"], { stdio: ["pipe", "pipe", "inherit"] });
lsp.stdin.on("error", () => {});  // it may have ended before the page's last message
let events = null;
let bytes = Buffer.alloc(0);
lsp.stdout.on("data", (more) => {
  bytes = Buffer.concat([bytes, more]);
  for (;;) {
    const end = bytes.indexOf("\r\n\r\n");
    if (end < 0) return;
    const length = Number(/Content-Length: (\d+)/.exec(bytes.subarray(0, end))[1]);
    if (bytes.length < end + 4 + length) return;
    const message = bytes.subarray(end + 4, end + 4 + length).toString();
    bytes = bytes.subarray(end + 4 + length);
    events.write(`data: ${message}\n\n`);
  }
});

const profile = fs.mkdtempSync(path.join(os.tmpdir(), "tilewright-monaco-"));
let browser;
function finish(code, text) {
  console.log(text);
  lsp.kill();
  try { process.kill(-browser.pid, "SIGKILL"); } catch { /* it is gone */ }
  setTimeout(() => {
    fs.rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    process.exit(code);
  }, 300);
}

function body(request, then) {
  const parts = [];
  request.on("data", (p) => parts.push(p));
  request.on("end", () => then(Buffer.concat(parts)));
}

const server = http.createServer((request, response) => {
  const url = new URL(request.url, "http://127.0.0.1");
  if (url.pathname === "/events") {
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    events = response;
    response.write(": ready\n\n");
  } else if (url.pathname === "/lsp") {
    body(request, (b) => {
      lsp.stdin.write(`Content-Length: ${b.length}\r\n\r\n`);
      lsp.stdin.write(b);
      response.end();
    });
  } else if (url.pathname === "/done") {
    body(request, (b) => { response.end(); finish(b.toString() === "PASS" ? 0 : 1, b.toString()); });
  } else {
    const file = url.pathname.startsWith("/vs/")
      ? path.join(monaco, path.normalize(url.pathname)) : path.join(__dirname, path.basename(url.pathname));
    fs.readFile(file, (error, content) => {
      response.writeHead(error ? 404 : 200, { "Content-Type": types[path.extname(file)] ?? "text/plain" });
      response.end(error ? "" : content);
    });
  }
});
server.listen(0, "127.0.0.1", () => {
  const page = `http://127.0.0.1:${server.address().port}/page.html`;
  browser = spawn("chromium", ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
    "--disable-background-networking", "--window-size=1400,900", `--user-data-dir=${profile}`,
    "--remote-debugging-port=0", page], { detached: true, stdio: "ignore" });
  setTimeout(() => finish(1, "FAIL: the page has not finished after 240 s"), 240_000).unref?.();
});
