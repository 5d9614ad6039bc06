import { isRecord, type Client, type Reply } from '../../reliability/client.js';
import type { Random } from '../../reliability/random.js';
import { chooseCall } from '../writers/choice.js';
import {
  hashOfText,
  listed,
  readAll,
  RefusedAs,
  type Effect,
  type FileCall,
  type Text,
} from '../writers/file-calls.js';

/** Refusals that any call may get during a fault. They imply that nothing was written. */
const faults = /ENOSPC|disk space|Cannot access working directory|lock within timeout|timed out|^Internal error/i;

/** An agent with exclusive files, whose content it always knows. */
export class OwnFiles {
  /** The text of each. */
  readonly texts = new Map<string, Text>();
  calls = 0;
  hindered = 0;
  private lines = 0;

  constructor(
    private readonly owner: string,
    private readonly fronts: readonly Pick<Client, 'call'>[],
    private readonly random: Random,
  ) {
    for (const number of [1, 2, 3]) this.texts.set(`${owner}-${String(number)}.txt`, null);
  }

  /** Make a random call over a random front. @throws if the answer or the file is wrong */
  async act(): Promise<void> {
    const name = this.random.pick([...this.texts.keys()]);
    const dice = this.random.between(1, 100);
    if (dice <= 2) return this.rename(name);
    if (dice <= 4) return this.list(name);
    const text = this.texts.get(name) ?? null;
    const newLine = (): string => `<${this.owner}.${String(++this.lines)}>`;
    const hash = this.random.between(0, 1) === 0 ? true : undefined;
    await this.ask(name, chooseCall(this.random, name, text ?? undefined, newLine, { mostlyRead: false, hash }));
  }

  /** Check every file. @throws if one is wrong */
  async verify(): Promise<void> {
    for (const name of this.texts.keys()) await this.ask(name, readAll(name));
  }

  private async ask(name: string, call: FileCall): Promise<void> {
    const before = this.texts.get(name) ?? null;
    const effect = call.effect(before);
    const reply = await this.send(call.operation, call.params);
    if (agrees(effect, reply)) {
      this.texts.set(name, effect.text);
      return;
    }
    const wrong = `${call.operation} ${JSON.stringify(call.params)} of ${JSON.stringify(before)}: ${JSON.stringify(reply)}`;
    if (reply.kind !== 'refused' || !faults.test(reply.message)) throw new Error(wrong);
    this.hindered++;
    if (isOpen(reply.message)) await this.settle(name, [before, effect.text]);
  }

  /** The file has one of these texts. */
  private async settle(name: string, candidates: readonly Text[]): Promise<void> {
    for (let tries = 0; tries < 1000; tries++) {
      const reply = await this.send('read_file', { name, return_hash: true });
      if (reply.kind === 'refused' && faults.test(reply.message)) continue;
      const text = candidates.find((each) => agrees(readAll(name).effect(each), reply));
      if (text === undefined)
        throw new Error(`${name} is none of ${JSON.stringify(candidates)}: ${JSON.stringify(reply)}`);
      this.texts.set(name, text);
      return;
    }
    throw new Error(`${name} could not be read`);
  }

  private async rename(from: string): Promise<void> {
    const to = this.random.pick([...this.texts.keys()]);
    const [text = null, target = null] = [this.texts.get(from), this.texts.get(to)];
    const reply = await this.send('rename', { old_path: from, new_path: to });
    const right = text !== null && target === null;
    if (reply.kind === 'done' && right) {
      this.texts.set(from, null).set(to, text);
      return;
    }
    if (reply.kind === 'refused' && faults.test(reply.message)) {
      this.hindered++;
      if (!right || !isOpen(reply.message)) return;
      await this.settle(to, [null, text]);
      this.texts.set(from, this.texts.get(to) === null ? text : null);
    } else if (reply.kind !== 'refused' || right) throw new Error(`rename ${from} ${to}: ${JSON.stringify(reply)}`);
  }

  private async list(name: string): Promise<void> {
    const reply = await this.send('list_files', {});
    if (reply.kind === 'refused' && faults.test(reply.message)) {
      this.hindered++;
      return;
    }
    const files: unknown = reply.kind === 'done' ? reply.result['files'] : undefined;
    const entry: unknown = Array.isArray(files)
      ? files.find((file) => isRecord(file) && file['name'] === name)
      : undefined;
    const { says } = listed(name).effect(this.texts.get(name) ?? null);
    const expected = says instanceof RefusedAs || says['listed'] === false ? undefined : says;
    const given = isRecord(entry) ? entry : undefined;
    if (given?.['size'] !== expected?.['size'] || given?.['lines'] !== expected?.['lines']) {
      throw new Error(`${name} is listed as ${JSON.stringify(entry)} and not as ${JSON.stringify(expected)}`);
    }
  }

  private send(operation: string, params: unknown): Promise<Reply> {
    this.calls++;
    return this.random.pick(this.fronts).call(operation, params);
  }
}

/** The only error after which a file may have changed: the writing thread died. Over MCP the error does not say so. */
const isOpen = (message: string): boolean => message.startsWith('Internal error');

/** Whether an answer fits, on any front. The wording and members of refusals differ between fronts. */
function agrees({ text, says }: Effect, reply: Reply): boolean {
  if (says instanceof RefusedAs) return reply.kind === 'refused' && !faults.test(reply.message);
  if (reply.kind !== 'done') return false;
  const { hash, content, new_total_lines: lines } = reply.result;
  if (hash !== undefined && (text === null || hash !== hashOfText(text))) return false;
  if (says['content'] !== undefined && content !== says['content']) return false;
  return lines === undefined || lines === says['new_total_lines'];
}
