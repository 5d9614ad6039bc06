/** For each flag with a value: accepted texts, their meaning, and refused texts. */
import type { Config } from '../../src/config/config.js';
import type { Flag } from '../../src/config/flag.js';
import { flags } from '../../src/config/flags.js';

export interface FlagCase {
  readonly member: keyof Config;
  readonly fallback: unknown;
  /** The meaning of each text. */
  readonly good: Readonly<Record<string, unknown>>;
  readonly bad: readonly string[];
  /** The beginning of its problems, after its name. */
  readonly begins: string;
  /** The end of its problems, after the given value. */
  readonly accepted: string;
  readonly with?: readonly string[];
}

type Flags = typeof flags;

/** Flags without a value are tested straight from the table. */
type Switch = { readonly [Name in keyof Flags]: Flags[Name] extends Flag<boolean> ? Name : never }[keyof Flags];

/** Flags that name files or directories have their own tests. */
export const pathFlags = ['dir', 'tlsCert', 'tlsKey', 'tlsCa', 'tokens'] as const;

/** One for each other row of the table; the compiler reports a missing one. */
export const flagCases: Readonly<Record<Exclude<keyof Flags, Switch | (typeof pathFlags)[number]>, FlagCase>> = {
  transport: {
    member: 'transport',
    fallback: 'http',
    good: { http: 'http', stdio: 'stdio' },
    bad: ['HTTP', 'tcp', 'http,stdio'],
    begins: ' must be one of: http, stdio;',
    accepted: '',
  },
  host: {
    member: 'host',
    fallback: '127.0.0.1',
    good: {
      localhost: 'localhost',
      LocalHost: 'localhost',
      '0.0.0.0': '0.0.0.0',
      '::': '::',
      '::1': '::1',
      '0:0:0:0:0:0:0:1': '::1',
      '127.1.2.3': '127.1.2.3',
    },
    // 192.0.2.0/24 and 2001:db8::/32 are reserved for documentation: no machine has such an address.
    bad: ['example.com', '192.0.2.1', '2001:db8::1', '127.0.0.1:80', '[::1]', '127.1', 'http://127.0.0.1', '*'],
    begins: ':',
    accepted: '; expected an address of this machine, localhost, 0.0.0.0 or ::',
  },
  port: {
    member: 'port',
    fallback: 8080,
    good: { 1024: 1024, 65535: 65535 },
    bad: [
      '0',
      '80',
      '1023',
      '65536',
      '8080.0',
      '1e4',
      '-8080',
      '+8080',
      ' 8080',
      '0x1F90',
      'http',
      '99999999999999999999',
    ],
    begins: ' must be between 1024 and 65535;',
    accepted: '; expected a whole number',
  },
  maxSize: {
    member: 'maxSizeMb',
    fallback: 10,
    good: { 1: 1, 100: 100 },
    bad: ['0', '101', '1.5', '10MB'],
    begins: ' must be between 1 and 100 MB;',
    accepted: '; expected a whole number',
  },
  timeout: {
    member: 'timeoutMs',
    fallback: 10_000,
    good: { 1: 1000, 300: 300_000 },
    bad: ['0', '301', '10s'],
    begins: ' must be between 1 and 300 seconds;',
    accepted: '; expected a whole number',
  },
  maxLines: {
    member: 'maxLines',
    fallback: undefined,
    good: { 1: 1, 10000000: 10_000_000 },
    bad: ['0', '10000001', '1,000'],
    begins: ' must be between 1 and 10000000;',
    accepted: '; expected a whole number',
  },
  historyDays: {
    member: 'history',
    fallback: undefined,
    with: ['--history'],
    good: { 1: { days: 1, mostBytes: 1_073_741_824 }, 3650: { days: 3650, mostBytes: 1_073_741_824 } },
    bad: ['0', '3651', 'a month'],
    begins: ' must be between 1 and 3650;',
    accepted: '; expected a whole number',
  },
  historyMb: {
    member: 'history',
    fallback: undefined,
    with: ['--history'],
    good: { 1: { days: 30, mostBytes: 1_048_576 }, 1000000: { days: 30, mostBytes: 1_048_576_000_000 } },
    bad: ['0', '1000001', '1 GB'],
    begins: ' must be between 1 and 1000000 MB;',
    accepted: '; expected a whole number',
  },
  caller: {
    member: 'caller',
    fallback: undefined,
    good: { 'agent-7': 'agent-7', 'A.b_c-9': 'A.b_c-9' },
    bad: ['a b', 'x'.repeat(65), 'é'],
    begins: ' must be 1 to 64 letters, digits, dots, underscores and hyphens;',
    accepted: '',
  },
  maxConcurrent: {
    member: 'maxConcurrent',
    fallback: undefined,
    good: { 1: 1, 100: 100 },
    bad: ['0', '101', 'off'],
    begins: ' must be between 1 and 100;',
    accepted: '; expected a whole number',
  },
  maxQueue: {
    member: 'maxQueue',
    fallback: 20,
    good: { 0: 0, 10000: 10_000 },
    bad: ['-1', '10001'],
    begins: ' must be between 0 and 10000;',
    accepted: '; expected a whole number',
    with: ['--max-concurrent=1'],
  },
  toolset: {
    member: 'toolsets',
    fallback: ['files'],
    good: {
      files: ['files'],
      storage: ['storage'],
      'storage,files': ['files', 'storage'],
      all: ['files', 'storage', 'edits', 'search', 'changes'],
      edits: ['edits'],
      agent: ['agent'],
      'agent,edits': ['edits', 'agent'],
      'agent,all': ['files', 'storage', 'edits', 'search', 'changes'],
      'files,all': ['files', 'storage', 'edits', 'search', 'changes'],
      'files, files': ['files'],
    },
    bad: ['none', 'files,', ',', 'Files', 'edit', 'files all'],
    begins: ':',
    accepted: '; expected files, storage, edits, search, changes, history, agent or all; several separated by commas',
  },
  names: {
    member: 'names',
    fallback: 'portable',
    good: { portable: 'portable', unicode: 'unicode' },
    bad: ['any'],
    begins: ' must be one of: portable, unicode;',
    accepted: '',
  },
  mcpMaxChars: {
    member: 'mcpMaxChars',
    fallback: undefined,
    good: { 0: 0, 1000: 1000, 100000000: 100_000_000 },
    bad: ['1', '999', '100000001'],
    begins: ' must be between 1000 and 100000000, or 0;',
    accepted: '; expected a whole number',
  },
  mcpLineBase: {
    member: 'mcpLineBase',
    fallback: 0,
    good: { 0: 0, 1: 1 },
    bad: ['2', '00', 'one'],
    begins: ' must be one of: 0, 1;',
    accepted: '',
  },
  paths: {
    member: 'paths',
    fallback: undefined,
    good: {
      'src/**': ['src/**'],
      'src/**,notes/*.md': ['src/**', 'notes/*.md'],
      '**, !.git/**, !**/.env*': ['**', '!.git/**', '!**/.env*'],
      '!secret/**': ['!secret/**'],
      // Commas in braces, in sets and behind a backslash belong to the pattern.
      '*.{ts,{js,mjs}},a': ['*.{ts,{js,mjs}}', 'a'],
      'a[,]b,c': ['a[,]b', 'c'],
      'a\\,b,c': ['a\\,b', 'c'],
      'a(1,b': ['a(1', 'b'],
      'a},b': ['a}', 'b'],
    },
    bad: [',', 'src/**,', '/src/**', 'src/', '../**', '{a,b', '!', 'src/**,!', '!(a)'],
    begins: ':',
    accepted: '; expected patterns such as src/** from the root of the directory, separated by commas; ! excludes',
  },
  durability: {
    member: 'durability',
    fallback: 'full',
    good: { full: 'full', file: 'file', none: 'none' },
    bad: ['fsync'],
    begins: ' must be one of: full, file, none;',
    accepted: '',
  },
  workers: {
    member: 'workers',
    fallback: flags.workers.fallback,
    good: { 1: 1, 64: 64 },
    bad: ['0', '65', 'auto'],
    begins: ' must be between 1 and 64;',
    accepted: '; expected a whole number',
  },
  cacheMb: {
    member: 'cacheMb',
    fallback: 64,
    good: { 0: 0, 4096: 4096 },
    bad: ['4097', '-1'],
    begins: ' must be between 0 and 4096 MB;',
    accepted: '; expected a whole number',
  },
  allowOrigin: {
    member: 'allowOrigins',
    fallback: [],
    good: {
      'https://a.example': ['https://a.example'],
      'http://localhost:3000,https://b': ['http://localhost:3000', 'https://b'],
      'HTTPS://A.Example:443': ['https://a.example'],
      'http://[::1]:5173': ['http://[::1]:5173'],
      'chrome-extension://abcdef': ['chrome-extension://abcdef'],
    },
    bad: [
      '*',
      'null',
      'https://*.example',
      'a.example',
      '//a',
      'https://a/',
      'https://a/b',
      'https://a?b',
      'https://a#b',
      'https://u:p@a',
      'https://',
      'file:///',
      'http://a:99999',
      'https://a,',
      'https://a b',
    ],
    begins: ':',
    accepted:
      '; expected an origin such as https://app.example.com:3000, without a path and without *; several separated by commas',
  },
  logLevel: {
    member: 'logLevel',
    fallback: 'info',
    good: Object.fromEntries(
      ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'].map((level) => [level, level]),
    ),
    bad: ['verbose', 'INFO', '3'],
    begins: ' must be one of: trace, debug, info, warn, error, fatal, silent;',
    accepted: '',
  },
};
