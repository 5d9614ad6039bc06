/**
 * Turns the bytes of a request into a value, within a bounded time on the main thread. The time of JSON.parse depends
 * not only on their number but on what they hold: 10 MB of text take 10 ms, of nested arrays 2.5 s, of objects with a
 * key each 1.4 s (Node 20).
 */
import { isAscii, isUtf8, transcode } from 'node:buffer';
import { failure, type Failure } from '../errors.js';
import { jsonOf } from './json-of.js';
import { keyAt, maxValues, measure, type Crowd, type Extent, type Span } from './json-extent.js';
import { unescaped } from './json-string.js';
import { deepestLargeText, type LargeText } from './large-text.js';

/** Smaller bodies go straight to JSON.parse: the worst one of this size takes 30 ms. */
const alwaysParsedBytes = 256 * 1024;

/** Of bodies without large texts. */
export const noTexts: ReadonlySet<string> = new Set();

/** A body that could be read. */
export interface Parsed {
  readonly ok: true;
  readonly value: unknown;
}

/** A body that could not be read. */
export interface Unread extends Failure {
  /** The first levels of a body that was refused for what it holds (outline.ts), if they are not crowded themselves. */
  readonly outline?: unknown;
  /** JSON pointer of the container that holds too much, two steps of it at most. */
  readonly crowded?: string;
}

/** Reads the body of a request, on this thread or beside it. @param bytes as of parseJson */
export type ReadBody = (bytes: Buffer, largeTexts: ReadonlySet<string>) => Parsed | Unread | Promise<Parsed | Unread>;

/**
 * Parse a whole request. Fails with `parse_error` for anything but JSON in UTF-8 without a byte order mark, and with
 * `invalid_params` for a body of more than 256 kB with more than 64,000 values: no operation takes so many, and reading
 * them would hold up everyone else (spec 5.5: any body is refused in < 100 ms). The latter goes by brackets and
 * commas alone, so other mistakes in such a body are not found.
 *
 * @param bytes may be overwritten by the large texts that they hold, so they can be parsed only once
 * @param largeTexts members of objects whose large strings become a LargeText
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
    // V8 names the position, or quotes at most 21 characters of the text; the cut is for versions that do otherwise.
    return notJson(error instanceof Error ? `${error.message.slice(0, 160)}.` : '');
  }
}

/** @returns undefined if everything must be parsed as one: errors then name the right position */
function parseAround(bytes: Buffer, spans: readonly Span[]): Parsed | undefined {
  // Stands for a large text while the rest is parsed. Nobody can guess it, so nobody can have a text put elsewhere. The
  // global `crypto` loads on first use: 3 ms that a start need not pay.
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

/** A placeholder is missing if a later member has the same name. @param depth of the containers that may hold one */
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

/** For text beyond ASCII, transcode takes a quarter of the time of toString (10 ms instead of 40 for 10 MB). */
function decode(bytes: Buffer): string {
  return isAscii(bytes) ? bytes.toString('latin1') : transcode(bytes, 'utf8', 'utf16le').toString('utf16le');
}

/** Whether a JSON value is an object: to JavaScript, lists, null and large texts are objects too. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value);
}

const openObject = 0x7b;

/**
 * What a body that holds too much begins with: its first levels, with `{}` or `[]` in place of each container below
 * them. So a front knows the id and the method of such a request, and which tool was called. Undefined if it is not JSON.
 * @param cuts where what is left out starts and ends, alternately
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
