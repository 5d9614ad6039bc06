import type { Failure, Reason } from '../core/errors.js';

/** Why a call of the library failed. Nothing was changed unless `data.applied` says otherwise. */
export abstract class Refused extends Error {
  readonly code: Reason;
  /** What to do next. */
  readonly details: string;
  /** The path at fault, if there is one. */
  readonly path?: string;
  readonly data: NonNullable<Failure['data']>;

  constructor({ message, details, data = {} }: Failure) {
    super(message);
    this.code = data.reason ?? 'io_error';
    this.details = details;
    if (data.path !== undefined) this.path = data.path;
    this.data = data;
  }
}
