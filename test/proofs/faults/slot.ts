import assert from 'node:assert/strict';
import type { Client } from '../../reliability/client.js';
import { sameTree, type Tree } from './tree.js';

/** The state after a call, with the disk positions of its request and its answer. */
interface Step {
  readonly files: Tree;
  readonly sent: number;
  acknowledged: number;
}

interface Change {
  readonly operation: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly files: Tree;
}

const lines = 150;
const textOf = (name: string, version: number): string =>
  Array.from(
    { length: lines },
    (_, i) => `${name} version ${String(version)} line ${String(i)} `.padEnd(60, '.') + '\n',
  ).join('');

/** Files with a common prefix, one client that changes them in every way sequentially, and their history. */
export class Slot {
  private readonly steps: Step[];
  private version = 0;

  constructor(readonly name: string) {
    this.steps = [{ files: {}, sent: 0, acknowledged: 0 }];
  }

  /** Run all kinds of writes once, from no file to no file. @returns their number */
  async work(client: Client, position: () => number): Promise<number> {
    let writes = 0;
    for (const change of this.changes()) {
      const step: Step = { files: change.files, sent: position(), acknowledged: Infinity };
      this.steps.push(step);
      const reply = await client.call(change.operation, change.params);
      assert.equal(reply.kind, 'done', JSON.stringify(reply));
      step.acknowledged = position();
      writes++;
    }
    return writes;
  }

  private *changes(): Generator<Change> {
    const round = ++this.version;
    const [flat, deep, deeper, other, moved] = [
      `${this.name}.txt`,
      `${this.name}-a/b${String(round)}/x.txt`,
      `${this.name}-c${String(round)}/d/y.txt`,
      `${this.name}-e${String(round)}/f/z.txt`,
      `${this.name}-g${String(round)}/w.txt`,
    ];
    let text = textOf(this.name, round);
    yield {
      operation: 'edit_file',
      params: { name: flat, append: text, create_if_missing: true },
      files: { [flat]: text },
    };
    text = textOf(this.name, ++this.version);
    const edits = text
      .split('\n')
      .slice(0, -1)
      .map((content, i) => ({ line: i + 1, operation: 'replace', content }));
    yield { operation: 'edit_file', params: { name: flat, edits }, files: { [flat]: text } };
    text += `${this.name} appended\n`;
    yield { operation: 'edit_file', params: { name: flat, append: `${this.name} appended` }, files: { [flat]: text } };
    yield { operation: 'rename', params: { old_path: flat, new_path: deep }, files: { [deep]: text } };
    text = text.replace('line 0 ', 'first line');
    yield {
      operation: 'str_replace',
      params: { path: deep, old_str: 'line 0 ', new_str: 'first line' },
      files: { [deep]: text },
    };
    text = `inserted\n${text}`;
    yield {
      operation: 'insert',
      params: { path: deep, insert_line: 1, new_str: 'inserted\n' },
      files: { [deep]: text },
    };
    yield {
      operation: 'create',
      params: { path: deeper, content: text, encoding: 'utf-8' },
      files: { [deep]: text, [deeper]: text },
    };
    yield { operation: 'delete', params: { path: deep }, files: { [deeper]: text } };
    const changed = text.replaceAll('version', 'VERSION');
    const replace = [{ old_string: 'version', new_string: 'VERSION', replace_all: true }];
    yield { operation: 'apply_edits', params: { path: deeper, edits: replace }, files: { [deeper]: changed } };
    yield* this.changeSets({ flat, deeper, other, moved }, changed);
    yield { operation: 'delete', params: { path: deeper }, files: {} };
  }

  /** From one file to the same file, with others in between. @param text of the file */
  private *changeSets(
    { flat, deeper, other, moved }: Readonly<Record<'flat' | 'deeper' | 'other' | 'moved', string>>,
    text: string,
  ): Generator<Change> {
    const several = (changes: readonly unknown[], files: Tree): Change => ({
      operation: 'apply_changes',
      params: { changes },
      files,
    });
    const swap = (path: string, from: string, to: string): unknown => ({
      path,
      edits: [{ old_string: from, new_string: to, replace_all: true }],
    });
    const small = text.replaceAll('VERSION', 'version');
    yield several(
      [swap(deeper, 'VERSION', 'version'), { path: flat, content: `${text}flat\n` }, { path: other, content: text }],
      { [deeper]: small, [flat]: `${text}flat\n`, [other]: text },
    );
    yield several(
      [{ path: flat, rename_to: moved }, swap(other, 'VERSION', 'other'), swap(deeper, 'version', 'VERSION')],
      {
        [deeper]: text,
        [moved]: `${text}flat\n`,
        [other]: text.replaceAll('VERSION', 'other'),
      },
    );
    yield several(
      [
        { path: other, delete: true },
        { path: deeper, content: `${text}once more\n`, expected_hash: '*' },
        { path: moved, delete: true },
      ],
      { [deeper]: `${text}once more\n` },
    );
  }

  /** Whether these are the files after one of its calls. */
  hasBeen(tree: Tree): boolean {
    return this.steps.some(({ files }) => sameTree(files, tree));
  }

  /** The allowed states after a power cut at a position: all acknowledged calls, and perhaps one more. */
  expectedAt(position: number): readonly Tree[] {
    const last = this.steps.findLastIndex(({ acknowledged }) => acknowledged <= position);
    return this.steps
      .slice(last)
      .filter(({ sent }, i) => i === 0 || sent <= position)
      .map(({ files }) => files);
  }

  /** Whether the file at this path ever had this text. */
  hasHad(path: string, text: string | null): boolean {
    return this.steps.some(({ files }) => files[path] === text);
  }
}
