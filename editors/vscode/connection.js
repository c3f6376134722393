// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program that speaks JSON-RPC over its standard streams, with the headers of the Language Server Protocol.
const { spawn } = require("child_process");

class Connection {
  // `receive(method, params)` gets notifications, `ended(why)` the end of the program, once. `write` gets what it prints on
  // standard error.
  constructor(command, args, { receive, ended, write }) {
    this.receive = receive;
    this.waiting = new Map(); // by id of the request
    this.next = 1;
    this.bytes = Buffer.alloc(0);
    let reported = false;
    const end = (why) => {
      if (reported) return;
      reported = true;
      this.closed = true;
      for (const { reject } of this.waiting.values()) reject(new Error(why));
      this.waiting.clear();
      ended(why);
    };
    this.process = spawn(command, args, { stdio: "pipe" });
    this.process.on("error", (error) => end(`cannot start \`${command}\`: ${error.message}`));
    this.process.on("exit", (code, signal) => end(`\`${command}\` ended with ${signal ?? `status ${code}`}`));
    this.process.stdin.on("error", () => {}); // the end is reported by `exit`
    this.process.stdout.on("data", (data) => this.read(data));
    this.process.stderr.on("data", (data) => write(data.toString()));
  }

  request(method, params) {
    if (this.closed) return Promise.reject(new Error("the server is not running"));
    const id = this.next++;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.send({ id, method, params });
    });
  }

  notify(method, params) {
    if (!this.closed) this.send({ method, params });
  }

  // After `exit` was sent; a program that goes on is ended.
  async close() {
    if (this.closed) return;
    await new Promise((resolve) => {
      const timer = setTimeout(() => this.process.kill(), 2000);
      this.process.once("exit", () => {
        clearTimeout(timer);
        resolve();
      });
      this.process.stdin.end();
    });
  }

  send(message) {
    const text = Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message }));
    this.process.stdin.write(Buffer.concat([Buffer.from(`Content-Length: ${text.length}\r\n\r\n`), text]));
  }

  read(data) {
    this.bytes = Buffer.concat([this.bytes, data]);
    for (;;) {
      const end = this.bytes.indexOf("\r\n\r\n");
      if (end < 0) return;
      const length = Number(/content-length: *(\d+)/i.exec(this.bytes.toString("latin1", 0, end))?.[1]);
      if (!(length >= 0)) {
        this.process.kill(); // what comes next cannot be found
        return;
      }
      if (this.bytes.length < end + 4 + length) return;
      const message = JSON.parse(this.bytes.toString("utf8", end + 4, end + 4 + length));
      this.bytes = this.bytes.subarray(end + 4 + length);
      this.take(message);
    }
  }

  take(message) {
    if (message.method !== undefined) return this.receive(message.method, message.params);
    const waiting = this.waiting.get(message.id);
    this.waiting.delete(message.id);
    if (!waiting) return undefined;
    return message.error ? waiting.reject(new Error(message.error.message)) : waiting.resolve(message.result);
  }
}

module.exports = { Connection };
