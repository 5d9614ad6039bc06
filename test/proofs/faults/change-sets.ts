/** Kinds of writes that change several files with one call (spec 14): all or nothing, whatever happens. */
import type { Tree } from './tree.js';
import type { WriteKind } from './write-kinds.js';

type Change = Readonly<Record<string, unknown>>;

const text = 'one\ntwo\nthree\n';
const edited = 'one\nTWO\nthree\n';

const edit = (path: string): Change => ({ path, edits: [{ old_string: 'two', new_string: 'TWO' }] });
const put = (path: string, content: string): Change => ({ path, content });
const replace = (path: string, content: string): Change => ({ path, content, expected_hash: '*' });
const remove = (path: string): Change => ({ path, delete: true });
const move = (path: string, to: string): Change => ({ path, rename_to: to });

interface ChangeSet {
  readonly before: (at: string) => Tree;
  readonly changes: (at: string) => readonly Change[];
  readonly after: (at: string) => Tree;
  /** A file that is there afterwards, as a text. */
  readonly left: (at: string) => string;
}

function changeSet(name: string, { before, changes, after, left }: ChangeSet): WriteKind {
  return {
    name: `changes: ${name}`,
    young: false,
    isWhole: true,
    before,
    calls: (at) => [{ operation: 'apply_changes', params: { changes: changes(at) } }],
    after: (at, [done]) => (done === true ? after(at) : before(at)),
    next: (at) => ({ operation: 'insert', params: { path: left(at), insert_line: 1, new_str: 'next\n' } }),
  };
}

/** The kind that has a bit of all others. */
export const allTogether = 'changes: six in three directories';

export const changeSets: readonly WriteKind[] = [
  changeSet('two edits', {
    before: (at) => ({ [at]: null, [`${at}/a.txt`]: text, [`${at}.txt`]: text }),
    changes: (at) => [edit(`${at}/a.txt`), edit(`${at}.txt`)],
    after: (at) => ({ [at]: null, [`${at}/a.txt`]: edited, [`${at}.txt`]: edited }),
    left: (at) => `${at}/a.txt`,
  }),
  changeSet('new directories and an edit', {
    before: (at) => ({ [at]: null, [`${at}/a.txt`]: text }),
    changes: (at) => [put(`${at}/b/c/d.txt`, text), edit(`${at}/a.txt`), put(`${at}/b/e/f.txt`, 'f\n')],
    after: (at) => ({
      [at]: null,
      [`${at}/a.txt`]: edited,
      [`${at}/b`]: null,
      [`${at}/b/c`]: null,
      [`${at}/b/c/d.txt`]: text,
      [`${at}/b/e`]: null,
      [`${at}/b/e/f.txt`]: 'f\n',
    }),
    left: (at) => `${at}/b/c/d.txt`,
  }),
  changeSet('a rename and an edit', {
    before: (at) => ({ [at]: null, [`${at}/a.txt`]: text, [`${at}/b.txt`]: 'b\n' }),
    changes: (at) => [move(`${at}/b.txt`, `${at}/c/d.txt`), edit(`${at}/a.txt`)],
    after: (at) => ({ [at]: null, [`${at}/a.txt`]: edited, [`${at}/c`]: null, [`${at}/c/d.txt`]: 'b\n' }),
    left: (at) => `${at}/c/d.txt`,
  }),
  changeSet('a file that is moved and edited', {
    before: (at) => ({ [at]: null, [`${at}/a.txt`]: text }),
    changes: (at) => [{ ...edit(`${at}/a.txt`), ...move(`${at}/a.txt`, `${at}/c/d.txt`) }],
    after: (at) => ({ [at]: null, [`${at}/c`]: null, [`${at}/c/d.txt`]: edited }),
    left: (at) => `${at}/c/d.txt`,
  }),
  changeSet('a deletion and a replacement', {
    before: (at) => ({ [at]: null, [`${at}/a.txt`]: text, [`${at}/b.txt`]: 'b\n' }),
    changes: (at) => [remove(`${at}/b.txt`), replace(`${at}/a.txt`, 'all new\n')],
    after: (at) => ({ [at]: null, [`${at}/a.txt`]: 'all new\n' }),
    left: (at) => `${at}/a.txt`,
  }),
  changeSet('six in three directories', {
    before: (at) => ({
      [at]: null,
      [`${at}/x`]: null,
      [`${at}/x/a.txt`]: text,
      [`${at}/x/b.txt`]: 'b\n',
      [`${at}/y`]: null,
      [`${at}/y/c.txt`]: text,
      [`${at}/y/d.txt`]: 'd\n',
      [`${at}.txt`]: text,
    }),
    changes: (at) => [
      edit(`${at}/x/a.txt`),
      remove(`${at}/x/b.txt`),
      replace(`${at}/y/c.txt`, 'all new\n'),
      move(`${at}/y/d.txt`, `${at}/z/e.txt`),
      put(`${at}/z/f.txt`, 'f\n'),
      edit(`${at}.txt`),
    ],
    after: (at) => ({
      [at]: null,
      [`${at}/x`]: null,
      [`${at}/x/a.txt`]: edited,
      [`${at}/y`]: null,
      [`${at}/y/c.txt`]: 'all new\n',
      [`${at}/z`]: null,
      [`${at}/z/e.txt`]: 'd\n',
      [`${at}/z/f.txt`]: 'f\n',
      [`${at}.txt`]: edited,
    }),
    left: (at) => `${at}/z/e.txt`,
  }),
  changeSet('through links', {
    before: (at) => ({
      [at]: null,
      [`${at}/a.txt`]: text,
      [`${at}/b.txt`]: 'b\n',
      [`${at}-a.txt`]: `-> ${at}/a.txt`,
      [`${at}-b.txt`]: `-> ${at}/b.txt`,
      [`${at}-d`]: `-> ${at}`,
    }),
    changes: (at) => [edit(`${at}-a.txt`), put(`${at}-d/c/d.txt`, 'd\n'), remove(`${at}-b.txt`)],
    after: (at) => ({
      [at]: null,
      [`${at}/a.txt`]: edited,
      [`${at}/b.txt`]: 'b\n',
      [`${at}/c`]: null,
      [`${at}/c/d.txt`]: 'd\n',
      [`${at}-a.txt`]: `-> ${at}/a.txt`,
      [`${at}-d`]: `-> ${at}`,
    }),
    left: (at) => `${at}/c/d.txt`,
  }),
];

/**
 * Whether a tree is between two others: each of its files is as in one of them. So may be what a killed process leaves
 * until the next server starts or writes.
 */
export function isBetween(tree: Tree, before: Tree, after: Tree): boolean {
  const paths = Object.keys({ ...tree, ...before, ...after });
  return paths.every((path) => tree[path] === before[path] || tree[path] === after[path]);
}
