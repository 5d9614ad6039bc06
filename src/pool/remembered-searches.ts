/** Keeps track of the searches remembered in separate memory, shared by all threads (core/thread/search-memory.ts). */
import { bytesPerMb } from '../core/memory/held.js';
import type { Params } from '../core/operations.js';
import { columns, SearchMemory } from '../core/thread/search-memory.js';
import type { SearchPart } from '../core/search-part.js';

/** Room for the names of 60,000 files or more; its pages become resident as they are used. */
const mostBytes = 8 * bytesPerMb;
const leastBytes = 65_536;
/** Share of --cache-mb; the rest is for answers to reads. */
const share = 1 / 8;

/** Bytes of the cache that belong to searches. @param cacheBytes size of the whole cache */
export function searchMemoryOf(cacheBytes: number): number {
  const bytes = Math.min(mostBytes, Math.floor(cacheBytes * share));
  return bytes < leastBytes ? 0 : bytes;
}

interface Remembered {
  readonly column: number;
  /** The literal, case-sensitive text that it looked for; undefined for any other kind of search. */
  readonly text: string | undefined;
  /** Searches under way that use its column. */
  users: number;
}

/** What a search may use; to be released when it has ended. */
export interface SearchUse {
  readonly memory: Pick<SearchPart, 'memory' | 'column' | 'remembered'>;
  release(): void;
}

export class RememberedSearches {
  #memory: SharedArrayBuffer | undefined;
  /** By what they look for, least recently used first. */
  readonly #searches = new Map<string, Remembered>();

  /** @param bytes of memory; 0 for none */
  constructor(private readonly bytes: number) {}

  /** The columns that a search may read, and the one that it fills. */
  use(params: Params['grep']): SearchUse {
    const key = keyOf(params);
    const search = this.bytes === 0 ? undefined : (this.#searches.get(key) ?? this.#add(params));
    const memory = this.#memory;
    if (search === undefined || memory === undefined) {
      return { memory: { column: 0, remembered: [] }, release: () => undefined };
    }
    this.#searches.delete(key);
    this.#searches.set(key, search);
    const wider = [...this.#searches.values()].filter((each) => each !== search && isIn(each.text, params.pattern));
    // A column that is being read must not be given to another search.
    const used = [search, ...wider];
    for (const each of used) each.users += 1;
    return {
      memory: {
        memory,
        column: search.column,
        remembered: wider.flatMap(({ text, column }) => (text === undefined ? [] : [{ text, column }])),
      },
      release: () => {
        for (const each of used) each.users -= 1;
      },
    };
  }

  /** Give the memory back, unless a search uses it. */
  giveBack(): void {
    if ([...this.#searches.values()].some(({ users }) => users > 0)) return;
    this.#searches.clear();
    this.#memory = undefined;
  }

  /** @returns undefined if too many different searches are under way */
  #add(params: Params['grep']): Remembered | undefined {
    if (this.#memory !== undefined && new SearchMemory(this.#memory).isFull) this.giveBack();
    const memory = (this.#memory ??= new SharedArrayBuffer(this.bytes));
    const column = this.#freeColumn(memory);
    return column === undefined ? undefined : { column, text: textOf(params), users: 0 };
  }

  #freeColumn(memory: SharedArrayBuffer): number | undefined {
    const searches = [...this.#searches];
    if (searches.length < columns) {
      const used = new Set(searches.map(([, { column }]) => column));
      return Array.from({ length: columns }, (_, column) => column).find((column) => !used.has(column));
    }
    const [oldest] = searches.filter(([, { users }]) => users === 0);
    if (oldest === undefined) return undefined;
    const [key, { column }] = oldest;
    this.#searches.delete(key);
    new SearchMemory(memory).clear(column);
    return column;
  }
}

/** Whether a pattern may require a text. */
function isIn(text: string | undefined, pattern: string): boolean {
  return text !== undefined && pattern.includes(text);
}

function keyOf({ pattern, literal = false, ignore_case: ignoreCase = false }: Params['grep']): string {
  return `${String(literal)} ${String(ignoreCase)} ${pattern}`;
}

function textOf({ pattern, literal = false, ignore_case: ignoreCase = false }: Params['grep']): string | undefined {
  return !ignoreCase && (literal || !/[\\^$.*+?()[\]{}|]/.test(pattern)) ? pattern : undefined;
}
