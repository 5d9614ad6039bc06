/**
 * Reads the file of tokens (spec 16). It holds hashes, not tokens. No problem quotes a hash, not even as the wrong
 * value of a member.
 */
import { dirname } from 'node:path';
import { parse, type ObjectNode, type ValueNode } from '@humanwhocodes/momoa';
import { quoted } from '../config/arguments.js';
import { bytesIn, Unusable, type GivenFile } from '../config/given-files.js';
import { GlobFault } from '../core/globs/glob.js';
import { Scope, type Limits } from '../core/globs/scope.js';
import { allowedBy, type Caller } from './permission.js';
import { platform } from '../core/platform.js';

/** A token of the file, and its owner. */
export interface Token {
  /** The SHA-256 of each accepted text: more than one while the token is being changed. */
  readonly hashes: readonly Buffer[];
  readonly caller: Caller;
}

/** Room for 10,000 tokens, in bytes. */
const mostBytes = 4_194_304;
const mostNameCharacters = 100;
const mostPaths = 1000;
const mostHashes = 4;
/** Longest unknown member that a problem quotes: probably a mistyped known one. */
const mostTypoCharacters = 12;
const expected =
  'expected {"tokens": [{"name": "agent-7", "sha256": "<64 hex digits>", "access": "read" or "write"}]}; file-editor token NAME makes one';

/** What a file holds. */
interface Read {
  /** Only valid tokens. */
  readonly tokens: readonly Token[];
  /** Everything that is wrong, one line each; each names the flag, the file, the line and the member. */
  readonly problems: readonly string[];
}

/**
 * Read as much of a file as is valid.
 * @param paths what the server allows to every token; undefined: everything
 */
export function readTokens(file: GivenFile, paths?: Limits['server']): Read {
  const told = (problem: string): string => `${file.label}: ${quoted(file.path)} ${problem}; ${expected}`;
  try {
    const reader = new Reader(paths === undefined ? {} : { server: paths });
    const tokens = reader.tokensOf(valueOf(textOf(file)));
    return { tokens, problems: reader.problems.map(told) };
  } catch (error) {
    if (!(error instanceof Unusable)) throw error;
    return { tokens: [], problems: [told(error.message)] };
  }
}

/** Some editors begin a file with a byte order mark. */
function textOf(file: GivenFile): string {
  const bytes = bytesIn(file, mostBytes, ({ mode }) => {
    if (isOpenToOthers(file.path, mode)) {
      throw new Unusable('can be read or changed by others than its owner (run chmod 600 on it)');
    }
  });
  return bytes.toString().replace(/^\ufeff/, '');
}

/**
 * Modes say nothing on Windows. systemd lets a service read its credentials by an access list, which looks like rights
 * of the group; only the service and root can enter that directory.
 */
function isOpenToOthers(path: string, mode: number): boolean {
  if (!platform.hasModes) return false;
  const isCredential = process.env['CREDENTIALS_DIRECTORY'] === dirname(path);
  return (mode & (isCredential ? 0o006 : 0o066)) !== 0;
}

/** The parser's message may quote part of a hash, so a problem gives only the place. */
function valueOf(text: string): ValueNode {
  try {
    return parse(text, { mode: 'json' }).body;
  } catch (error) {
    const line: unknown = error instanceof Error ? Reflect.get(error, 'line') : undefined;
    throw new Unusable(`is not JSON${typeof line === 'number' ? ` from line ${String(line)} on` : ''}`);
  }
}

const members = ['name', 'sha256', 'access', 'paths', 'write'] as const;
type Member = (typeof members)[number];

/** What is wrong at one place of the file. */
class Fault extends Error {
  constructor({ loc }: Pick<ValueNode, 'loc'>, member: string, problem: string) {
    super(`line ${String(loc.start.line)}: ${member} ${problem}`);
  }
}

/** Reads the members one by one, and notes what is wrong with each. */
class Reader {
  readonly problems: string[] = [];
  private readonly names = new Set<string>();
  private readonly hashes = new Set<string>();

  constructor(private readonly limits: Limits) {}

  tokensOf(body: ValueNode): readonly Token[] {
    const list = this.noting(() => {
      if (body.type !== 'Object') throw new Fault(body, 'the file', 'must be an object');
      const found = this.membersOf(body, '', ['tokens']).get('tokens');
      if (found?.type !== 'Array') throw new Fault(found ?? body, 'tokens', 'must be a list');
      return found.elements;
    });
    return (list ?? []).flatMap(({ value }, index) => this.tokenOf(value, `tokens[${String(index)}]`) ?? []);
  }

  private tokenOf(node: ValueNode, at: string): Token | undefined {
    const given = this.noting(() => {
      if (node.type !== 'Object') throw new Fault(node, at, 'must be an object');
      return this.membersOf(node, `${at}.`, members);
    });
    if (given === undefined) return undefined;
    const read = <Value>(name: Member, valueOf: (member: ValueNode, place: string) => Value): Value | undefined =>
      this.noting(() => {
        const member = given.get(name);
        if (member === undefined) throw new Fault(node, `${at}.${name}`, 'is missing');
        return valueOf(member, `${at}.${name}`);
      });
    const name = read('name', (member, place) => this.nameOf(member, place));
    const hashes = read('sha256', (member, place) => this.hashesOf(member, place));
    const access = read('access', accessOf);
    const paths = given.has('paths') ? read('paths', (member, place) => this.pathsOf(member, place)) : undefined;
    const changes = given.has('write')
      ? read('write', (member, place) => {
          if (access === 'read') throw new Fault(member, place, 'is only for tokens with "access": "write"');
          return this.pathsOf(member, place);
        })
      : undefined;
    if (name === undefined || hashes === undefined || access === undefined) return undefined;
    const limits: Limits = {
      ...this.limits,
      ...(paths === undefined ? {} : { token: paths }),
      ...(changes === undefined ? {} : { changes }),
    };
    return { hashes, caller: { name, access, ...allowedBy(limits) } };
  }

  /** The members of an object, without those that are unknown or repeated. */
  private membersOf<Name extends string>(node: ObjectNode, at: string, known: readonly Name[]): Map<Name, ValueNode> {
    const found = new Map<Name, ValueNode>();
    for (const { name: key, value } of node.members) {
      const text = key.type === 'String' ? key.value : key.name;
      this.noting(() => {
        const name = known.find((each) => each === text);
        if (name === undefined) throw unknownMember(key, at, text, known);
        if (found.has(name)) throw new Fault(key, `${at}${name}`, 'is there twice');
        found.set(name, value);
      });
    }
    return found;
  }

  private nameOf(node: ValueNode, at: string): string {
    if (node.type !== 'String' || !isTokenName(node.value)) throw new Fault(node, at, `must be ${tokenNameRule}`);
    if (this.names.has(node.value)) throw new Fault(node, at, `repeats ${quoted(node.value)}: names must be unique`);
    this.names.add(node.value);
    return node.value;
  }

  private hashesOf(node: ValueNode, at: string): readonly Buffer[] {
    if (node.type !== 'Array') return [this.hashOf(node, at)];
    const { elements } = node;
    if (elements.length === 0 || elements.length > mostHashes) {
      throw new Fault(node, at, `must be 64 hexadecimal digits, or a list of 1 to ${String(mostHashes)} such texts`);
    }
    return elements.map(({ value }, index) => this.hashOf(value, `${at}[${String(index)}]`));
  }

  private hashOf(node: ValueNode, at: string): Buffer {
    if (node.type !== 'String' || !/^[\da-f]{64}$/i.test(node.value)) {
      throw new Fault(node, at, 'must be 64 hexadecimal digits');
    }
    const digits = node.value.toLowerCase();
    if (this.hashes.has(digits)) throw new Fault(node, at, 'is in the file already: each token needs its own');
    this.hashes.add(digits);
    return Buffer.from(digits, 'hex');
  }

  private pathsOf(node: ValueNode, at: string): readonly string[] {
    if (node.type !== 'Array' || node.elements.length === 0 || node.elements.length > mostPaths) {
      const rule = `must be a list of 1 to ${String(mostPaths)} patterns; leave it out to set no limit`;
      throw new Fault(node, at, rule);
    }
    return node.elements.flatMap(({ value }, index) => {
      return this.noting(() => patternOf(value, `${at}[${String(index)}]`)) ?? [];
    });
  }

  private noting<Value>(read: () => Value): Value | undefined {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      this.problems.push(error.message);
      return undefined;
    }
  }
}

/** The problem of an unknown member. A long one may be a hash in a file of another format, so it is not quoted. */
function unknownMember(key: Pick<ValueNode, 'loc'>, at: string, text: string, known: readonly string[]): Fault {
  const shown = text.length > mostTypoCharacters ? 'a member' : quoted(text);
  return new Fault(key, `${at}${shown}`, `is unknown (known: ${known.join(', ')})`);
}

function accessOf(node: ValueNode, at: string): Caller['access'] {
  const value = node.type === 'String' ? node.value : undefined;
  if (value !== 'read' && value !== 'write') throw new Fault(node, at, 'must be "read" or "write"');
  return value;
}

function patternOf(node: ValueNode, at: string): string {
  if (node.type !== 'String') throw new Fault(node, at, 'must be a pattern such as "src/**"');
  try {
    Scope.of({ token: [node.value] });
    return node.value;
  } catch (error) {
    if (!(error instanceof GlobFault)) throw error;
    throw new Fault(node, at, error.message);
  }
}

/** The rule for the name of a token, in words that follow "must be". */
export const tokenNameRule = `a text of 1 to ${String(mostNameCharacters)} characters, without control characters`;

/** Whether a token may have this name, which appears in the log and in metric labels. */
export function isTokenName(name: string): boolean {
  return name !== '' && name.length <= mostNameCharacters && name.isWellFormed() && !/\p{Cc}/u.test(name);
}
