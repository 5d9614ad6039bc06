/** Identifies the caller by the token of a request (spec 16). Loaded only with `--tokens`. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { GivenFile } from '../config/given-files.js';
import type { Caller } from './permission.js';
import { readTokens, type Token } from './token-file.js';

/** Limits on the headers remembered, and on their length: clients choose spelling and number of spaces. */
const mostHeaders = 10_000;
const mostCharacters = 512;

export class Tokens {
  private tokens: readonly Token[] = [];
  /**
   * Headers with a valid token, so that a hot read needs no hash: 0.1 µs instead of 3. Only a caller with the whole
   * header finds it here, and V8 seeds string hashes at random, so timing reveals nothing.
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

  /** Read the file, at the start or again. @returns its problems; if there are any, the tokens stay unchanged */
  load(): readonly string[] {
    const { tokens, problems } = readTokens(this.file, this.paths);
    if (problems.length > 0) return problems;
    this.tokens = tokens;
    this.proved.clear();
    return [];
  }

  /** @param authorization the header; several joined with commas match no token */
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

  /** Compares all tokens even after a match, so timing reveals nothing about them. */
  private find(token: string): Caller | undefined {
    const hash = createHash('sha256').update(token).digest();
    let found: Caller | undefined;
    for (const each of this.tokens) {
      for (const one of each.hashes) if (timingSafeEqual(one, hash)) found = each.caller;
    }
    return found;
  }
}
