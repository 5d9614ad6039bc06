/** Every kind of write: the state before, the calls, and the state afterwards. */
import { changeSets } from './change-sets.js';
import type { Tree } from './tree.js';

export interface Call {
  readonly operation: string;
  readonly params: Readonly<Record<string, unknown>>;
}

export interface WriteKind {
  readonly name: string;
  /** @param at common prefix of all names, here and below */
  before(at: string): Tree;
  /** Its files look freshly written, so their timestamps prove nothing. */
  readonly young: boolean;
  /** Changes of several files, of which all or none take effect. */
  readonly isWhole?: boolean;
  /** The servers run with --history. */
  readonly isRecorded?: boolean;
  /** Answered by the same server before the calls are sent. */
  earlier?(at: string): readonly Call[];
  /** Sent together. */
  calls(at: string): readonly Call[];
  /** @param done which of the calls took effect */
  after(at: string, done: readonly boolean[]): Tree;
  /** A write that needs the same locks, and succeeds once all calls are done. */
  next(at: string): Call;
}

const text = 'one\ntwo\nthree\n';
const changed = 'one\nTWO\nthree\nfour\n';
const edits = [{ line: 2, operation: 'replace', content: 'TWO' }];

const long = (second: string): string => `one\n${second}\n${'three\n'.repeat(20_000)}`;
const secondLine = (name: string, content: string): Call => ({
  operation: 'edit_file',
  params: { name, edits: [{ line: 2, operation: 'replace', content }] },
});

const edit = (name: string, more: Readonly<Record<string, unknown>> = {}): Call => ({
  operation: 'edit_file',
  params: { name, edits, append: 'four', ...more },
});
const append = (name: string, line: string): Call => ({ operation: 'edit_file', params: { name, append: line } });
const remove = (path: string): Call => ({ operation: 'delete', params: { path } });

interface Single {
  readonly before: (at: string) => Tree;
  readonly call: (at: string) => Call;
  readonly after: (at: string) => Tree;
  readonly next: (at: string) => Call;
  readonly young?: boolean;
}

/** A kind of one call that turns one tree into another. */
function single(name: string, { before, call, after, next, young = false }: Single): WriteKind {
  return {
    name,
    before,
    calls: (at) => [call(at)],
    after: (at, [done]) => (done === true ? after(at) : before(at)),
    next,
    young,
  };
}

/** A kind that changes `<at>/deep/a.txt`. */
function inDirectory(operation: string, params: Readonly<Record<string, unknown>>, after: string): WriteKind {
  const tree =
    (content: string) =>
    (at: string): Tree => ({ [at]: null, [`${at}/deep`]: null, [`${at}/deep/a.txt`]: content });
  return single(operation, {
    before: tree(text),
    call: (at) => ({ operation, params: { path: `${at}/deep/a.txt`, ...params } }),
    after: tree(after),
    next: (at) => ({ operation: 'insert', params: { path: `${at}/deep/a.txt`, insert_line: 1, new_str: 'next\n' } }),
  });
}

export const writeKinds: readonly WriteKind[] = [
  single('edit', {
    before: (at) => ({ [`${at}.txt`]: text }),
    call: (at) => edit(`${at}.txt`),
    after: (at) => ({ [`${at}.txt`]: changed }),
    next: (at) => append(`${at}.txt`, 'next'),
  }),
  single('edit of a file just written', {
    young: true,
    before: (at) => ({ [`${at}.txt`]: text }),
    call: (at) => edit(`${at}.txt`),
    after: (at) => ({ [`${at}.txt`]: changed }),
    next: (at) => append(`${at}.txt`, 'next'),
  }),
  {
    name: 'second edit of a large file',
    young: false,
    before: (at) => ({ [`${at}.txt`]: long('two') }),
    earlier: (at) => [secondLine(`${at}.txt`, 'Two')],
    calls: (at) => [secondLine(`${at}.txt`, 'TWO')],
    after: (at, [done]) => ({ [`${at}.txt`]: long(done === true ? 'TWO' : 'Two') }),
    next: (at) => append(`${at}.txt`, 'next'),
  },
  single('append of 1 MB', {
    before: (at) => ({ [`${at}.txt`]: text }),
    call: (at) => append(`${at}.txt`, 'x'.repeat(1_000_000)),
    after: (at) => ({ [`${at}.txt`]: `${text}${'x'.repeat(1_000_000)}\n` }),
    next: (at) => append(`${at}.txt`, 'next'),
  }),
  single('edit through a link', {
    before: (at) => ({ [at]: null, [`${at}/a.txt`]: text, [`${at}.txt`]: `-> ${at}/a.txt` }),
    call: (at) => edit(`${at}.txt`),
    after: (at) => ({ [at]: null, [`${at}/a.txt`]: changed, [`${at}.txt`]: `-> ${at}/a.txt` }),
    next: (at) => append(`${at}.txt`, 'next'),
  }),
  single('edit that creates', {
    before: () => ({}),
    call: (at) => ({ operation: 'edit_file', params: { name: `${at}.txt`, append: text, create_if_missing: true } }),
    after: (at) => ({ [`${at}.txt`]: text }),
    next: (at) => append(`${at}.txt`, 'next'),
  }),
  {
    name: 'group of edits',
    young: false,
    before: (at) => ({ [`${at}.txt`]: text }),
    calls: (at) => ['first', 'second', 'third', 'fourth'].map((line) => append(`${at}.txt`, line)),
    after: (at, done) => ({
      [`${at}.txt`]: [text, ...['first\n', 'second\n', 'third\n', 'fourth\n'].filter((_, i) => done[i])].join(''),
    }),
    next: (at) => append(`${at}.txt`, 'next'),
  },
  inDirectory('str_replace', { old_str: 'two', new_str: 'TWO' }, 'one\nTWO\nthree\n'),
  inDirectory('insert', { insert_line: 4, new_str: 'four\n' }, `${text}four\n`),
  inDirectory('write', { content: 'all new\n', expected_hash: '*' }, 'all new\n'),
  inDirectory(
    'apply_edits',
    {
      edits: [
        { old_string: 'one', new_string: 'ONE' },
        { old_string: 'three', new_string: 'THREE' },
      ],
    },
    'ONE\ntwo\nTHREE\n',
  ),
  single('create', {
    before: (at) => ({ [at]: null }),
    call: (at) => ({ operation: 'create', params: { path: `${at}/b/c/d.txt`, content: text, encoding: 'utf-8' } }),
    after: (at) => ({ [at]: null, [`${at}/b`]: null, [`${at}/b/c`]: null, [`${at}/b/c/d.txt`]: text }),
    next: (at) => remove(`${at}/b/c/d.txt`),
  }),
  single('write of a new file', {
    before: (at) => ({ [at]: null }),
    call: (at) => ({ operation: 'write', params: { path: `${at}/b/c.txt`, content: text } }),
    after: (at) => ({ [at]: null, [`${at}/b`]: null, [`${at}/b/c.txt`]: text }),
    next: (at) => remove(`${at}/b/c.txt`),
  }),
  single('delete', {
    before: (at) => ({ [at]: null, [`${at}/a.txt`]: text, [`${at}/b.txt`]: text }),
    call: (at) => remove(`${at}/a.txt`),
    after: (at) => ({ [at]: null, [`${at}/b.txt`]: text }),
    next: (at) => ({ operation: 'create', params: { path: `${at}/a.txt`, content: 'again', encoding: 'utf-8' } }),
  }),
  single('delete of a directory', {
    before: (at) => ({ [at]: null, [`${at}/empty`]: null }),
    call: (at) => remove(`${at}/empty`),
    after: (at) => ({ [at]: null }),
    next: (at) => ({ operation: 'create', params: { path: `${at}/empty`, content: 'file', encoding: 'utf-8' } }),
  }),
  single('rename', {
    before: (at) => ({ [at]: null, [`${at}/a.txt`]: text }),
    call: (at) => ({ operation: 'rename', params: { old_path: `${at}/a.txt`, new_path: `${at}/b/c/d.txt` } }),
    after: (at) => ({ [at]: null, [`${at}/b`]: null, [`${at}/b/c`]: null, [`${at}/b/c/d.txt`]: text }),
    next: (at) => ({ operation: 'rename', params: { old_path: `${at}/b/c/d.txt`, new_path: `${at}/a.txt` } }),
  }),
  single('rename of a directory', {
    before: (at) => ({ [at]: null, [`${at}/a`]: null, [`${at}/a/a.txt`]: text }),
    call: (at) => ({ operation: 'rename', params: { old_path: `${at}/a`, new_path: `${at}/b/c` } }),
    after: (at) => ({ [at]: null, [`${at}/b`]: null, [`${at}/b/c`]: null, [`${at}/b/c/a.txt`]: text }),
    next: (at) => ({ operation: 'rename', params: { old_path: `${at}/b/c`, new_path: `${at}/a` } }),
  }),
  ...changeSets,
];
