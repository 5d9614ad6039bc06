/** Compiles a bundle at build time, so that a program need not compile it at each start (launcher.cjs). */
import { createHash } from 'node:crypto';
import { compileFunction } from 'node:vm';

/** The parameters of a CommonJS module, in the order in which the launcher passes them. */
const parameters = ['exports', 'require', 'module', '__filename', '__dirname'];

interface Program {
  /** ASCII; its last line is a comment with its name, a hash. */
  readonly code: string;
  /** V8's form of the code, then the label: the name, and the version and architecture of the compiling Node. */
  readonly compiled: Buffer;
}

/**
 * Compile a bundle.
 * @param bundle a CommonJS module
 * @throws if it is not JavaScript
 */
export function compiled(bundle: string): Program {
  // A single character beyond Latin-1, in a regular expression, makes V8 store all code with two bytes per character.
  const ascii = bundle.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  // V8 would accept the compiled form of any code of the same length, so the launcher compares names.
  const name = `// ${createHash('sha256').update(ascii).digest('hex')}`;
  const code = `${ascii}\n${name}`;
  const { cachedData } = compileFunction(code, parameters, { produceCachedData: true });
  if (cachedData === undefined) throw new Error('V8 gave no compiled form');
  return { code, compiled: Buffer.concat([cachedData, Buffer.from(`${name} ${process.version} ${process.arch}`)]) };
}
