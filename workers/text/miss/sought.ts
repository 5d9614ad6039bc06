/** A text that was looked for in vain, and how the tool that did so speaks of it. */
export interface Sought {
  readonly text: string;
  /** What was to take its place; absent where it is too large to be compared. */
  readonly replacement?: string | undefined;
  /** What the tool calls the two. */
  readonly parameters: { readonly text: string; readonly replacement: string };
  /** Whether upper and lower case made a difference; `always` where the tool has no choice. */
  readonly caseMatters: 'always' | 'as asked' | 'not';
}
