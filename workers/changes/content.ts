import { isUtf8 } from 'node:buffer';
import { bytesOf as bytesOfText } from '../../src/core/json/large-text.js';
import type { Params } from '../../src/core/operations.js';
import { bytesOfBase64 } from '../answers/base64.js';
import type { Context } from '../handler.js';
import { countLines } from '../text/lines/lines.js';
import { release } from '../text/scattered-text.js';
import { assertResult } from '../commit/result-limits.js';

/** The whole content of a file, from a request; decoded on first use. */
export class Content {
  readonly #params: Given;
  readonly #context: Context;
  #made: Buffer | undefined;

  constructor(params: Given, context: Context) {
    this.#params = params;
    this.#context = context;
  }

  /** @throws OperationError invalid_encoding, too_large, too_many_lines */
  get bytes(): Buffer {
    return (this.#made ??= bytesOf(this.#params, this.#context));
  }

  release(): void {
    if (this.#made !== undefined) release(this.#made);
  }
}

type Given = Pick<Params['create'], 'content' | 'encoding'>;

function bytesOf({ content, encoding = 'utf-8' }: Given, { workspace: { setup } }: Context): Buffer {
  const text = bytesOfText(content);
  const bytes = encoding === 'utf-8' ? text : bytesOfBase64(text);
  // Binary content has no lines.
  const lines = (): number => (encoding === 'utf-8' || isUtf8(bytes) ? countLines(bytes) : 0);
  assertResult(bytes, undefined, lines, setup);
  return bytes;
}
