/** The memory of a text is reused for the next one: never while it is still read, never with stale bytes in it. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { applyEdits, ApplyEditsError } from '../../src/library/apply-edits.js';
import { withDirectory } from '../directory.js';

/** In Wine each call takes several times as long. */
const rounds = process.platform === 'win32' ? 10 : 30;
/** Long enough that its memory is kept. */
const lines = 6_000;

/** The expected content of a file, and its next edit. */
class Model {
  text: string;
  #next = 0;

  constructor(
    readonly path: string,
    private readonly mark: string,
  ) {
    this.text = Array.from({ length: lines }, () => this.#line()).join('');
  }

  /** @returns old and new text; an edit may fail, change nothing, or only cut an end off */
  edit(): { old: string; new: string } {
    const all = this.text.split('\n');
    const line = (index: number): string => `${all.at(index) ?? ''}\n`;
    const middle = line(lines >> 1);
    const kinds = [
      () => ({ old: line(0), new: '' }),
      () => ({ old: line(-2), new: '' }),
      () => ({ old: middle, new: this.#line() }),
      () => ({ old: middle, new: `${this.#line()}${this.#line()}` }),
      () => ({ old: middle, new: middle }),
      () => ({ old: `none ${middle}`, new: '' }),
    ];
    const kind = kinds[(this.#next * 7 + this.mark.charCodeAt(0)) % kinds.length];
    this.#next++;
    return kind?.() ?? assert.fail();
  }

  #line(): string {
    return `${this.mark.repeat(60)} ${String(this.#next++)}\n`;
  }
}

describe('reused memory', () => {
  it('never mixes texts that are edited at the same time', () => {
    const models = ['a', 'b', 'c', 'd'].map((mark) => new Model(`${mark}.txt`, mark));
    return withDirectory(Object.fromEntries(models.map(({ path, text }) => [path, text])), async (directory) => {
      for (let round = 0; round < rounds; round++) {
        await Promise.all(
          models.map(async (model) => {
            const edit = model.edit();
            const isDry = round % 5 === 4;
            const done = await applyEdits(
              join(directory, model.path),
              [{ old_string: edit.old, new_string: edit.new }],
              { dry_run: isDry },
            ).catch((error: unknown) => {
              assert.ok(error instanceof ApplyEditsError && error.code === 'string_not_found', String(error));
            });
            if (done !== undefined && !isDry) model.text = model.text.replace(edit.old, () => edit.new);
          }),
        );
        for (const { path, text } of models) {
          assert.ok(readFileSync(join(directory, path), 'utf8') === text, `${path} in round ${String(round)}`);
        }
      }
    });
  });
});
