/** Reads typed values from the given flags, and collects all problems. */
import { quoted, type GivenFlags, type Given } from './arguments.js';
import type { Accept } from './flag-values.js';
import type { Flag } from './flag.js';

type Named = Pick<Flag<unknown>, 'name'>;

/** Reads the value of each flag once, and collects its problems (spec 1.1: all problems are listed). */
export class FlagReader {
  /** One line each. */
  readonly problems: string[];
  readonly #given: readonly Given[];
  readonly #labelOf: (name: string) => string;
  readonly #defaults: Readonly<Record<string, string>>;

  /** @param defaults texts for flags that are not given, by name */
  constructor({ given, problems, labelOf }: GivenFlags, defaults: Readonly<Record<string, string>> = {}) {
    this.problems = [...problems];
    this.#given = given;
    this.#labelOf = labelOf;
    this.#defaults = defaults;
  }

  refuse(problem: string): void {
    this.problems.push(problem);
  }

  /** The user's spelling of the flag. */
  label(flag: Named): string {
    return this.#all(flag)[0]?.label ?? this.#labelOf(flag.name);
  }

  /** The flag as given, for a problem: its name, then its value. Undefined if it was not given. */
  shown(flag: Named): string | undefined {
    const [first] = this.#all(flag);
    if (first === undefined) return undefined;
    return first.text === undefined ? `${first.label}:` : `${first.label}: ${quoted(first.text)}`;
  }

  /** The value, or the fallback. Each invalid text becomes a problem, even of a duplicate. */
  value<Value>(flag: Flag<Value>): Value {
    const values = this.#meant(flag).map(({ label, text, list }) => {
      const value = text === undefined ? undefined : flag.accept.read(text, list);
      if (value === undefined) {
        const what = text === undefined || text === '' ? 'no value given' : `${quoted(text)} is not accepted`;
        const meant = text === undefined ? undefined : flag.accept.meant?.(text);
        const suggestion = meant === undefined ? '' : `; did you mean ${meant}?`;
        const fault = text === undefined || text === '' ? undefined : flag.accept.fault?.(text, list);
        this.refuse(`${label}${problemOf(flag.accept, what)}${suggestion}${fault === undefined ? '' : `; ${fault}`}`);
      }
      return value;
    });
    return values[0] ?? flag.fallback;
  }

  /** Whether the flag was given; a value for a flag without one becomes a problem. */
  has(flag: Pick<Flag<unknown>, 'name' | 'placeholder'>): boolean {
    const all = this.#all(flag);
    for (const { label, text } of all) {
      if (flag.placeholder !== undefined || text === undefined) continue;
      this.refuse(`${label}: ${quoted(text)} is not accepted; expected no value`);
    }
    return all.length > 0;
  }

  /** Whether the flag itself is valid, so its value, or its fallback, counts. */
  isCertain(flag: Pick<Flag<unknown>, 'name' | 'placeholder' | 'accept'>): boolean {
    const [first, ...others] = this.#all(flag);
    if (first === undefined) return true;
    const { text } = first;
    const accepted =
      flag.placeholder === undefined ? text === undefined : text !== undefined && flag.accept.read(text) !== undefined;
    return accepted && others.length === 0;
  }

  /** The flag as given, or the command's default, which counts as given. */
  #meant(flag: Named): readonly Given[] {
    const all = this.#all(flag);
    const text = this.#defaults[flag.name];
    return all.length > 0 || text === undefined ? all : [{ name: flag.name, label: this.label(flag), text }];
  }

  #all(flag: Named): readonly Given[] {
    return this.#given.filter(({ name }) => name === flag.name);
  }
}

/** The problem, after the name of the flag. @param what is wrong with its value */
function problemOf({ rule, accepted }: Accept<unknown>, what: string): string {
  const expected = accepted === undefined ? what : `${what}; expected ${accepted}`;
  return rule === undefined ? `: ${expected}` : ` ${rule}; ${expected}`;
}
