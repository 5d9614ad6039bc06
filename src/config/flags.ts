/**
 * THE TABLE of flags (spec 1.1): parsing, checks, help and the options of the library are derived from it. To add a
 * flag: a row here, a member of Config, a line in readConfig, a case in test/config/flag-cases.ts (none for a flag without
 * a value) and rows in docs/configuration.md and docs/specification.md. The compiler and three tests say what is missing.
 */
import { availableParallelism } from 'node:os';
import type { LineBase } from '../core/errors.js';
import { logLevels } from '../observe/log.js';
import { operations, type Toolset } from '../core/operations.js';
import { anyText, listOf, oneOf, openPort, origin, ownAddress, wholeNumber, type Accept } from './flag-values.js';

export interface Flag<Value> {
  /** As on the command line, without the dashes. The key of its row is the same in camelCase. */
  readonly name: string;
  readonly alias?: string;
  /** What the help shows for the value; absent if the flag takes none. */
  readonly placeholder?: string;
  /** At most 48 characters, so that a line of the help fits on a screen. */
  readonly summary: string;
  /** What the help shows as the default, if it is not the fallback itself. */
  readonly otherwise?: string;
  /** Only means something on this transport, and is refused on the other. */
  readonly transport?: 'http';
  /** Only means something together with these flags. */
  readonly needs?: readonly string[];
  readonly accept: Accept<Value>;
  readonly fallback: NoInfer<Value>;
}

/** In the order of the operation table. */
export const toolsets: readonly Toolset[] = [...new Set([...operations.values()].map(({ toolset }) => toolset))];
const toolset = oneOf<Toolset | 'all'>(...toolsets, 'all');

/** Beyond the cores: one for listings, and others to read while those write (pool/threads.ts). */
const defaultWorkers = Math.min(64, Math.max(4, availableParallelism()));

/** Accepts a flag that takes no value. */
const present: Accept<boolean> = { read: () => undefined };

/** One row; the type of its value is inferred. */
function flag<Value>(row: Flag<Value>): Flag<Value> {
  return row;
}

export const flags = {
  dir: flag<string | undefined>({
    name: 'dir',
    placeholder: 'PATH',
    summary: 'the directory to serve; required (or env BASE_PATH)',
    accept: anyText('the path of an existing directory', 'argument is required'),
    fallback: undefined,
  }),
  transport: flag({
    name: 'transport',
    placeholder: 'http|stdio',
    summary: 'how clients reach the server',
    accept: oneOf('http', 'stdio'),
    fallback: 'http',
  }),
  host: flag({
    name: 'host',
    placeholder: 'ADDRESS',
    summary: 'address of this machine to listen on',
    transport: 'http',
    accept: ownAddress,
    fallback: '127.0.0.1',
  }),
  port: flag({
    name: 'port',
    placeholder: 'N',
    summary: 'port to listen on, 1024-65535',
    transport: 'http',
    accept: openPort(),
    fallback: 8080,
  }),
  reusePort: flag({
    name: 'reuse-port',
    summary: 'share the port with other server processes',
    transport: 'http',
    accept: present,
    fallback: false,
  }),
  maxSize: flag({
    name: 'max-size',
    alias: 'max-file-size',
    placeholder: 'MB',
    summary: 'of a file or request, 1-100; or --max-file-size',
    accept: wholeNumber(1, 100, { unit: 'MB' }),
    fallback: 10,
  }),
  timeout: flag({
    name: 'timeout',
    placeholder: 'SECONDS',
    summary: 'limit of one operation, 1-300',
    accept: wholeNumber(1, 300, { unit: 'seconds' }),
    fallback: 10,
  }),
  maxLines: flag<number | undefined>({
    name: 'max-lines',
    placeholder: 'N',
    summary: "limit of a file's lines, 1-10000000",
    otherwise: 'off',
    accept: wholeNumber(1, 10_000_000),
    fallback: undefined,
  }),
  maxConcurrent: flag<number | undefined>({
    name: 'max-concurrent',
    placeholder: 'N',
    summary: 'operations at once, 1-100',
    otherwise: 'off',
    accept: wholeNumber(1, 100),
    fallback: undefined,
  }),
  maxQueue: flag({
    name: 'max-queue',
    placeholder: 'N',
    summary: 'waiting beyond --max-concurrent, 0-10000',
    needs: ['max-concurrent'],
    accept: wholeNumber(0, 10_000),
    fallback: 20,
  }),
  toolset: flag<readonly (Toolset | 'all')[]>({
    name: 'toolset',
    placeholder: 'LIST',
    summary: `operations: ${[...toolsets, 'all'].join(', ')}`,
    accept: listOf(toolset, `${toolsets.join(', ')} or all; several separated by commas`),
    fallback: ['files'],
  }),
  names: flag({
    name: 'names',
    placeholder: 'RULE',
    summary: 'file names: portable or unicode',
    accept: oneOf('portable', 'unicode'),
    fallback: 'portable',
  }),
  mcpMaxChars: flag({
    name: 'mcp-max-chars',
    placeholder: 'N',
    summary: 'longest MCP text, 1000-100000000 or 0 (off)',
    accept: wholeNumber(1000, 100_000_000, { extra: 0 }),
    fallback: 2_000_000,
  }),
  mcpLineBase: flag<LineBase | undefined>({
    name: 'mcp-line-base',
    placeholder: '0|1',
    summary: 'first line number over MCP',
    otherwise: '0 for files alone, else 1',
    accept: oneOf<LineBase>(0, 1),
    fallback: undefined,
  }),
  mcpTextOnly: flag({
    name: 'mcp-text-only',
    summary: 'MCP results as text alone, no structuredContent',
    accept: present,
    fallback: false,
  }),
  readOnly: flag({
    name: 'read-only',
    summary: 'no operation that writes exists',
    accept: present,
    fallback: false,
  }),
  durability: flag({
    name: 'durability',
    placeholder: 'HOW',
    summary: 'on disk before the answer: full, file, none',
    accept: oneOf('full', 'file', 'none'),
    fallback: 'full',
  }),
  workers: flag({
    name: 'workers',
    placeholder: 'N',
    summary: 'worker threads at most, 1-64',
    accept: wholeNumber(1, 64),
    fallback: defaultWorkers,
  }),
  cacheMb: flag({
    name: 'cache-mb',
    placeholder: 'MB',
    summary: 'memory for repeated reads, 0-4096',
    accept: wholeNumber(0, 4096, { unit: 'MB' }),
    fallback: 64,
  }),
  tlsCert: flag<string | undefined>({
    name: 'tls-cert',
    placeholder: 'FILE',
    summary: 'PEM file of the certificate, for HTTPS',
    otherwise: 'off',
    transport: 'http',
    needs: ['tls-key'],
    accept: anyText('the path of a PEM file'),
    fallback: undefined,
  }),
  tlsKey: flag<string | undefined>({
    name: 'tls-key',
    placeholder: 'FILE',
    summary: 'PEM file of its private key',
    transport: 'http',
    needs: ['tls-cert'],
    accept: anyText('the path of a PEM file'),
    fallback: undefined,
  }),
  tlsCa: flag<string | undefined>({
    name: 'tls-ca',
    placeholder: 'FILE',
    summary: 'who signs the certificates that clients need',
    otherwise: 'off',
    transport: 'http',
    needs: ['tls-cert', 'tls-key'],
    accept: anyText('the path of a PEM file'),
    fallback: undefined,
  }),
  allowOrigin: flag<readonly string[]>({
    name: 'allow-origin',
    placeholder: 'LIST',
    summary: 'browser origins let in, with commas',
    otherwise: 'none',
    transport: 'http',
    accept: listOf(origin, `${origin.accepted}; several separated by commas`),
    fallback: [],
  }),
  logLevel: flag({
    name: 'log-level',
    placeholder: 'LEVEL',
    summary: `${logLevels[0]} … ${logLevels[5]}, ${logLevels[6]}; on stderr`,
    accept: oneOf(...logLevels),
    fallback: 'info',
  }),
};

type AnyValue = string | number | boolean | readonly string[] | undefined;

/** A row, where the type of its value does not matter. */
export type AnyFlag = Pick<Flag<AnyValue>, 'name' | 'alias' | 'placeholder' | 'summary' | 'otherwise' | 'fallback'>;

export const allFlags: readonly AnyFlag[] = Object.values(flags);
