/** The given flags, not yet validated: in the same shape for a command line and for options of the library. */
import { statSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { nearest } from '../core/names/nearest.js';
import type { Flag } from './flag.js';
import { allFlags, type AnyFlag, type flags } from './flags.js';

/** A flag as it was given. */
export interface Given {
  /** Name of the flag, not of an alias. */
  readonly name: string;
  /** The user's spelling: `--max-file-size`, or `maxFileSize` in the library. */
  readonly label: string;
  /** Undefined if there was no value. */
  readonly text: string | undefined;
  /** The parts, if it was given as a list. */
  readonly list?: readonly string[];
}

export interface GivenFlags {
  readonly given: readonly Given[];
  /** One line each. */
  readonly problems: readonly string[];
  /** The user's spelling of a flag that was not given. */
  readonly labelOf: (name: string) => string;
  /** Takes precedence over everything else. */
  readonly information?: Information;
}

type Information = 'help' | 'version';

/** Answered before everything else. Not flags of a server, and so not in its table. */
const informationFlags: ReadonlyMap<string, Information> = new Map([
  ['--help', 'help'],
  ['-h', 'help'],
  ['--version', 'version'],
  ['-v', 'version'],
]);

/** A user's value, truncated and on one line: it may be a whole file by mistake. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
}

/** Read a command line, without the program's name. Never throws: mistakes become problems. */
export function readArguments(written: readonly string[]): GivenFlags {
  const given: Given[] = [];
  const problems: string[] = [];
  const labelOf = (name: string): string => `--${name}`;
  // As booleans, so that parseArgs never takes the next flag for a value (`--dir --port=80`).
  const names = namesOfFlags();
  const options = Object.fromEntries(names.map((name) => [name, { type: 'boolean' as const }]));
  const args = written.filter((argument) => argument !== '--');
  if (args.length < written.length) {
    problems.push('"--": is not accepted; leave it out: what follows it is read as flags');
  }
  const { tokens } = parseArgs({ args, options, strict: false, allowPositionals: true, tokens: true });

  let information: Information | undefined;
  let taken = -1;
  for (const token of tokens) {
    if (token.index <= taken) continue;
    const argument = args[token.index] ?? '';
    // Compared exactly, since `-hv` and `-verbose` are parsed as several short flags.
    const exact = token.kind === 'option' && (token.rawName.startsWith('--') || token.rawName === argument);
    const asked = exact ? informationFlags.get(token.rawName) : undefined;
    if (exact && asked !== undefined) {
      if (token.value === undefined) information ??= asked;
      else problems.push(`${token.rawName}: ${quoted(token.value)} is not accepted; expected no value`);
      continue;
    }
    const flag = token.kind === 'option' && token.rawName.startsWith('--') ? findFlag(token.name) : undefined;
    if (flag === undefined) {
      const suggestion =
        token.kind === 'positional' && isDirectory(argument)
          ? `did you mean --dir=${quoted(argument)}?`
          : suggest(argument, [...names, 'help', 'version'], '--');
      problems.push(`${quoted(argument)}: unknown ${token.kind === 'option' ? 'flag' : 'argument'}; ${suggestion}`);
      taken = token.index;
    }
    if (token.kind !== 'option') continue;
    const next = args[token.index + 1];
    const valueFollows = !token.inlineValue && next !== undefined && !next.startsWith('--');
    const separate = valueFollows && mayBeValueOf(flag, next);
    if (separate) taken = token.index + 1;
    if (flag !== undefined) {
      given.push({ name: flag.name, label: labelOf(token.name), text: separate ? next : token.value });
    }
  }
  return {
    given,
    problems: [...problems, ...duplicates(given)],
    labelOf,
    ...(information === undefined ? {} : { information }),
  };
}

/** Whether the argument after a flag is meant as its value, even if wrong. */
function mayBeValueOf(flag: AnyFlag | undefined, text: string): boolean {
  if (flag === undefined) return !text.startsWith('-');
  return flag.placeholder !== undefined || text === 'true' || text === 'false';
}

/** Read the options of the library. Values take the text form of their flag, so both have the same rules. */
export function readOptions(options: Options): GivenFlags {
  const given: Given[] = [];
  const problems: string[] = [];
  const byOption = new Map(namesOfFlags().map((name) => [camelCase(name), findFlag(name)]));
  for (const [label, value] of Object.entries(options)) {
    const flag = byOption.get(label);
    if (flag === undefined) {
      problems.push(`${quoted(label)}: unknown option; ${suggest(label, [...byOption.keys()], '')}`);
    } else if (flag.placeholder !== undefined) {
      const list = Array.isArray(value) ? { list: value.map(String) } : {};
      if (value !== undefined) given.push({ name: flag.name, label, text: String(value), ...list });
    } else if (value === true) {
      given.push({ name: flag.name, label, text: undefined });
    } else if (value !== undefined && value !== false) {
      problems.push(`${label}: ${quoted(String(value))} is not accepted; expected true or false`);
    }
  }
  return { given, problems: [...problems, ...duplicates(given)], labelOf: camelCase };
}

function namesOfFlags(): string[] {
  return allFlags.flatMap(({ name, alias }) => (alias === undefined ? [name] : [name, alias]));
}

function findFlag(name: string): AnyFlag | undefined {
  return allFlags.find((flag) => flag.name === name || flag.alias === name);
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

function suggest(word: string, known: readonly string[], dashes: string): string {
  const meant = nearest(word.replace(/^-*([^=]*).*$/s, '$1'), known);
  if (meant !== undefined) return `did you mean ${dashes}${meant}?`;
  return dashes === '' ? `accepted are ${known.join(', ')}` : 'accepted are the flags that --help lists';
}

function duplicates(given: readonly Given[]): string[] {
  return [...new Set(given.map(({ name }) => name))].flatMap((name) => {
    const all = given.filter((each) => each.name === name);
    if (all.length < 2) return [];
    const shown = all.map(({ label, text }) => (text === undefined ? label : `${label}=${quoted(text)}`)).join(', ');
    return [`${all[0]?.label ?? name}: given ${String(all.length)} times (${shown}); accepted once`];
  });
}

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
