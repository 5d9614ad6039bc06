/**
 * THE TABLE of flags (spec 1.1): parsing, checks, help and the options of the library are derived from it. To add a
 * flag: a row here, a member of Config, a line in readConfig, a case in test/config/flag-cases.ts (none for a flag
 * without a value) and rows in docs/configuration.md and docs/specification.md. The compiler and three tests report
 * anything missing.
 */
import { availableParallelism } from 'node:os';
import type { LineBase } from '../core/errors.js';
import { logLevels } from '../observe/log.js';
import { anyText, globs, listOf, oneOf, openPort, origin, ownAddress, present, wholeNumber } from './flag-values.js';
import { flag, type Flag } from './flag.js';
import { historyFlags } from './history-flags.js';
import { toolsets, type ToolsetName } from './offer.js';

const toolset = oneOf<ToolsetName | 'all'>(...toolsets, 'all');

/** Beyond the cores: one for listings, and others that read while those write (pool/threads.ts). */
const defaultWorkers = Math.min(64, Math.max(4, availableParallelism()));

export const flags = {
  dir: flag<string | undefined>({
    name: 'dir',
    placeholder: 'PATH',
    group: 'files',
    summary: 'directory to serve; required, or env BASE_PATH',
    accept: anyText('the path of an existing directory', 'argument is required'),
    fallback: undefined,
  }),
  transport: flag({
    name: 'transport',
    placeholder: 'http|stdio',
    group: 'connections',
    summary: 'HTTP, or JSON-RPC and MCP over stdio',
    accept: oneOf('http', 'stdio'),
    fallback: 'http',
  }),
  host: flag({
    name: 'host',
    placeholder: 'ADDRESS',
    group: 'connections',
    summary: 'address of this machine to listen on',
    transport: 'http',
    accept: ownAddress,
    fallback: '127.0.0.1',
  }),
  port: flag({
    name: 'port',
    placeholder: 'N',
    group: 'connections',
    summary: 'port to listen on, 1024-65535',
    transport: 'http',
    accept: openPort(),
    fallback: 8080,
  }),
  reusePort: flag({
    name: 'reuse-port',
    group: 'connections',
    summary: 'share the port with other server processes',
    transport: 'http',
    accept: present,
    fallback: false,
  }),
  maxSize: flag({
    name: 'max-size',
    alias: 'max-file-size',
    placeholder: 'MB',
    group: 'limits',
    summary: 'file or request, 1-100; alias --max-file-size',
    unit: 'MB',
    accept: wholeNumber(1, 100, { unit: 'MB' }),
    fallback: 10,
  }),
  timeout: flag({
    name: 'timeout',
    placeholder: 'SECONDS',
    group: 'limits',
    summary: 'time for one operation, 1-300',
    unit: 's',
    accept: wholeNumber(1, 300, { unit: 'seconds' }),
    fallback: 10,
  }),
  maxLines: flag<number | undefined>({
    name: 'max-lines',
    placeholder: 'N',
    group: 'limits',
    summary: 'lines of a file, 1-10000000',
    otherwise: 'off',
    accept: wholeNumber(1, 10_000_000),
    fallback: undefined,
  }),
  maxConcurrent: flag<number | undefined>({
    name: 'max-concurrent',
    placeholder: 'N',
    group: 'limits',
    summary: 'operations that run at once, 1-100',
    otherwise: 'off',
    accept: wholeNumber(1, 100),
    fallback: undefined,
  }),
  maxQueue: flag({
    name: 'max-queue',
    placeholder: 'N',
    group: 'limits',
    summary: 'waiting beyond --max-concurrent, 0-10000',
    needs: ['max-concurrent'],
    accept: wholeNumber(0, 10_000),
    fallback: 20,
  }),
  toolset: flag<readonly (ToolsetName | 'all')[]>({
    name: 'toolset',
    placeholder: 'LIST',
    group: 'files',
    summary: 'toolsets listed above, with commas; or all',
    accept: listOf(toolset, `${toolsets.join(', ')} or all; several separated by commas`),
    fallback: ['files'],
  }),
  names: flag({
    name: 'names',
    placeholder: 'RULE',
    group: 'files',
    summary: 'file names: portable, or unicode',
    accept: oneOf('portable', 'unicode'),
    fallback: 'portable',
  }),
  mcpMaxChars: flag<number | undefined>({
    name: 'mcp-max-chars',
    placeholder: 'CHARS',
    group: 'mcp',
    summary: 'longest text, 1000-100000000, or 0 for off',
    otherwise: 'by client',
    accept: wholeNumber(1000, 100_000_000, { extra: 0 }),
    fallback: undefined,
  }),
  mcpLineBase: flag<LineBase | undefined>({
    name: 'mcp-line-base',
    placeholder: '0|1',
    group: 'mcp',
    summary: 'number of the first line',
    otherwise: '0 for files alone, else 1',
    accept: oneOf<LineBase>(0, 1),
    fallback: undefined,
  }),
  mcpTextOnly: flag({
    name: 'mcp-text-only',
    group: 'mcp',
    summary: 'text for models only, no structuredContent',
    accept: present,
    fallback: false,
  }),
  paths: flag<readonly string[] | undefined>({
    name: 'paths',
    placeholder: 'GLOBS',
    group: 'files',
    summary: 'what callers may use, with commas; ! excludes',
    otherwise: 'all',
    accept: globs,
    fallback: undefined,
  }),
  readOnly: flag({
    name: 'read-only',
    group: 'files',
    summary: 'offer no operation that writes',
    accept: present,
    fallback: false,
  }),
  durability: flag({
    name: 'durability',
    placeholder: 'HOW',
    group: 'files',
    summary: 'on disk before the answer: full, file or none',
    accept: oneOf('full', 'file', 'none'),
    fallback: 'full',
  }),
  ...historyFlags,
  workers: flag({
    name: 'workers',
    placeholder: 'N',
    group: 'resources',
    summary: 'worker threads at most, 1-64',
    accept: wholeNumber(1, 64),
    fallback: defaultWorkers,
  }),
  cacheMb: flag({
    name: 'cache-mb',
    placeholder: 'MB',
    group: 'resources',
    summary: 'memory for repeated reads, 0-4096; 0 for off',
    unit: 'MB',
    accept: wholeNumber(0, 4096, { unit: 'MB' }),
    fallback: 64,
  }),
  tlsCert: flag<string | undefined>({
    name: 'tls-cert',
    placeholder: 'FILE',
    group: 'connections',
    summary: 'serve HTTPS with this certificate (PEM)',
    otherwise: 'off',
    transport: 'http',
    needs: ['tls-key'],
    accept: anyText('the path of a PEM file'),
    fallback: undefined,
  }),
  tlsKey: flag<string | undefined>({
    name: 'tls-key',
    placeholder: 'FILE',
    group: 'connections',
    summary: 'private key of the certificate (PEM)',
    transport: 'http',
    needs: ['tls-cert'],
    accept: anyText('the path of a PEM file'),
    fallback: undefined,
  }),
  tlsCa: flag<string | undefined>({
    name: 'tls-ca',
    placeholder: 'FILE',
    group: 'connections',
    summary: 'admit only clients certified by these (PEM)',
    otherwise: 'off',
    transport: 'http',
    needs: ['tls-cert', 'tls-key'],
    accept: anyText('the path of a PEM file'),
    fallback: undefined,
  }),
  tokens: flag<string | undefined>({
    name: 'tokens',
    placeholder: 'FILE',
    group: 'connections',
    summary: 'admit by token; file-editor token NAME makes one',
    otherwise: 'off',
    transport: 'http',
    accept: anyText('the path of a JSON file with tokens'),
    fallback: undefined,
  }),
  allowOrigin: flag<readonly string[]>({
    name: 'allow-origin',
    placeholder: 'LIST',
    group: 'connections',
    summary: 'admit web pages of these origins, with commas',
    otherwise: 'none',
    transport: 'http',
    accept: listOf(origin, `${origin.accepted}; several separated by commas`),
    fallback: [],
  }),
  logLevel: flag({
    name: 'log-level',
    placeholder: 'LEVEL',
    group: 'log',
    summary: logLevels.join(', '),
    accept: oneOf(...logLevels),
    fallback: 'info',
  }),
};

type AnyValue = string | number | boolean | readonly string[] | undefined;

/** A row whose value type does not matter. */
export type AnyFlag = Pick<
  Flag<AnyValue>,
  'name' | 'alias' | 'placeholder' | 'group' | 'summary' | 'unit' | 'otherwise' | 'fallback'
>;

export const allFlags: readonly AnyFlag[] = Object.values(flags);
