import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import fc from '../fast-check.js';
import type { Outcome, Reason } from '../../src/core/errors.js';
import { emptyDirectory, withDirectory } from '../directory.js';
import { resultOf, StorageScene } from './storage-scene.js';

/** A file is its bytes as base64, a directory its entries. */
type Tree = string | Map<string, Tree>;

interface Refusal {
  readonly reason: Reason;
}

/** The answer of a tool: a reason, or success; for a view, its content. */
type Said = Reason | 'done' | { readonly [member: string]: unknown };

/** A naive model of the tools: a tree in memory, without links. */
class Model {
  readonly root = new Map<string, Tree>();

  view(path: string): Said {
    const found = this.at(path);
    if (!(found instanceof Map) && typeof found !== 'string') return found.reason;
    if (found instanceof Map) {
      const entries = [...found.keys()].filter((name) => !name.startsWith('.')).sort();
      return { type: 'directory', entries };
    }
    const bytes = Buffer.from(found, 'base64');
    const text = bytes.toString();
    return Buffer.from(text).equals(bytes)
      ? { type: 'file', content: text, encoding: 'utf-8', size: bytes.length }
      : { type: 'file', content: found, encoding: 'base64', size: bytes.length };
  }

  create(path: string, bytes: Buffer): Said {
    const refused = this.free(path);
    return refused ?? this.put(path, bytes.toString('base64'));
  }

  change(path: string, change: (text: string) => string | Refusal): Said {
    const found = this.at(path);
    if (found instanceof Map) return 'is_directory';
    if (typeof found !== 'string') return found.reason;
    const bytes = Buffer.from(found, 'base64');
    if (!Buffer.from(bytes.toString()).equals(bytes)) return 'binary_file';
    const changed = change(bytes.toString());
    if (typeof changed !== 'string') return changed.reason;
    return this.put(path, Buffer.from(changed).toString('base64'));
  }

  delete(path: string): Said {
    const found = this.at(path);
    if (path === '') return 'path_security';
    if (!(found instanceof Map) && typeof found !== 'string') return found.reason;
    if (found instanceof Map && found.size > 0) return 'directory_not_empty';
    return this.remove(path);
  }

  rename(from: string, to: string): Said {
    if (from === '' || to === '') return 'path_security';
    const through = [from, to].map((path) => this.at(path));
    const found = through[0];
    if (found === undefined) return 'io_error';
    const source = found instanceof Map || typeof found === 'string' ? undefined : found.reason;
    if (source === 'not_a_directory') return source;
    const target = this.free(to);
    if (target === 'not_a_directory') return target;
    if (source !== undefined) return source;
    if (found instanceof Map && to.startsWith(`${from}/`)) return 'invalid_params';
    if (target !== undefined) return target;
    this.remove(from);
    return this.put(to, found instanceof Map || typeof found === 'string' ? found : '');
  }

  private at(path: string): Tree | Refusal {
    let tree: Tree = this.root;
    for (const name of namesOf(path)) {
      if (typeof tree === 'string') return { reason: 'not_a_directory' };
      const next: Tree | undefined = tree.get(name);
      if (next === undefined) return { reason: 'file_not_found' };
      tree = next;
    }
    return tree;
  }

  /** Why nothing can be created at a path, if so. */
  private free(path: string): Reason | undefined {
    const found = this.at(path);
    if (found instanceof Map || typeof found === 'string') return 'file_exists';
    return found.reason === 'not_a_directory' ? found.reason : undefined;
  }

  private put(path: string, what: Tree): 'done' {
    const names = namesOf(path);
    const last = names.pop() ?? '';
    let tree = this.root;
    for (const name of names) {
      const next = tree.get(name);
      const below = next instanceof Map ? next : new Map<string, Tree>();
      tree.set(name, below);
      tree = below;
    }
    tree.set(last, what);
    return 'done';
  }

  private remove(path: string): 'done' {
    const names = namesOf(path);
    const last = names.pop() ?? '';
    const tree = this.at(names.join('/'));
    if (tree instanceof Map) tree.delete(last);
    return 'done';
  }
}

function namesOf(path: string): string[] {
  return path.split('/').filter((name) => name !== '');
}

/** Text before a line. */
function inserted(text: string, line: number, added: string): string | Refusal {
  const lines = text.match(/[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+/g) ?? [];
  if (line < 1 || line > lines.length + 1) return { reason: 'invalid_line_number' };
  const missing = line === lines.length + 1 && /[^\r\n]$/.test(text) ? dominantIn(text) : '';
  return [...lines.slice(0, line - 1), missing, added, ...lines.slice(line - 1)].join('');
}

function dominantIn(text: string): string {
  const [lf = 0, crlf = 0, cr = 0] = [/(?<!\r)\n/g, /\r\n/g, /\r(?!\n)/g].map(
    (separator) => text.match(separator)?.length ?? 0,
  );
  if (crlf > lf && crlf > cr) return '\r\n';
  return cr > lf && cr > crlf ? '\r' : '\n';
}

function replaced(text: string, old: string, by: string): string | Refusal {
  let count = 0;
  for (let at = text.indexOf(old); at !== -1; at = text.indexOf(old, at + 1)) count++;
  if (count !== 1) return { reason: count === 0 ? 'string_not_found' : 'string_not_unique' };
  return text.split(old).join(by);
}

type Step = (model: Model, client: StorageScene) => Promise<readonly [expected: Said, got: Outcome]>;

const name = fc.constantFrom('a', 'b', 'é', '.h');
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join('/'));
const text = fc.string({ unit: fc.constantFrom('x', 'y', '\n', '\r', 'ü'), maxLength: 6 });

const step: fc.Arbitrary<Step> = fc.oneof(
  fc
    .oneof({ weight: 9, arbitrary: path }, fc.constant(''))
    .map((at): Step => async (model, client) => [model.view(at), await client.call('view', { path: at })]),
  fc
    .tuple(path, text)
    .map(([at, content]): Step => async (model, client) => [
      model.create(at, Buffer.from(content)),
      await client.call('create', { path: at, content, encoding: 'utf-8' }),
    ]),
  fc.tuple(path, fc.uint8Array({ maxLength: 3 })).map(([at, content]): Step => async (model, client) => [
    model.create(at, Buffer.from(content)),
    await client.call('create', {
      path: at,
      content: Buffer.from(content).toString('base64'),
      encoding: 'base64',
    }),
  ]),
  fc
    .tuple(path, fc.constantFrom('x', 'y', 'xx', '\n', 'ü'), text)
    .map(([at, old_str, new_str]): Step => async (model, client) => [
      model.change(at, (before) => replaced(before, old_str, new_str)),
      await client.call('str_replace', { path: at, old_str, new_str }),
    ]),
  fc
    .tuple(path, fc.integer({ min: 0, max: 4 }), text)
    .map(([at, insert_line, new_str]): Step => async (model, client) => [
      model.change(at, (before) => inserted(before, insert_line, new_str)),
      await client.call('insert', { path: at, insert_line, new_str }),
    ]),
  path.map((at): Step => async (model, client) => [model.delete(at), await client.call('delete', { path: at })]),
  fc
    .tuple(path, path)
    .map(([old_path, new_path]): Step => async (model, client) => [
      model.rename(old_path, new_path),
      await client.call('rename', { old_path, new_path }),
    ]),
);

function said(outcome: Outcome): unknown {
  if (!outcome.ok) return outcome.data?.reason;
  return 'success' in outcome.result ? 'done' : resultOf(outcome);
}

/** All of a directory, in the form of the model. */
function treeOf(directory: string): unknown {
  const entries = readdirSync(directory, { withFileTypes: true }).filter(({ name: each }) => each !== '.file-editor');
  return entries
    .map((entry) => [entry.name, entry.isDirectory() ? treeOf(join(directory, entry.name)) : 'file'])
    .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1));
}

function shapeOf(tree: Map<string, Tree>): unknown {
  return [...tree]
    .map(([each, below]) => [each, below instanceof Map ? shapeOf(below) : 'file'])
    .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1));
}

describe('the storage tools', () => {
  it('match a tree in memory for the same calls, whichever of two clients makes them', () =>
    withDirectory({}, async (directory) => {
      let [runs, done, refused] = [0, 0, 0];
      await fc.assert(
        fc.asyncProperty(fc.array(fc.tuple(step, fc.boolean()), { minLength: 20, maxLength: 60 }), async (steps) => {
          runs++;
          emptyDirectory(directory);
          const model = new Model();
          const clients = [new StorageScene(directory), new StorageScene(directory)] as const;
          for (const [run, second] of steps) {
            const [expected, got] = await run(model, clients[second ? 1 : 0]);
            assert.deepEqual(said(got), expected, got.ok ? '' : `${got.message} ${got.cause ?? ''}`);
            if (got.ok) done++;
            else refused++;
          }
          assert.deepEqual(treeOf(directory), shapeOf(model.root));
          for (const { workspace } of clients) workspace.reserved.forget();
        }),
        { numRuns: 120, includeErrorInReport: true },
      );
      // There are fewer where a property is given little time.
      assert.ok(
        (done > 500 && refused > 500) || runs < 120,
        `${String(done)} calls were done, ${String(refused)} refused`,
      );
    }));
});
