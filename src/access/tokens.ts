/** Whose token a request carries (spec 16). Loaded only with `--tokens`. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { GivenFile } from '../config/given-files.js';
import type { Caller } from './permission.js';
import { readTokens, type Token } from './token-file.js';

/** Headers that are remembered, and how long each may be: clients choose their spelling, and how many spaces it has. */
const mostHeaders = 10_000;
const mostCharacters = 512;

export class Tokens {
  private tokens: readonly Token[] = [];
  /**
   * Headers that have proved right, so that a hot read does without a hash: 0.1 µs instead of 3. Only someone who has
   * the whole header finds it here, and V8 seeds the hashes of strings at random: how long a look takes tells nothing.
   */
  private readonly proved = new Map<string, Caller>();

  /** @param paths what the server allows to every token; undefined: everything */
  constructor(
    private readonly file: GivenFile,
    private readonly paths?: readonly string[],
  ) {}

  /** Number of tokens. */
  get count(): number {
    return this.tokens.length;
  }

  /** Read the file, at the start and again. @returns what is wrong with it: then the tokens stay as they were */
  load(): readonly string[] {
    const { tokens, problems } = readTokens(this.file, this.paths);
    if (problems.length > 0) return problems;
    this.tokens = tokens;
    this.proved.clear();
    return [];
  }

  /** @param authorization the header; several, joined with commas, are none that this server knows */
  callerOf(authorization: string | undefined): Caller | undefined {
    if (authorization === undefined) return undefined;
    const known = this.proved.get(authorization);
    if (known !== undefined) return known;
    const [, token] = /^[ \t]*bearer +([!-~]+)[ \t]*$/i.exec(authorization) ?? [];
    const caller = token === undefined ? undefined : this.find(token);
    if (caller === undefined || authorization.length > mostCharacters) return caller;
    if (this.proved.size >= mostHeaders) this.proved.clear();
    this.proved.set(authorization, caller);
    return caller;
  }

  /** All are compared, whatever was found: the time tells nothing about the tokens. */
  private find(token: string): Caller | undefined {
    const hash = createHash('sha256').update(token).digest();
    let found: Caller | undefined;
    for (const each of this.tokens) {
      for (const one of each.hashes) if (timingSafeEqual(one, hash)) found = each.caller;
    }
    return found;
  }
}
