/**
 * Parses request bodies in bounded time on the main thread. JSON.parse depends not only on size but on content: 10 MB
 * of text take 10 ms, of nested arrays 2.5 s, of objects with one key each 1.4 s (Node 20).
 */
import { isAscii, isUtf8, transcode } from 'node:buffer';
import { failure, type Failure } from '../errors.js';
import { jsonOf } from './json-of.js';
import { keyAt, maxValues, measure, type Crowd, type Extent, type Span } from './json-extent.js';
import { unescaped } from './json-string.js';
import { deepestLargeText, type LargeText } from './large-text.js';

/** Bodies up to this size go straight to JSON.parse: the worst case takes 30 ms. */
const alwaysParsedBytes = 256 * 1024;

/** For bodies that cannot have large texts. */
export const noTexts: ReadonlySet<string> = new Set();

/** A parsed body. */
export interface Parsed {
  readonly ok: true;
  readonly value: unknown;
}

/** A body that was refused. */
export interface Unread extends Failure {
  /** The first levels of a body with too many values (outline.ts), unless those levels are crowded themselves. */
  readonly outline?: unknown;
  /** JSON pointer of the crowded container, at most two steps of it. */
  readonly crowded?: string;
}

/** Parses a request body, on this thread or in a worker. @param bytes as for parseJson */
export type ReadBody = (bytes: Buffer, largeTexts: ReadonlySet<string>) => Parsed | Unread | Promise<Parsed | Unread>;

/**
 * Parse a whole request. Fails with `parse_error` for anything but JSON in UTF-8 without a byte order mark, and with
 * `invalid_params` for a body of more than 256 kB with more than 64,000 values: no operation takes so many, and parsing
 * them would block everyone else (spec 5.5: any body is refused in < 100 ms). That check counts brackets and commas
 * only, so it does not detect other errors in such a body.
 *
 * @param bytes may be overwritten by their large texts, so they can be parsed only once
 * @param largeTexts names of members whose large strings become a LargeText
 */
export function parseJson(bytes: Buffer, largeTexts = noTexts): Parsed | Unread {
  if (!isUtf8(bytes)) return notJson('The bytes are not valid UTF-8.');
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return notJson('It starts with a byte order mark.');
  if (bytes.length > alwaysParsedBytes) {
    const extent = measure(bytes, largeTexts);
    if (extent === null) return notJson('A string or a bracket is not closed, or a closing bracket is one too many.');
    if (extent.crowd !== undefined) return tooManyValues(bytes, extent, extent.crowd);
    const parsed = extent.largeTexts.length === 0 ? undefined : parseAround(bytes, extent.largeTexts);
    if (parsed !== undefined) return parsed;
  }
  try {
    const value: unknown = JSON.parse(decode(bytes));
    return { ok: true, value };
  } catch (error) {
    // V8 gives the position or quotes at most 21 characters of the text; the slice guards against versions that differ.
    return notJson(error instanceof Error ? `${error.message.slice(0, 160)}.` : '');
  }
}

/** @returns undefined if the whole must be parsed in one piece, so that an error gives the right position */
function parseAround(bytes: Buffer, spans: readonly Span[]): Parsed | undefined {
  // Placeholder for a large text while the rest is parsed. It is unguessable, so a request cannot move a text
  // elsewhere. The global `crypto` loads on first use: 3 ms that a start need not pay.
  const secret = crypto.randomUUID();
  const standIns = spans.map((_, index) => `${secret} ${String(index)}`);
  const rest: Buffer[] = [];
  let from = 0;
  for (const [index, { start, end }] of spans.entries()) {
    rest.push(bytes.subarray(from, start), Buffer.from(jsonOf(standIns[index])));
    from = end;
  }
  rest.push(bytes.subarray(from));
  let value: unknown;
  try {
    value = JSON.parse(decode(Buffer.concat(rest)));
  } catch {
    return undefined;
  }
  const texts = new Map(
    spans.map(({ start, end }, index) => [standIns[index], unescaped(bytes.subarray(start + 1, end - 1))]),
  );
  putIn(value, texts, deepestLargeText);
  return { ok: true, value };
}

/** A placeholder may be missing: a later member of the same name replaces it. @param depth levels to search */
function putIn(value: unknown, texts: ReadonlyMap<unknown, LargeText>, depth: number): void {
  if (typeof value !== 'object' || value === null || depth === 0) return;
  for (const [name, member] of Object.entries(value) as Iterable<[string, unknown]>) {
    const text = texts.get(member);
    if (text !== undefined) Reflect.set(value, name, text);
    else putIn(member, texts, depth - 1);
  }
}

function notJson(help: string): Failure {
  const plain = failure('parse_error', 'Parse error');
  return { ...plain, details: `${help} ${plain.details}`.trimStart() };
}

function tooManyValues(bytes: Buffer, { values, forLongOnes }: Extent, { keys, cuts }: Crowd): Unread {
  const arrayFrom = keys.indexOf(-1);
  const path = arrayFrom === -1 ? keys : keys.slice(0, arrayFrom);
  const pointer = path.map((at) => `/${keyAt(bytes, at)}`).join('');
  const long = forLongOnes === 0 ? '' : ' (a long key or number counts as several)';
  const place = pointer === '' ? 'The request' : pointer;
  const refused = failure('invalid_params', 'Invalid params: too many values', {
    details: `${place} holds too much: there are ${String(values)} in all${long}, and at most ${String(maxValues)} are accepted. Split the work into several smaller requests.`,
  });
  return { ...refused, outline: cuts === undefined ? undefined : outline(bytes, cuts), crowded: pointer };
}

/** Beyond ASCII, transcode takes a quarter of the time of toString (10 ms instead of 40 for 10 MB). */
function decode(bytes: Buffer): string {
  return isAscii(bytes) ? bytes.toString('latin1') : transcode(bytes, 'utf8', 'utf16le').toString('utf16le');
}

/** Whether a JSON value is an object. For JavaScript, arrays, null and large texts are objects too. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value);
}

const openObject = 0x7b;

/**
 * The first levels of a body with too many values, with `{}` or `[]` in place of each deeper container. From it a front
 * knows the id and method of the request, and which tool was called. Undefined if it is not JSON.
 * @param cuts start and end offsets of the omitted parts, alternately
 */
function outline(bytes: Buffer, cuts: readonly number[]): unknown {
  let text = '';
  for (let index = 0; index <= cuts.length; index += 2) {
    const from = cuts[index - 1];
    const to = cuts[index];
    text += bytes.toString('utf8', from ?? 0, to ?? bytes.length);
    if (to !== undefined) text += bytes[to] === openObject ? '{}' : '[]';
  }
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
