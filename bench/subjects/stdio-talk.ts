import type { Running } from '../programs/program.js';

export interface Message {
  readonly method: string;
  readonly params: unknown;
}

const newline = 10;

/** JSON-RPC over a process's stdin and stdout, by hand: a line out, a line in. */
export class StdioTalk {
  private parts: Buffer[] = [];
  private readonly waiting: { resolve: (line: Buffer) => void; reject: (error: Error) => void }[] = [];
  private id = 0;
  private end: Error | undefined;

  constructor(private readonly running: Running) {
    running.stdout.on('data', (chunk: Buffer) => {
      this.take(chunk);
    });
    void running.ended.then((errors) => {
      this.end = new Error(`the process ended: ${errors}`);
      for (const { reject } of this.waiting) reject(this.end);
    });
  }

  /**
   * @returns the next answer, whichever request it belongs to: callers with several in flight just count answers.
   * @throws if the answer is an error, or if the process ends
   */
  async ask(message: Message): Promise<Buffer> {
    if (this.end !== undefined) throw this.end;
    const answer = new Promise<Buffer>((resolve, reject) => this.waiting.push({ resolve, reject }));
    this.send({ jsonrpc: '2.0', id: ++this.id, ...message });
    const line = await answer;
    if (failed(line)) throw new Error(line.toString('utf8', 0, 1000));
    return line;
  }

  notify(method: string): void {
    this.send({ jsonrpc: '2.0', method });
  }

  private send(message: unknown): void {
    this.running.stdin.write(`${JSON.stringify(message)}\n`);
  }

  private take(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      this.parts.push(chunk.subarray(start, end));
      const [whole, ...more] = this.parts;
      this.waiting.shift()?.resolve(more.length === 0 && whole !== undefined ? whole : Buffer.concat(this.parts));
      this.parts = [];
      start = end + 1;
    }
    if (start < chunk.length) this.parts.push(chunk.subarray(start));
  }
}

/** Inside a string, backslashes would precede the quotes. */
function failed(line: Buffer): boolean {
  return line.includes('"error":{') || line.includes('"isError":true');
}
