/** Calls on one file, and their required answers for a given text: the oracle of linearizability. */
import { isDeepStrictEqual } from 'node:util';
import { hashOf } from '../../../workers/text/text-file.js';
import type { Reply } from '../../reliability/client.js';
import type { Model } from './checker.js';

/** Lines that all end with `\n`; null if there is no file. */
export type Text = string | null;

export interface FileCall {
  readonly operation: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** The number of the call that changes several files, if it is part of one. */
  readonly set?: number;
  /** The new text and the expected answer. */
  effect(text: Text): Effect;
}

export interface Effect {
  readonly text: Text;
  readonly says: Said | RefusedAs;
}

/** These members of the result; others are allowed. */
type Said = Readonly<Record<string, unknown>>;

/** The HTTP status of an error, and these members of its data. */
export class RefusedAs {
  constructor(
    readonly status: number,
    readonly data: Said = {},
  ) {}
}

/** A call with its answer; undefined if none came. */
export interface Answered {
  readonly call: FileCall;
  readonly reply: Reply | undefined;
}

export const readOperations: ReadonlySet<string> = new Set(['read_file', 'view', 'list_files']);

/** One file. A hash in an answer must be that of the text that the answer is about. */
export const fileModel: Model<Text, Answered> = {
  apply(text, { call, reply }) {
    const effect = call.effect(text);
    return reply === undefined || isSaid(effect, reply) ? effect.text : undefined;
  },
  isPure: ({ call, reply }) => reply?.kind === 'refused' || readOperations.has(call.operation),
  key: (text) => text ?? '(no file)',
};

function isSaid({ text, says }: Effect, reply: Reply): boolean {
  if (reply.kind === 'unanswered') return false;
  if (says instanceof RefusedAs) {
    return reply.kind === 'refused' && reply.status === says.status && holds(reply.data, says.data);
  }
  if (reply.kind === 'refused' || !holds(reply.result, says)) return false;
  if (Object.hasOwn(says, 'hash')) return true;
  const { hash } = reply.result;
  return hash === undefined || (text !== null && hash === hashOfText(text));
}

function holds(answer: Said, members: Said): boolean {
  return Object.entries(members).every(([name, value]) => isDeepStrictEqual(answer[name], value));
}

export const hashOfText = (text: string): string => hashOf(Buffer.from(text));
export const linesOf = (text: string): string[] => text.split('\n').slice(0, -1);
export const textOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

/** A call that changes nothing. */
export const unchanged = (text: Text, says: Effect['says']): Effect => ({ text, says });
export const missing = (data?: Said): Effect => unchanged(null, new RefusedAs(404, data));

/** A call that finds a file and changes its lines, or refuses. */
export function onLines(change: (lines: string[], text: string) => Effect, absent = missing()): FileCall['effect'] {
  return (text) => (text === null ? absent : change(linesOf(text), text));
}

export function readAll(name: string): FileCall {
  return {
    operation: 'read_file',
    params: { name, return_hash: true },
    effect: onLines((lines, text) => unchanged(text, { content: lines.join('\n'), total_lines: lines.length })),
  };
}

/** Lines in the middle of a file, or the whole, are read in different ways. */
export function readFirst(name: string): FileCall {
  return {
    operation: 'read_file',
    params: { name, start_line: 1, end_line: 1 },
    effect: onLines((lines, text) => {
      if (lines.length === 0) return unchanged(text, new RefusedAs(400));
      return unchanged(text, { content: lines[0], total_lines: lines.length });
    }),
  };
}

/** Through the other toolset, which has its own code path to the file. */
export function view(path: string): FileCall {
  return {
    operation: 'view',
    params: { path, return_hash: true },
    effect: onLines((_lines, text) => unchanged(text, { content: text, size: text.length })),
  };
}

/** What `list_files` says of a file; it is asked once for all of them. */
export function listed(name: string): FileCall {
  return {
    operation: 'list_files',
    params: { name },
    effect: onLines(
      (lines, text) => unchanged(text, { size: text.length, lines: lines.length }),
      unchanged(null, { listed: false }),
    ),
  };
}

export function append(name: string, line: string, create?: true, hash?: true): FileCall {
  return {
    operation: 'edit_file',
    params: { name, append: line, ...creating(create), ...withHash(hash) },
    effect: (text) => {
      if (text === null && create !== true) return missing();
      const lines = [...linesOf(text ?? ''), line];
      return { text: textOf(lines), says: { new_total_lines: lines.length, file_created: text === null } };
    },
  };
}

/** @param expected the text that the file must hold; any if undefined */
export function replaceFirst(name: string, line: string, expected: string | undefined, hash?: true): FileCall {
  return {
    operation: 'edit_file',
    params: {
      name,
      edits: [{ line: 1, operation: 'replace', content: line }],
      ...expecting(expected),
      ...withHash(hash),
    },
    effect: (text) => {
      if (expected !== undefined && text !== expected) return unchanged(text, changedTo(text));
      if (text === null) return missing();
      const [first, ...rest] = linesOf(text);
      if (first === undefined) return unchanged(text, new RefusedAs(400));
      return { text: textOf([line, ...rest]), says: { lines_modified: 1, new_total_lines: rest.length + 1 } };
    },
  };
}

/** Lines 2 to `last`, all of them or none. */
export function deleteLines(name: string, last: number): FileCall {
  const edits = Array.from({ length: last - 1 }, (_, i) => ({ line: i + 2, operation: 'delete' }));
  return {
    operation: 'edit_file',
    params: { name, edits, return_hash: true },
    effect: onLines(([first = '', ...rest], text) => {
      if (rest.length < last - 1) return unchanged(text, new RefusedAs(400));
      const lines = [first, ...rest.slice(last - 1)];
      return { text: textOf(lines), says: { lines_modified: last - 1, new_total_lines: lines.length } };
    }),
  };
}

export function insertLine(path: string, at: number, line: string): FileCall {
  return {
    operation: 'insert',
    params: { path, insert_line: at, new_str: `${line}\n`, return_hash: true },
    effect: onLines(
      (lines, text) => {
        if (at > lines.length + 1) return unchanged(text, new RefusedAs(400, { reason: 'invalid_line_number' }));
        return { text: textOf(lines.toSpliced(at - 1, 0, line)), says: { success: true } };
      },
      missing({ reason: 'file_not_found' }),
    ),
  };
}

/** Replaces a whole line, found by its text: lines are unique or absent. */
export function replaceText(path: string, from: string, to: string, by: 'apply_edits' | 'str_replace'): FileCall {
  const texts =
    by === 'str_replace' ? { old_str: from, new_str: to } : { edits: [{ old_string: from, new_string: to }] };
  return {
    operation: by,
    params: { path, ...texts, return_hash: true },
    effect: onLines(
      (lines, text) => {
        const index = lines.indexOf(from);
        if (index < 0) return unchanged(text, new RefusedAs(400, { reason: 'string_not_found' }));
        const says = by === 'str_replace' ? {} : { replacements: [{ edit: 1, count: 1, lines: [index + 1] }] };
        return { text: textOf(lines.with(index, to)), says };
      },
      missing({ reason: 'file_not_found' }),
    ),
  };
}

export function create(path: string, line: string): FileCall {
  const content = textOf([line]);
  return {
    operation: 'create',
    params: { path, content, encoding: 'utf-8', return_hash: true },
    effect: (text) =>
      text === null
        ? { text: content, says: { success: true } }
        : unchanged(text, new RefusedAs(409, { reason: 'file_exists' })),
  };
}

/** @param expected the text that the file must hold; if undefined, there must be no file */
export function writeWhole(path: string, line: string, expected: string | undefined): FileCall {
  const content = textOf([line]);
  return {
    operation: 'write',
    params: { path, content, ...expecting(expected), return_hash: true },
    effect(text) {
      const created = text === null;
      if (expected === undefined && text !== null) {
        return unchanged(text, new RefusedAs(409, { reason: 'file_exists', current_hash: hashOfText(text) }));
      }
      if (expected !== undefined && text !== expected) return unchanged(text, changedTo(text));
      return { text: content, says: { success: true, created } };
    },
  };
}

/** @param expected the text that the file must hold; any if undefined */
export function remove(path: string, expected: string | undefined): FileCall {
  return {
    operation: 'delete',
    params: { path, ...expecting(expected) },
    effect: (text) => {
      if (expected !== undefined && text !== expected) return unchanged(text, changedTo(text));
      return text === null ? missing({ reason: 'file_not_found' }) : { text: null, says: { success: true } };
    },
  };
}

const creating = (create: true | undefined): Said => (create === true ? { create_if_missing: true } : {});
const withHash = (hash: true | undefined): Said => (hash === true ? { return_hash: true } : {});
const expecting = (text: string | undefined): Said => (text === undefined ? {} : { expected_hash: hashOfText(text) });

export function changedTo(text: Text): RefusedAs {
  return new RefusedAs(412, text === null ? {} : { current_hash: hashOfText(text) });
}
