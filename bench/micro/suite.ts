/** A hot function on one input, compared with the obvious implementation. */
export interface Suite {
  readonly name: string;
  /** The first is this project's function; the others do the same work naively. */
  readonly variants: Readonly<Record<string, () => unknown>>;
}
