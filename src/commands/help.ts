/** The text of `--help`, in lines of at most 80 characters: usage, one line per flag, examples. */
import type { Command } from '../config/config.js';
import { flagGroups } from '../config/flag.js';
import { allFlags, type AnyFlag } from '../config/flags.js';
import { isIn, toolsets, type ToolsetName } from '../config/offer.js';
import { operations } from '../core/operations.js';
import { platform } from '../core/platform.js';
import { version } from '../version.js';

const column = 24;

export function helpText(command: Command): string {
  const sections = Object.entries(flagGroups).map(([group, heading]) => `${heading}:\n${rowsOf(group, command)}`);
  return `${command.name} ${version}: AI agents read and edit the files of one directory.

Usage: file-editor --dir=PATH [flags]               HTTP and MCP on a port
       BASE_PATH=PATH file-storage-backend [flags]  the same over stdio

Operations of each --toolset:
${toolsets.map((toolset) => row(toolset, namesIn(toolset) + (toolset === 'history' ? withHistory : ''))).join('\n')}

Flags, as --flag=value or --flag value, with [defaults]:
${sections.join('\n')}${row('--help, --version', 'print and exit; or -h, -v')}

Examples:
  file-editor --dir=. --toolset=agent
      a whole project: MCP on http://127.0.0.1:8080/mcp, or POST /<operation>
  file-editor --dir=. --toolset=agent --transport=stdio
      the same, as MCP clients with a "command" setting start it

${toTry}`;
}

const withHistory = '; with --history also in agent and all';

/** For bash, or for cmd and PowerShell, which cannot start a server in the background with &. */
const toTry = platform.commandsNeedShell
  ? `Try it, in two terminals:
  file-editor --dir=. --read-only
  curl.exe -X POST http://127.0.0.1:8080/list_files
`
  : `Try it:
  file-editor --dir=. --read-only &
  curl --retry 9 --retry-connrefused -X POST http://127.0.0.1:8080/list_files
  kill $!
`;

function rowsOf(group: string, { defaults }: Command): string {
  return allFlags
    .filter((flag) => flag.group === group)
    .map((flag) => {
      const left = `--${flag.name}${flag.placeholder === undefined ? '' : `=${flag.placeholder}`}`;
      const otherwise = defaults[flag.name] ?? shownDefault(flag);
      return `${row(left, `${flag.summary}${otherwise === undefined ? '' : ` [${otherwise}]`}`)}\n`;
    })
    .join('');
}

function row(left: string, right: string): string {
  return `  ${left.padEnd(column)}${right}`;
}

/** Undefined for a flag without a default. */
function shownDefault({ otherwise, placeholder, fallback, unit }: AnyFlag): string | undefined {
  if (otherwise !== undefined) return otherwise;
  if (placeholder === undefined) return 'off';
  return fallback === undefined ? undefined : `${String(fallback)}${unit === undefined ? '' : ` ${unit}`}`;
}

function namesIn(toolset: ToolsetName): string {
  return [...operations.values()]
    .filter((row) => isIn(toolset, row) && (toolset === 'history' || row.toolset !== 'history'))
    .map(({ name }) => name)
    .join(', ');
}
