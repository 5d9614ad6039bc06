/** Links that make an editor offer to install the published package; each editor has its own form. */
import { publishedCommand, serverName } from './server.js';

/** VS Code prompts for it: a link may write the user's configuration, where ${workspaceFolder} is not replaced. */
const directory = {
  type: 'promptString',
  id: 'directory',
  description: 'The directory that the agent may read and edit (full path)',
};

/** Cursor replaces ${workspaceFolder}. */
const cursor = publishedCommand('${workspaceFolder}');
const vscode = { type: 'stdio', ...publishedCommand(`\${input:${directory.id}}`) };

/** For each editor, a link for web pages and a direct one, which GitHub removes from pages. */
export const installLinks: readonly string[] = [
  `https://cursor.com/en/install-mcp?${cursorQuery()}`,
  `cursor://anysphere.cursor-deeplink/mcp/install?${cursorQuery()}`,
  `https://insiders.vscode.dev/redirect/mcp/install?${vscodeQuery()}`,
  `vscode:mcp/install?${encoded({ name: serverName, ...vscode, inputs: [directory] })}`,
];

function cursorQuery(): string {
  const config = Buffer.from(JSON.stringify(cursor)).toString('base64');
  return `name=${serverName}&config=${encodeURIComponent(config)}`;
}

function vscodeQuery(): string {
  return `name=${serverName}&inputs=${encoded([directory])}&config=${encoded(vscode)}`;
}

/** Encodes parentheses too, since they end a link in Markdown. */
function encoded(value: unknown): string {
  return encodeURIComponent(JSON.stringify(value)).replaceAll('(', '%28').replaceAll(')', '%29');
}

/** The page with its install links replaced by the current ones. */
export function withInstallLinks(page: string): string {
  return page.replaceAll(
    /[a-z]+:[^\s()?]*\/install[^\s()?]*\?[^\s)]+/g,
    (old) => installLinks.find((link) => addressOf(link) === addressOf(old)) ?? old,
  );
}

/** The part before the query. */
function addressOf(link: string): string {
  return link.replace(/\?.*$/, '');
}
