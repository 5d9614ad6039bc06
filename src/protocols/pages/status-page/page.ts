/** The static part of the status page (spec 7): everything that needs no script, and placeholders for the rest. */
import type { Operation, OperationName } from '../../../core/operations.js';
import { httpConnections, isTopOnly, stdioConnection, type Connection, type Served } from './connect.js';

/** Everything comes from the server itself, and no script or style is inline. */
export const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

interface Shown extends Served {
  readonly mcpTextOnly: boolean;
  /** Whether requests need a token. */
  readonly hasTokens: boolean;
  readonly operations: ReadonlyMap<string, Operation>;
  /** In words. */
  readonly state: string;
  readonly version: string;
  readonly uptimeS: number;
}

/** Placeholder for the page's address, which only the script knows: behind a proxy, the server may see another one. */
const address = 'ADDRESS';

/** The page. Its links are relative, so it works behind a proxy that adds a path. */
export function statusPage(shown: Shown): string {
  const { directory, readOnly, toolsets, operations, state, version, uptimeS } = shown;
  const table = [...operations.values()];
  const writing = table.filter(({ writes }) => writes).map(({ name }) => name);
  const rows = table.map(
    ({ name, description, writes }) =>
      `<tr data-operation="${escape(name)}"><th scope="row"><code>POST /${escape(name)}</code></th><td>${writes ? 'writes' : 'reads'}</td><td class="number" data-unit="calls"></td><td class="number" data-unit="failed"></td><td>${escape(description)}</td></tr>`,
  );
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>File editing server</title>
<link rel="icon" href="assets/status.svg" type="image/svg+xml">
<link rel="stylesheet" href="assets/status.css">
<script src="assets/status.js" defer></script>
<header>
<h1>File editing server</h1>
<p id="state" role="status" data-state="${state === 'ok' ? 'ok' : 'bad'}">${escape(state)}</p>
<p class="about">AI agents list, read and edit the text files of <code>${escape(directory)}</code> through this server${readOnly ? ' (read-only: nothing can be changed)' : ''}.</p>
<p class="about">Version ${escape(version)} · up for <span id="uptime">${String(Math.floor(uptimeS))} s</span> · toolset <code>${escape(toolsets.join(','))}</code></p>
</header>
<main data-writing="${escape(writing.join(' '))}">
${connectSection(shown)}
<section aria-labelledby="now">
<div class="bar"><h2 id="now">Now</h2><button id="pause" type="button" hidden>Pause</button></div>
<noscript><p>The charts need JavaScript; <a href="metrics">the figures</a> do not.</p></noscript>
<div id="charts"></div>
</section>
<section id="since" aria-labelledby="total" hidden>
<h2 id="total">Since the start</h2>
<dl id="totals"></dl>
<h3>Failures by kind, the last one first</h3>
<div class="wide"><table>
<thead><tr><th scope="col">Kind</th><th scope="col" class="number">Times</th><th scope="col">Last</th><th scope="col">Where</th></tr></thead>
<tbody id="failures"></tbody>
</table></div>
</section>
<section aria-labelledby="operations">
<h2 id="operations">Operations</h2>
<div class="wide"><table>
<thead><tr><th scope="col">Operation</th><th scope="col">Files</th><th scope="col" class="number">Calls</th><th scope="col" class="number">Failed</th><th scope="col">What it does</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table></div>
</section>
</main>
<footer><p><a href="health">health</a> · <a href="metrics">metrics</a> · <a href="openapi.json">openapi.json</a> · MCP: <code>POST /mcp</code></p></footer>
</html>
`;
}

function connectSection(shown: Shown): string {
  const offers = (name: OperationName): boolean => shown.operations.has(name);
  const overHttp = httpConnections({ address, hasTokens: shown.hasTokens }, offers).map((each) =>
    // Replaced only here, because a directory may have that name too.
    block(each).replaceAll(address, `<span data-address>${address}</span>`),
  );
  const textOnly =
    shown.mcpTextOnly || !offers('read_file')
      ? ''
      : '<p>Claude Code, Codex and opencode show a model only the <code>structuredContent</code> of a result, and that of <code>read_file</code> has no text: start this server with <code>--mcp-text-only</code> for them.</p>\n';
  const topOnly = isTopOnly(shown)
    ? '<p>The tools of this server reach only the files at the top of the directory: start it with <code>--toolset=agent</code> for a whole project.</p>\n'
    : '';
  return `<details id="connect" open>
<summary><h2>Connect a client</h2></summary>
<noscript><p>${address} is the address of this page, without the slash at its end.</p></noscript>
<div class="clients">
${overHttp.join('\n')}
${block(stdioConnection(shown))}
</div>
<p>Claude Desktop starts a server of its own on the same files, and needs <code>file-editor</code> on its PATH; the others use this one.</p>
${topOnly}${textOnly}</details>`;
}

function block({ client, where, lines }: Connection): string {
  return `<div class="client"><h3>${escape(client)} <span>${escape(where)}</span></h3><pre><code>${escape(lines)}</code></pre></div>`;
}

function escape(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
