/** Flat file names (spec 3) that the server accepts. Workers also check the names that they find on disk. */
import { posix, win32 } from 'node:path';
import { failure, type Failure } from '../errors.js';
import type { Operation, Schema } from '../operations.js';
import { isReservedName } from './reserved-name.js';
import { quotedName } from './names-in-messages.js';
import { platform } from '../platform.js';

/** Names valid on every platform, or all that this platform can store. */
export type NameRule = 'portable' | 'unicode';

/**
 * Fast path: names that both rules accept on every platform, with no leading dot (so not reserved), no trailing dot and
 * no device name. Nearly every name in a real directory matches.
 */
const plain = /^(?!(?:con|prn|aux|nul|com[1-9]|lpt[1-9])(?:\.|$))[a-z0-9_-](?:[a-z0-9._-]{0,253}[a-z0-9_-])?$/i;

const portableName = /^[a-zA-Z0-9._-]+$/;
const unicodeName = /^[^/\\:*?"<>|\p{Cc}]+$/u;
/** Windows takes the part before the first dot, without trailing spaces, for the device. */
const device = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[1-9¹²³]) *(?:\.|$)/iu;
/** Length of a name in UTF-8; it cannot have more characters than that. */
export const mostNameBytes = 255;
/** In characters. */
const longestPath = 4096;

/** How to reach a file in a subdirectory. */
export const forPathTools =
  'For files in subdirectories use view and the other tools that take a path (--toolset=storage,edits).';

/**
 * The failure for `name` under `rule`, or null. On Windows the unicode rule also refuses names that Windows cannot
 * store; the portable rule always does.
 */
export function checkFilename(
  name: string,
  rule: NameRule,
  windowsNames: boolean = platform.hasWindowsNames,
): Failure | null {
  if (plain.test(name)) return null;
  const reason = objection(name, rule, rule === 'portable' || windowsNames);
  if (reason === undefined) return null;
  // Such files are listed, so the caller cannot tell why this name is refused.
  const otherwise = rule === 'portable' && objection(name, 'unicode', windowsNames) === undefined;
  const nested = /[/\\]/.test(name) ? ` ${forPathTools}` : '';
  const advice = otherwise
    ? 'Use another name, or have the server started with --names=unicode, which allows this one.'
    : `Use a plain file name without path separators, as list_files reports it.${nested}`;
  return invalidFilename(`The name ${reason}. ${advice}`);
}

/** As checkFilename, with its own message for the absolute path of a file in one of `directories`. */
export function checkGivenFilename(name: string, rule: NameRule, directories: readonly string[]): Failure | null {
  const refused = checkFilename(name, rule);
  const plainName = refused === null || name.length > longestPath ? undefined : relativeTo(directories, name);
  if (plainName === undefined || checkFilename(plainName, rule) !== null) return refused;
  return invalidFilename(`The name is an absolute path. Send ${quotedName(plainName)}.`);
}

function invalidFilename(details: string): Failure {
  return failure('invalid_filename', 'Invalid filename format', { details });
}

function objection(name: string, rule: NameRule, everywhere: boolean): string | undefined {
  if (name === '') return 'is empty';
  // First, so that no check below scans a name of megabytes. A character takes at least one byte.
  if (name.length > mostNameBytes || Buffer.byteLength(name) > mostNameBytes)
    return `is longer than ${String(mostNameBytes)} bytes`;
  if (!name.isWellFormed()) return 'is not well-formed Unicode';
  if (name === '.' || name === '..') return 'means a directory';
  if (rule === 'portable' && !portableName.test(name)) return 'may hold only the characters a-z A-Z 0-9 . _ -';
  if (rule === 'unicode' && !unicodeName.test(name))
    return 'may not hold control characters or any of / \\ : * ? " < > |';
  const unusable = everywhere ? unusableOnWindows(name) : undefined;
  if (unusable !== undefined) return unusable;
  if (everywhere && isDeviceName(name)) return 'is a device name on Windows';
  if (isReservedName(name)) return 'is reserved for the server';
  return undefined;
}

/** The rule as a regular expression that every JSON Schema implementation supports. */
export function namePattern(rule: NameRule): string {
  return rule === 'portable' ? portableName.source : '^[^/\\\\:*?"<>|]+$';
}

/** Why no Windows program could open a file of this name; undefined if one could. */
export function unusableOnWindows(name: string): string | undefined {
  if (/[<>"|?*\p{Cc}]/u.test(name)) return 'holds a control character or one of < > " | ? *';
  return /[. ]$/.test(name) ? 'ends with a dot or a space' : undefined;
}

/** Whether the name is a device on Windows. */
export function isDeviceName(name: string): boolean {
  return device.test(name);
}

/**
 * An absolute path relative to the directory of the list that contains it: '' for the directory itself; undefined if
 * the path is outside or relative.
 * @param directories absolute, in every spelling that callers may use
 */
export function relativeTo(
  directories: readonly string[],
  path: string,
  windowsNames: boolean = platform.hasWindowsNames,
): string | undefined {
  const rules = windowsNames ? win32 : posix;
  if (!rules.isAbsolute(path)) return undefined;
  const inside = directories
    .map((directory) => rules.relative(directory, path))
    .find((each) => each !== '..' && !each.startsWith(`..${rules.sep}`) && !rules.isAbsolute(each));
  return inside?.split(rules.sep).join('/');
}

/**
 * The published schema of the parameters, with the rule for file names (spec 5.5). The validators omit it, since an
 * invalid name has its own failure.
 */
export function publishedParams(schema: Schema, { filename }: Operation, names: NameRule): Schema {
  const name = filename === undefined ? undefined : schema.properties?.[filename];
  if (filename === undefined || name === undefined) return schema;
  const ruled = { ...name, minLength: 1, maxLength: mostNameBytes, pattern: namePattern(names) };
  return { ...schema, properties: { ...schema.properties, [filename]: ruled } };
}
