/** A history on disk, as a server would have written it, with fixed times and so with fixed ids. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { idAt } from '../../workers/history/change-id.js';
import type { Content } from '../../workers/changes/record/record.js';
import type { RecordedChange } from '../../workers/history/recorded-change.js';
import { hashOf } from '../../workers/text/text-file.js';

export class Recorded {
  readonly #lines: string[] = [];
  readonly #kept: Record<string, string> = {};
  readonly #ids: string[] = [];

  /** Add a change. @param kept text by the name under which it is kept */
  with(
    change: Omit<RecordedChange, 'id' | 'time'> & { readonly time?: string },
    kept: Record<string, string> = {},
  ): this {
    const id = this.next;
    const time = `2026-01-02T03:04:${String(this.#ids.length).padStart(2, '0')}.678Z`;
    this.#ids.push(id);
    this.#lines.push(`${JSON.stringify({ id, time, ...change })}\n`);
    Object.assign(this.#kept, kept);
    return this;
  }

  /** The id of the change that is recorded next. */
  get next(): string {
    return idAt(Buffer.byteLength(this.#lines.join('')));
  }

  /** From the first change on. */
  get ids(): readonly string[] {
    return this.#ids;
  }

  readonly write = (directory: string): void => {
    const history = join(directory, '.file-editor/history');
    mkdirSync(join(history, 'kept'), { recursive: true });
    writeFileSync(join(history, '000000000000000.jsonl'), this.#lines.join(''));
    for (const [name, text] of Object.entries(this.#kept)) writeFileSync(join(history, 'kept', name), text);
  };
}

export function content(text: string): Content {
  return { hash: hashOf(Buffer.from(text)), size: Buffer.byteLength(text) };
}
