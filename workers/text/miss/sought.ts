/** A text that was looked for in vain, and how the tool that did so calls it. */
export interface Sought {
  readonly text: string;
  /** What was to take its place; absent if it is too large to be compared. */
  readonly replacement?: string | undefined;
  /** The tool's names for the two. */
  readonly parameters: { readonly text: string; readonly replacement: string };
  /** Whether every place where it is was meant: otherwise it may be there only once. */
  readonly isForAll: boolean;
  /** Whether case mattered; `always` where the tool has no option for it. */
  readonly caseMatters: 'always' | 'as asked' | 'not';
}
