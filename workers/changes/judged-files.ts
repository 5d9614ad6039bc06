import { OperationError } from '../../src/core/errors.js';
import type { Judged } from './judged-change.js';

/** Most files that one call may change, including those of globs (spec 17). */
const mostFiles = 1_000;

/** Limit of the texts of one call, as a multiple of the size limit of a file (spec 14). */
export const mostTexts = 4;

/** The judged changes of a call, within its limits. */
export class JudgedFiles {
  readonly judged: Judged[] = [];
  #files = 0;
  #bytes = 0;

  /** @param maxBytes size limit of a file */
  constructor(private readonly maxBytes: number) {}

  /**
   * Beyond the limit, files are only counted.
   * @param number of the change, from 1
   * @throws OperationError too_large
   */
  add(each: Judged, number: number): void {
    if (each.changes.length > 0) this.#files += 1;
    if (this.#files > mostFiles) {
      each.close();
      return;
    }
    this.judged.push(each);
    this.#bytes += each.bytes;
    const limit = mostTexts * this.maxBytes;
    if (this.#bytes > limit) throw textsTooLarge(number, limit);
  }

  /** @throws OperationError invalid_params if the call would change too many files */
  assertFew(): void {
    if (this.#files <= mostFiles) return;
    const [files, most] = [this.#files, mostFiles].map(String);
    throw new OperationError(
      'invalid_params',
      `Invalid params: ${files} files would be changed, at most ${most} are in one call`,
      {
        details: 'Nothing was changed. Send narrower globs, one after the other.',
      },
    );
  }

  close(): void {
    for (const each of this.judged) each.close();
  }
}

function textsTooLarge(number: number, limit: number): OperationError {
  const texts = number === 1 ? 'The texts of this change' : `The texts of changes 1 to ${String(number)}`;
  return new OperationError('too_large', `${texts}, old and new, have more than ${String(limit)} bytes together`, {
    details: 'Nothing was changed. Send fewer changes in one call.',
  });
}
