/** Turns the given flags into one Config, or into the list of all problems (spec 1.1). */
import type { HistoryLimits, WorkerSetup } from '../core/thread/task.js';
import type { LineBase } from '../core/errors.js';
import { bytesPerMb } from '../core/memory/held.js';
import type { LogLevel } from '../observe/log.js';
import { availableOperations, isIn, toolsets, type Offer, type ToolsetName } from './offer.js';
import { operations, type Operation } from '../core/operations.js';
import type { NameRule } from '../core/names/filename.js';
import { readArguments, readOptions, type Options } from './arguments.js';
import { FlagReader } from './flag-reader.js';
import { openPort } from './flag-values.js';
import type { Flag } from './flag.js';
import { flags } from './flags.js';
import { StartError } from './start-error.js';
import { givenFile, hasBothFiles, readTlsFiles, type GivenFile, type TlsFiles } from './given-files.js';
import { readWorkingDirectory, type Environment } from './working-directory.js';

export interface Config {
  /** Real path of the working directory. */
  readonly directory: string;
  /** Its path as given, made absolute. */
  readonly givenDirectory: string;
  readonly transport: 'http' | 'stdio';
  readonly host: string;
  /** 0: any free port (library only). */
  readonly port: number;
  readonly reusePort: boolean;
  /** The user's spelling of these flags: `--port`, or `port` in the library. */
  readonly addressLabels: Readonly<Record<'host' | 'port' | 'reusePort', string>>;
  /** Undefined: plain HTTP. */
  readonly tls: TlsFiles | undefined;
  /** Undefined: everyone who reaches the server may use it. */
  readonly tokens: GivenFile | undefined;
  /** As given, for messages. */
  readonly maxSizeMb: number;
  /** Limit of a file, of an edited result and of a request. */
  readonly maxBytes: number;
  readonly timeoutMs: number;
  readonly maxLines: number | undefined;
  readonly maxConcurrent: number | undefined;
  readonly maxQueue: number;
  readonly toolsets: readonly ToolsetName[];
  readonly names: NameRule;
  /** 0: no limit. Undefined: the amount that the client is known to show. */
  readonly mcpMaxChars: number | undefined;
  /** Patterns of the files that callers may use; undefined: all of them. */
  readonly paths: readonly string[] | undefined;
  readonly readOnly: boolean;
  readonly durability: WorkerSetup['durability'];
  /** Undefined: changes are not recorded. */
  readonly history: HistoryLimits | undefined;
  /** Who calls, for the history; undefined: the client says. */
  readonly caller: string | undefined;
  readonly workers: number;
  /** 0: off. */
  readonly cacheMb: number;
  readonly mcpLineBase: LineBase;
  readonly mcpTextOnly: boolean;
  /** The server name reported to MCP clients. */
  readonly serverName: string;
  /** As browsers send them. */
  readonly allowOrigins: readonly string[];
  readonly logLevel: LogLevel;
}

/** The installed commands (spec 1), and their differences. */
export interface Command {
  readonly name: string;
  /** The server name reported to MCP clients. */
  readonly serverName: string;
  /** Values by flag name; a flag with such a default counts as given. */
  readonly defaults: Readonly<Record<string, string>>;
}

export const fileEditor: Command = { name: 'file-editor', serverName: 'file-editing-server', defaults: {} };

export const fileStorageBackend: Command = {
  name: 'file-storage-backend',
  serverName: 'file-storage-backend',
  defaults: { transport: 'stdio', toolset: 'storage' },
};

/** The HTTP address. */
export type Address = Pick<Config, 'host' | 'port' | 'reusePort' | 'addressLabels' | 'tls'>;

/** The files that flags name. */
export interface Files {
  readonly tls: Partial<TlsFiles>;
  readonly tokens: GivenFile | undefined;
}

/** The given flags do not make a configuration. */
export class ArgumentsError extends StartError {
  /** The HTTP address, if certain: whether it is free is the one problem not checked yet. */
  readonly address: Address | undefined;
  /** The given files: their contents have not been checked yet either. */
  readonly files: Files;

  constructor(problems: readonly string[], address: Address | undefined, files: Files) {
    super(problems);
    this.address = address;
    this.files = files;
  }
}

/**
 * The configuration for a command line. @throws ArgumentsError with every problem except those of its port and of the
 * files that it names
 */
export function configFromArguments(
  args: readonly string[],
  env: Environment = process.env,
  command: Command = fileEditor,
): Config {
  return readConfig(new FlagReader(readArguments(args), command.defaults), env, flags.port, command);
}

/** The configuration for options of the library; port 0 is accepted. @throws ArgumentsError as above */
export function configFromOptions(options: Options, env: Environment = process.env): Config {
  const anyPort = { ...flags.port, accept: openPort(0) };
  return readConfig(new FlagReader(readOptions(options)), env, anyPort);
}

function readConfig(given: FlagReader, env: Environment, port: Flag<number>, { serverName } = fileEditor): Config {
  const readOnly = given.has(flags.readOnly);
  const maxSizeMb = given.value(flags.maxSize);
  const tls = readTlsFiles(given);
  const tokens = givenFile(given, flags.tokens);
  const history = readHistory(given);
  const offered = readToolsets(given, readOnly, history !== undefined);
  const config: Config = {
    ...readWorkingDirectory(given, env, readOnly),
    transport: given.value(flags.transport),
    host: given.value(flags.host),
    port: given.value(port),
    reusePort: given.has(flags.reusePort),
    addressLabels: {
      host: given.label(flags.host),
      port: given.label(port),
      reusePort: given.label(flags.reusePort),
    },
    tls: hasBothFiles(tls) ? tls : undefined,
    tokens,
    maxSizeMb,
    maxBytes: maxSizeMb * bytesPerMb,
    timeoutMs: given.value(flags.timeout) * 1000,
    maxLines: given.value(flags.maxLines),
    maxConcurrent: given.value(flags.maxConcurrent),
    maxQueue: given.value(flags.maxQueue),
    toolsets: offered,
    names: given.value(flags.names),
    mcpMaxChars: given.value(flags.mcpMaxChars),
    paths: given.value(flags.paths),
    readOnly,
    durability: given.value(flags.durability),
    history,
    caller: given.value(flags.caller),
    workers: given.value(flags.workers),
    cacheMb: given.value(flags.cacheMb),
    mcpLineBase: given.value(flags.mcpLineBase) ?? usualLineBase({ toolsets: offered, readOnly, history }),
    mcpTextOnly: given.has(flags.mcpTextOnly),
    serverName,
    allowOrigins: given.value(flags.allowOrigin),
    logLevel: given.value(flags.logLevel),
  };
  checkCombinations(given, config.transport);
  if (given.problems.length > 0)
    throw new ArgumentsError(given.problems, certainAddress(given, config, port), { tls, tokens });
  return Object.freeze(config);
}

function certainAddress(given: FlagReader, config: Config, port: Flag<number>): Address | undefined {
  const certain = [flags.transport, flags.host, port, flags.reusePort].every((flag) => given.isCertain(flag));
  if (!certain || config.transport !== 'http') return undefined;
  const { host, reusePort, addressLabels, tls } = config;
  return { host, port: config.port, reusePort, addressLabels, tls };
}

function readHistory(given: FlagReader): HistoryLimits | undefined {
  const days = given.value(flags.historyDays);
  const mostBytes = given.value(flags.historyMb) * bytesPerMb;
  return given.has(flags.history) ? { days, mostBytes } : undefined;
}

function readToolsets(given: FlagReader, readOnly: boolean, hasHistory: boolean): readonly ToolsetName[] {
  const asked = given.value(flags.toolset);
  if (asked.includes('history') && !hasHistory) {
    given.refuse(
      `${given.label(flags.toolset)}: "history" has no operation without ${given.label(flags.history)}; accepted together with it`,
    );
  }
  if (readOnly) {
    for (const name of withoutOperations(asked, operations.values())) {
      given.refuse(
        `${given.label(flags.toolset)}: "${name}" has no operation with --read-only; expected one that reads`,
      );
    }
  }
  const all = asked.includes('all');
  const isInAll = (name: ToolsetName): boolean => name !== 'agent' && (hasHistory || name !== 'history');
  return toolsets.filter((name) => (all ? isInAll(name) : asked.includes(name)));
}

/** All other tools count from 1, and two bases in one tool list lead to edits of the wrong line. */
function usualLineBase(offer: Offer): LineBase {
  return [...availableOperations(offer).values()].every(({ toolset }) => toolset === 'files') ? 0 : 1;
}

function checkCombinations(given: FlagReader, transport: string): void {
  for (const flag of Object.values(flags)) {
    const shown = given.shown(flag);
    if (shown === undefined) continue;
    if (flag.transport !== undefined && flag.transport !== transport) {
      given.refuse(`${shown} has no effect with --transport=${transport}; accepted with --transport=${flag.transport}`);
    }
    const needs = (flag.needs ?? []).map((name) => ({ name }));
    if (needs.some((other) => given.shown(other) === undefined)) {
      const others = needs.map((other) => given.label(other)).join(' and ');
      given.refuse(`${shown} has no effect on its own; accepted together with ${others}`);
    }
    for (const name of flag.excludes ?? []) {
      if (given.shown({ name }) === undefined) continue;
      given.refuse(`${shown} has no effect with ${given.label({ name })}; accepted without it`);
    }
  }
}

/** The requested toolsets that --read-only leaves empty. */
export function withoutOperations(asked: readonly (ToolsetName | 'all')[], table: Iterable<Operation>): string[] {
  const reading = [...table].filter(({ writes }) => !writes);
  return asked.filter((name) => !reading.some((row) => isIn(name, row)));
}
