/** The text of a pattern, and how far it has been read. */
export class PatternReader {
  readonly characters: readonly string[];
  /** Index of the next character. */
  at = 0;

  constructor(pattern: string) {
    this.characters = Array.from(pattern);
  }

  /** Number of the next character, counted from 1. */
  get place(): number {
    return this.at + 1;
  }

  /** The next character; empty at the end. */
  get next(): string {
    return this.characters[this.at] ?? '';
  }

  /** @returns whether this text followed; if so, it has been read */
  takes(text: string): boolean {
    for (let index = 0; index < text.length; index++) {
      if (this.characters[this.at + index] !== text[index]) return false;
    }
    this.at += text.length;
    return true;
  }
}

export function codeOf(character: string): number {
  return character.codePointAt(0) ?? 0;
}
