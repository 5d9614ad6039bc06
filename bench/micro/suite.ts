/** A hot function on one input, beside what one would write without much thought. */
export interface Suite {
  readonly name: string;
  /** The first one is this project's function; the others do the same work naively. */
  readonly variants: Readonly<Record<string, () => unknown>>;
}
