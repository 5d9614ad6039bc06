/** The text of `--help`, in lines of at most 80 characters: how to start, and one line per flag. */
import type { Command } from '../config/config.js';
import { allFlags, toolsets, type AnyFlag } from '../config/flags.js';
import { operations, type Toolset } from '../core/operations.js';
import { version } from '../version.js';

const column = 24;

export function helpText({ name, defaults }: Command): string {
  const rows = [
    ...allFlags.map((flag) => {
      const otherwise = defaults[flag.name] ?? shownDefault(flag);
      return {
        left: `--${flag.name}${flag.placeholder === undefined ? '' : `=${flag.placeholder}`}`,
        right: `${flag.summary}${otherwise === undefined ? '' : ` [${otherwise}]`}`,
      };
    }),
    { left: '--help, --version', right: 'print, and do nothing else; or -h, -v' },
  ];
  return `${name} ${version}: agents list, read and edit the text files of one directory.
  file-editor --dir=PATH                    HTTP: POST /<operation>, MCP: /mcp
  file-editor --dir=PATH --transport=stdio  JSON-RPC 2.0 and MCP
  BASE_PATH=PATH file-storage-backend       the same, --toolset=storage

Try it:
  file-editor --dir=. --read-only &
  curl --retry 9 --retry-connrefused -X POST http://127.0.0.1:8080/list_files
  kill $!

${toolsets.map((toolset) => `Operations, ${toolset}: ${namesIn(toolset)}`).join('\n')}

Flags, as --flag=value or --flag value, with their [defaults]:
${rows.map(({ left, right }) => `  ${left.padEnd(column)}${right}`).join('\n')}
`;
}

/** Undefined for a flag without a value or a default. */
function shownDefault({ otherwise, placeholder, fallback }: AnyFlag): string | undefined {
  if (otherwise !== undefined || placeholder === undefined || fallback === undefined) return otherwise;
  return String(fallback);
}

function namesIn(toolset: Toolset): string {
  return [...operations.values()]
    .filter((row) => row.toolset === toolset)
    .map(({ name }) => name)
    .join(', ');
}
