/** The matches in one part of a search, as JSON. */
import { jsonOf } from '../../src/core/json/json-of.js';
import type { Params } from '../../src/core/operations.js';
import type { Rest, Room, SearchedPart, SearchPart } from '../../src/core/search-part.js';
import type { SuccessOf } from '../handler.js';
import { escapesIn } from './glob.js';
import { cursorOf, placeOf, searchOf, type Search } from '../search/cursor.js';
import { charactersOf, type MatchingLine, type Page } from '../search/match.js';
import { NotSearched } from '../search/not-searched.js';
import type { FileMatches, WhyNot } from '../search/search-file.js';

/** Overhead per file in the text for a model, besides path and matches: a count, a hash, line breaks. */
const besideMatches = 80;
/** Overhead per line besides its text: its number, the character after that, and a line break. */
const besideText = 10;

/** The search for which its cursors are valid. */
export function searchFor(params: Params['grep']): Search {
  const { mode = 'lines', path = '', pattern, glob } = params;
  const { literal = false, ignore_case: ignoreCase = false, hidden = false, ignored = false } = params;
  return searchOf(mode, path, [pattern, glob, literal, ignoreCase, hidden, ignored]);
}

export class FoundLines {
  readonly #mode: 'lines' | 'files' | 'count';
  readonly #search: Search;
  readonly #context: number;
  readonly #room: Room;
  #isFirst: boolean;
  /** Where the previous page ended. */
  readonly #after: { readonly path: string; readonly line: number } | undefined;
  readonly #files: string[] = [];
  #matches = 0;
  #counted = 0;
  #named = 0;
  #searched = 0;
  readonly #notSearched = new NotSearched();
  #used: Room = { matches: 0, characters: 0, bytes: 0 };
  #cursor: string | undefined;
  #truncated = false;

  /** @throws OperationError invalid_params for a wrong cursor */
  constructor(params: Params['grep'], { room, isFirst }: SearchPart) {
    const { mode = 'lines', context = 0, cursor } = params;
    this.#search = searchFor(params);
    this.#mode = mode;
    this.#context = context;
    this.#room = room;
    this.#isFirst = isFirst;
    if (cursor === undefined) return;
    const [path = '', line = ''] = placeOf(cursor, this.#search, { lines: 2, files: 1, count: NaN }[mode]);
    this.#after = { path, line: mode === 'files' ? Infinity : /^\d{1,15}$/.test(line) ? Number(line) : 0 };
  }

  /** The path at which the previous page ended; undefined on the first page. */
  get from(): string | undefined {
    return this.#after?.path;
  }

  /** Whether a match did not fit. */
  get truncated(): boolean {
    return this.#truncated;
  }

  /** The matches still wanted from a file. */
  pageOf(path: string): Page {
    const { matches, characters, bytes } = this.#room;
    return {
      after: this.#seenOf(path),
      limit: this.#mode === 'lines' ? matches - this.#used.matches : 0,
      context: this.#context,
      characters: Math.min(characters - this.#used.characters, (bytes - this.#used.bytes) / 2),
    };
  }

  /** Record a directory that could not be read. */
  addUnread(path: string): void {
    this.#notSearched.add(path, 'unreadable');
  }

  add(path: string, searched: FileMatches | WhyNot): void {
    this.#named += 1;
    if (typeof searched === 'string') {
      if (searched === 'binary' || searched === 'too_large' || searched === 'unreadable') {
        this.#notSearched.add(path, searched);
      }
      return;
    }
    this.#searched += 1;
    if (searched.count === 0 || this.#seenOf(path) === Infinity) return;
    this.#counted += this.#mode === 'count' ? 1 : 0;
    if (this.#mode === 'count') this.#matches += searched.count;
    else if (this.#mode === 'files') this.#addFile(path, searched);
    else this.#addLines(path, searched);
  }

  /** @param rest the files that this part did not reach */
  answer(
    rest: Rest | undefined,
    { isFile = false, note }: Partial<Pick<SearchedPart, 'isFile' | 'note'>>,
  ): SuccessOf<'grep'> {
    const part: SearchedPart = {
      totalMatches: this.#matches,
      totalFiles: this.#files.length + this.#counted,
      searched: this.#searched,
      named: this.#named,
      skipped: this.#notSearched.counts,
      leftOut: this.#notSearched.first,
      isFile,
      note,
      used: this.#used,
      cursor: this.#cursor,
      truncated: this.#truncated,
      ...(rest === undefined ? {} : { rest }),
    };
    return { ok: true, result: { files: Buffer.from(this.#files.join(',')) }, part };
  }

  #seenOf(path: string): number {
    return this.#after?.path === path ? this.#after.line : 0;
  }

  #addFile(path: string, { count, hash }: FileMatches): void {
    const json = jsonOf({ path, count, ...(hash === undefined ? {} : { hash }) });
    const [characters, bytes] = [charactersFor(path, hash), sizeOf(json) + sizeBeside(path, hash)];
    if (!this.#holds({ matches: 1, characters, bytes })) return;
    this.#files.push(json);
    this.#matches += count;
    this.#cursor = cursorOf(this.#search, [path]);
  }

  #addLines(path: string, { count, matches, left, hash }: FileMatches): void {
    const head = jsonOf({ path, count });
    const tail = hash === undefined ? '' : `,"hash":${jsonOf(hash)}`;
    const lines: string[] = [];
    let characters = charactersFor(path, hash);
    let bytes = sizeOf(head) + sizeBeside(path, hash);
    for (const match of matches) {
      const shown = this.#isFirst ? shortened(match, this.#room.characters - characters) : match;
      const json = jsonOf(shown);
      if (!this.#holds({ matches: 1, characters: characters + roomFor(shown), bytes: bytes + sizeOf(json) })) break;
      [characters, bytes] = [0, 1];
      lines.push(json);
      this.#cursor = cursorOf(this.#search, [path, String(match.line)]);
    }
    if (left > 0) this.#truncated = true;
    if (lines.length === 0) return;
    this.#matches += lines.length;
    this.#files.push(`${head.slice(0, -1)},"matches":[${lines.join(',')}]${tail}}`);
  }

  /** Reserve this room. @returns false if there is not enough */
  #holds(more: Room): boolean {
    const { matches, characters, bytes } = this.#used;
    const used = {
      matches: matches + more.matches,
      characters: characters + more.characters,
      bytes: bytes + more.bytes,
    };
    const fits =
      used.matches <= this.#room.matches && used.characters <= this.#room.characters && used.bytes <= this.#room.bytes;
    if (!fits && !(this.#isFirst && this.#room.matches > 0)) {
      this.#truncated = true;
      return false;
    }
    this.#isFirst = false;
    // A part that reported more than its room would be searched over and over.
    this.#used = {
      matches: used.matches,
      characters: Math.min(used.characters, this.#room.characters),
      bytes: Math.min(used.bytes, this.#room.bytes),
    };
    return true;
  }
}

/** Room for up to three copies of the path: above the matches, in the cursor as base64, and beside the hash. */
function charactersFor(path: string, hash: string | undefined): number {
  const copies = hash === undefined ? 1 : 2;
  return copies * (path.length + escapesIn(path)) + Math.ceil(1.4 * Buffer.byteLength(jsonOf(path))) + besideMatches;
}

/** Bytes in a message to a model besides the path and the matches. */
function sizeBeside(path: string, hash: string | undefined): number {
  return besideMatches + (hash === undefined ? 0 : Buffer.byteLength(jsonOf(path)) + 2 * hash.length);
}

/**
 * As much of a match as fits, in characters: drops the most distant context lines first. If it is still too long
 * without context, its text is truncated.
 */
function shortened(match: MatchingLine, room: number): MatchingLine {
  const { line, text, before = [], after = [] } = match;
  if (roomFor(match) <= room) return match;
  for (let most = Math.max(before.length, after.length) - 1; most > 0; most--) {
    const less = { line, text, before: before.slice(-most), after: after.slice(0, most) };
    if (roomFor(less) <= room) return less;
  }
  const alone = match.before === undefined ? { line, text } : { line, text, before: [], after: [] };
  if (roomFor(alone) <= room) return alone;
  const beginning = Array.from(text).slice(0, Math.max(0, Math.floor(room) - besideText - 1));
  return { ...alone, text: `${beginning.join('')}…` };
}

function roomFor(match: MatchingLine): number {
  const { before = [], after = [] } = match;
  return charactersOf(match) + (1 + before.length + after.length) * besideText;
}

/** A message to a model holds each one twice: in the text, and for programs. */
function sizeOf(json: string): number {
  return 2 * Buffer.byteLength(json);
}
