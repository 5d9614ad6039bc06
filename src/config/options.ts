/** The flags as programs give them: the options of the library (spec 1.1). */
import type { Flag, flags } from './flags.js';

/** `max-size` as `maxSize`. */
export function camelCase(name: string): string {
  return name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

type Option<Row> =
  Row extends Flag<infer Value> ? (Value extends readonly string[] ? Value | Value[number] : Value) : never;

/** Options of the library: the flags in camelCase. */
export type Options = { readonly [Name in keyof typeof flags]?: Option<(typeof flags)[Name]> | undefined } & {
  /** An alias of `maxSize`: only one of them may be given. */
  readonly maxFileSize?: number | undefined;
};
