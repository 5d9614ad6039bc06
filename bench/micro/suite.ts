/** One hot function on one input, beside what one would write without thinking. */
export interface Suite {
  readonly name: string;
  /** The first is the function of this project, the others do the same work naively. */
  readonly variants: Readonly<Record<string, () => unknown>>;
}
