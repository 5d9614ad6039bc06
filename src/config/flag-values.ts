/** The type of a flag's value: how its text is read, and how an error describes it. */
import { networkInterfaces } from 'node:os';
import { patternsIn } from '../core/globs/dialects.js';
import { GlobFault } from '../core/globs/glob.js';
import { Scope } from '../core/globs/scope.js';
import { nearest } from '../core/names/nearest.js';
import { canonicalAddress } from './ip-address.js';

export interface Accept<Value> {
  /** The beginning of a problem, after the name of the flag (spec 1.1). */
  readonly rule?: string;
  /** In words, after "expected"; absent if the rule is complete. */
  readonly accepted?: string;
  /**
   * The value, or undefined if the text is invalid.
   * @param list its parts, if the library was given a list
   */
  read(text: string, list?: readonly string[]): Value | undefined;
  /** The probable meaning of an invalid text. */
  meant?(text: string): string | undefined;
  /** The fault of an invalid text, if the accepted values do not make it obvious. */
  fault?(text: string, list?: readonly string[]): string | undefined;
}

/** Any text that is not empty. */
export function anyText(accepted: string, rule?: string): Accept<string> {
  return { ...(rule === undefined ? {} : { rule }), accepted, read: (text) => (text === '' ? undefined : text) };
}

/** Units as in the rules, and as people write them after a number, in lower case. */
const units = { seconds: ['s', 'sec', 'second', 'seconds'], MB: ['m', 'mb'] } as const;

/**
 * Digits only: `8080.0`, `1e4` and `0x1F90` are usually typos.
 * @param extra a value outside the range
 * @param unit the unit of the number: a text with this unit is understood, one with another unit is not
 */
export function wholeNumber(
  from: number,
  to: number,
  { extra, unit }: { readonly extra?: number | undefined; readonly unit?: keyof typeof units } = {},
): Accept<number> {
  const written: readonly string[] = unit === undefined ? [] : units[unit];
  const read = (text: string): number | undefined => {
    if (!/^\d{1,15}$/.test(text)) return undefined;
    const number = Number(text);
    return number === extra || (number >= from && number <= to) ? number : undefined;
  };
  return {
    rule: `must be between ${String(from)} and ${String(to)}${unit === undefined ? '' : ` ${unit}`}${extra === undefined ? '' : `, or ${String(extra)}`}`,
    accepted: 'a whole number',
    read,
    meant: (text) => {
      const [, digits = '', behind = ''] = /^(\d+) ?([a-z]+)$/i.exec(text) ?? [];
      return written.includes(behind.toLowerCase()) && read(digits) !== undefined ? digits : undefined;
    },
  };
}

/** A port that needs no privileges. Well-known ports do, and belong to the proxy before a server. */
export function openPort(extra?: number): Accept<number> {
  const unprivileged: Readonly<Record<string, string>> = { '80': '8080', '443': '8443' };
  return { ...wholeNumber(1024, 65_535, { extra }), meant: (text) => unprivileged[text] };
}

/** The reader of a flag without a value. */
export const present: Accept<boolean> = { read: () => undefined };

/** Who calls, in the history and nowhere else. */
export const callerName: Accept<string> = {
  rule: 'must be 1 to 64 letters, digits, dots, underscores and hyphens',
  read: (text) => (/^[\w.-]{1,64}$/.test(text) ? text : undefined),
};

/** One of these values, written exactly. */
export function oneOf<Choice extends string | number>(...choices: readonly Choice[]): Accept<Choice> {
  return {
    rule: `must be one of: ${choices.join(', ')}`,
    read: (text) => choices.find((choice) => String(choice) === text),
    meant: (text) => nearest(text, choices.map(String)),
  };
}

/** Parts separated by commas, each accepted by `part`, none twice. */
export function listOf<Part>(part: Accept<Part>, accepted: string): Accept<readonly Part[]> {
  return {
    accepted,
    read(text) {
      const parts: Part[] = [];
      for (const each of text.split(',')) {
        const value = part.read(each.trim());
        if (value === undefined) return undefined;
        if (!parts.includes(value)) parts.push(value);
      }
      return parts;
    },
    meant(text) {
      const parts = text.split(',').map((each) => each.trim());
      const meant = parts.map((each) => (part.read(each) === undefined ? part.meant?.(each) : each));
      return meant.includes(undefined) ? undefined : meant.join(',');
    },
  };
}

/** Patterns from the root of the directory, separated by commas outside braces. */
export const globs: Accept<readonly string[]> = {
  accepted: 'patterns such as src/** from the root of the directory, separated by commas; ! excludes',
  read: (text, list = patternsIn(text)) => (list.length > 0 && faultIn(list) === undefined ? list : undefined),
  fault: (text, list = patternsIn(text)) => faultIn(list),
};

/** The fault of the first invalid pattern. */
function faultIn(patterns: readonly string[]): string | undefined {
  for (const [index, pattern] of patterns.entries()) {
    try {
      Scope.of({ server: [pattern] });
    } catch (error) {
      if (!(error instanceof GlobFault)) throw error;
      return `pattern ${String(index + 1)} ${error.message}`;
    }
  }
  return undefined;
}

/**
 * A browser origin as browsers send it: in lower case, without its scheme's default port. Browser extensions have their
 * own schemes (`chrome-extension://…`), for which the URL class gives no origin.
 */
export const origin = {
  accepted: 'an origin such as https://app.example.com:3000, without a path and without *',
  read(text: string): string | undefined {
    if (!/^[a-z][a-z\d+.-]*:\/\/[^/\\?#@*\s]+$/i.test(text) || !URL.canParse(text)) return undefined;
    const url = new URL(text);
    return url.origin === 'null' ? `${url.protocol}//${url.host}` : url.origin;
  },
} satisfies Accept<string>;

/** An address that this machine can listen on, in its canonical spelling. */
export const ownAddress: Accept<string> = {
  accepted: 'an address of this machine, localhost, 0.0.0.0 or ::',
  read(text) {
    if (text.toLowerCase() === 'localhost') return 'localhost';
    // % introduces the interface of a link-local address.
    const [host = '', ...zone] = text.split('%');
    const address = canonicalAddress(host);
    if (address === undefined) return undefined;
    const always = ['0.0.0.0', '::', '::1'].includes(address) || address.startsWith('127.');
    return always || ownAddresses().includes(address) ? [address, ...zone].join('%') : undefined;
  },
};

function ownAddresses(): (string | undefined)[] {
  return Object.values(networkInterfaces()).flatMap((each) =>
    (each ?? []).map(({ address }) => canonicalAddress(address)),
  );
}
