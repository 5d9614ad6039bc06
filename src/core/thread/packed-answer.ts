/**
 * Packs the answers of a task for the main thread. Small texts share one buffer and are described by numbers: as
 * objects with their own views, they cost the two threads more than reading the files.
 */
import type { Success } from '../errors.js';
import type { FileIdentity } from '../file-identity.js';
import type { TaskAnswer } from './task.js';

/** From this size on, in bytes, a transfer is cheaper than a copy. */
export const transferFrom = 16_384;

export interface PackedAnswer {
  readonly outcomes: readonly (PackedText | TaskAnswer[number])[];
  /** The identities of the texts that have one, then the JSON of all texts. */
  readonly memory: ArrayBuffer | null;
}

/** JSON length, start and end of the content in it, line count, hash, whether it has an identity. */
type PackedText = readonly [number, number, number, number, string, boolean];

/** A read's answer that is small enough to copy. */
interface SmallText extends Success {
  readonly json: Uint8Array;
  readonly hash: string;
  readonly result: { readonly content: Uint8Array; readonly total_lines: number };
}

const identityFields = 5;

/** @returns an answer that owns its memory, which may be transferred */
export function pack(answer: TaskAnswer): PackedAnswer {
  const small = answer.filter(isSmallText);
  if (small.length === 0) return { outcomes: answer, memory: null };
  const identities = small.flatMap(({ identity }) => (identity === undefined ? [] : fieldsOf(identity)));
  let end = identities.length * BigInt64Array.BYTES_PER_ELEMENT;
  const memory = new ArrayBuffer(small.reduce((length, { json }) => length + json.length, end));
  new BigInt64Array(memory, 0, identities.length).set(identities);
  const bytes = new Uint8Array(memory);
  const outcomes = answer.map((outcome) => {
    if (!isSmallText(outcome)) return outcome;
    bytes.set(outcome.json, end);
    end += outcome.json.length;
    return numbersOf(outcome);
  });
  return { outcomes, memory };
}

/** Reverses `pack`; the texts are views of one buffer. */
export function unpack({ outcomes, memory }: PackedAnswer): TaskAnswer {
  const bytes = memory ?? new ArrayBuffer(0);
  const identified = outcomes.filter((outcome) => isPackedText(outcome) && outcome[5]).length;
  const identities = new BigInt64Array(bytes, 0, identified * identityFields);
  let start = identities.byteLength;
  let field = 0;
  return outcomes.map((outcome) => {
    if (!isPackedText(outcome)) return outcome;
    const [length, from, to, total_lines, hash, hasIdentity] = outcome;
    const json = Buffer.from(bytes, start, length);
    start += length;
    const text: Success = { ok: true, result: { content: json.subarray(from, to), total_lines }, json, hash };
    if (!hasIdentity) return text;
    field += identityFields;
    return { ...text, identity: identityAt(identities, field - identityFields) };
  });
}

function isPackedText(outcome: PackedAnswer['outcomes'][number]): outcome is PackedText {
  return Array.isArray(outcome);
}

function isSmallText(outcome: TaskAnswer[number]): outcome is SmallText {
  if (outcome.ok !== true || outcome.notices !== undefined) return false;
  const { json, hash, result } = outcome;
  return (
    json !== undefined &&
    json.length < transferFrom &&
    // A view has other members.
    Object.keys(result).length === 2 &&
    hash !== undefined &&
    result['content'] instanceof Uint8Array &&
    typeof result['total_lines'] === 'number'
  );
}

function numbersOf({ json, result: { content, total_lines }, hash, identity }: SmallText): PackedText {
  const from = content.byteOffset - json.byteOffset;
  return [json.length, from, from + content.length, total_lines, hash, identity !== undefined];
}

function fieldsOf({ dev, ino, size, mtimeNs, ctimeNs }: FileIdentity): bigint[] {
  return [dev, ino, size, mtimeNs, ctimeNs];
}

function identityAt(fields: BigInt64Array, at: number): FileIdentity {
  const [dev = 0n, ino = 0n, size = 0n, mtimeNs = 0n, ctimeNs = 0n] = fields.subarray(at, at + identityFields);
  return { dev, ino, size, mtimeNs, ctimeNs };
}
