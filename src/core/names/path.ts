/**
 * Checks paths below the working directory (spec 11) by their text. The worker checks where they lead, such as links to
 * the outside (workers/disk/paths/walk.ts).
 */
import { failure, type Failure } from '../errors.js';
import { escapes, reserved } from '../failures.js';
import { type Operation, textAt } from '../operations.js';
import { isReservedName } from './reserved-name.js';
import { quotedName } from './names-in-messages.js';
import { isDeviceName, relativeTo } from './filename.js';
import { invalid } from '../violations.js';
import { platform } from '../platform.js';

interface NestedPath {
  /** Names and `..`, in order, never above the working directory. Empty: that directory itself. */
  readonly steps: readonly string[];
  /** Ends in a slash, `.` or `..`, so it must be a directory. */
  readonly directory: boolean;
}

/** Limit of a path. */
export const maxPathBytes = 4096;
const maxNameBytes = 255;

/** The directory and system that paths are checked for. */
interface Ground {
  /** Absolute paths of the working directory, in every spelling that callers may use. */
  readonly directories?: readonly string[];
  /** On Windows, names of devices and streams are refused. */
  readonly windowsNames?: boolean;
}

/**
 * The failure for a path, or null.
 * @param parameter name of the parameter that holds it
 */
export function checkPath(parameter: string, path: string, ground: Ground = {}): Failure | null {
  const refused = checkWhole(parameter, path);
  if (refused !== null) return refused;
  const below = relativeBelow(path, ground);
  if (below !== undefined) return notRelative(parameter, path, below, ground);
  const escape = absolute(path) ?? escapeOf(path, ground);
  if (escape !== undefined) return failure('path_security', escapes, { details: escape, data: { path } });
  if (namesOf(path).some(isReservedName)) {
    return failure('path_security', reserved, { details: 'Use another name.', data: { path } });
  }
  return checkNames(parameter, path);
}

/** The failure for the first path of a call that `checkPath` does not accept, or null. */
export function checkPaths({ paths = [] }: Operation, params: unknown, ground?: Ground): Failure | null {
  for (const parameter of paths) {
    const path = textAt(params, parameter);
    const refused = path === undefined ? null : checkPath(parameter, path, ground);
    if (refused !== null) return refused;
  }
  return null;
}

/** The failure for a path that no system accepts, wherever it leads, or null. */
export function checkAnyPath(parameter: string, path: string): Failure | null {
  return checkWhole(parameter, path) ?? checkNames(parameter, path);
}

function checkWhole(parameter: string, path: string): Failure | null {
  // First, so that no check below scans a path of megabytes. A character takes at least one byte.
  if (path.length > maxPathBytes || Buffer.byteLength(path) > maxPathBytes) {
    return malformed(parameter, path, `is longer than ${String(maxPathBytes)} bytes`);
  }
  return path.includes('\0') ? malformed(parameter, path, 'holds a NUL character', 'a path without it') : null;
}

function checkNames(parameter: string, path: string): Failure | null {
  const tooLong = namesOf(path).some((name) => Buffer.byteLength(name) > maxNameBytes);
  return tooLong ? malformed(parameter, path, `has a part that is longer than ${String(maxNameBytes)} bytes`) : null;
}

/** The steps of a path that `checkPath` accepts. */
export function parsePath(path: string): NestedPath {
  const names = namesOf(path);
  const last = names.at(-1) ?? '';
  return {
    steps: names.filter((name) => name !== '' && name !== '.'),
    directory: last === '' || last === '.' || last === '..',
  };
}

/**
 * The names of a path that `checkPath` accepts, with `..` resolved; correct only if the path contains no link. None if it
 * is too long: nobody has checked a path in a list yet, and millions of names would take seconds.
 */
export function plainNames(path: string): string[] {
  const names: string[] = [];
  if (path.length > maxPathBytes) return names;
  for (const step of parsePath(path).steps) {
    if (step === '..') names.pop();
    else names.push(step);
  }
  return names;
}

function namesOf(path: string): string[] {
  return path.split(/[/\\]/);
}

/** Refuse an absolute path inside the directory (spec 15): suggest the relative one, or report its fault. */
function notRelative(parameter: string, path: string, below: string, { windowsNames }: Ground): Failure {
  const refused = checkPath(parameter, below, windowsNames === undefined ? {} : { windowsNames });
  if (refused !== null) return { ...refused, data: { path } };
  // A call that needs something in the directory would refuse the directory itself in turn.
  const instead =
    below === '' ? "'' for the directory itself, or the path of something in it" : `${quotedName(below)} instead`;
  return failure('path_security', 'Path must be relative to the working directory', {
    details: `Send ${instead}.`,
    data: { path },
  });
}

/** The relative form of an absolute path below the working directory; undefined for any other. */
function relativeBelow(path: string, { directories = [], windowsNames }: Ground): string | undefined {
  return isAbsolute(path) ? relativeTo(directories, path, windowsNames) : undefined;
}

/** By the rules of any platform. */
function isAbsolute(path: string): boolean {
  return /^(?:[a-z]:|[/\\])/i.test(path);
}

/** Hint for an absolute path; undefined for any other. */
function absolute(path: string): string | undefined {
  if (!isAbsolute(path)) return undefined;
  if (/^[a-z]:/i.test(path)) {
    return 'A path that begins with a letter and a colon is absolute on Windows. Send one that is relative to the working directory; a file of such a name is reached with ./ before it.';
  }
  if (/^[/\\]+$/.test(path)) {
    return 'The working directory itself is "", and paths in it have no slash in front, as in notes/today.md.';
  }
  return 'The path is absolute. Send it relative to the working directory, as in notes/today.md.';
}

/** Hint for a path that leads above the working directory, or to a device or stream. */
function escapeOf(path: string, { windowsNames = platform.hasWindowsNames }: Ground): string | undefined {
  let depth = 0;
  for (const name of namesOf(path)) {
    if (name === '..') depth -= 1;
    else if (name !== '' && name !== '.') depth += 1;
    if (depth < 0) return 'The path leaves the working directory with "..". Send one that stays below it throughout.';
    if (windowsNames && (name.includes(':') || isDeviceName(name))) {
      return 'The path names a device or a stream on Windows. Use another name.';
    }
  }
  return undefined;
}

function malformed(parameter: string, path: string, problem: string, instead = 'a shorter path'): Failure {
  const hint = `send ${instead}, of plain names, as in notes/today.md.`;
  return { ...invalid([{ pointer: `/${parameter}`, problem, hint }]), data: { path } };
}
