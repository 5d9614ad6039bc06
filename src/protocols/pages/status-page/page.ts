/**
 * The status page (spec 7) as it is sent: everything that can be said without a script, and places for what the
 * script adds.
 */
import type { Operation } from '../../../core/operations.js';

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

interface Shown {
  readonly directory: string;
  readonly readOnly: boolean;
  readonly operations: Iterable<Operation>;
  /** In words. */
  readonly state: string;
  readonly version: string;
  readonly uptimeS: number;
}

/** The page. Its links are relative, so that it works behind a proxy that adds a path. */
export function statusPage({ directory, readOnly, operations, state, version, uptimeS }: Shown): string {
  const table = [...operations];
  const writing = table.filter(({ writes }) => writes).map(({ name }) => name);
  const rows = table.map(
    ({ name, description, writes }) =>
      `<tr><th scope="row"><code>POST /${escape(name)}</code></th><td>${writes ? 'writes' : 'reads'}</td><td>${escape(description)}</td></tr>`,
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
<p class="about">Version ${escape(version)}, up for <span id="uptime">${String(Math.floor(uptimeS))} s</span>. Serves
<code>${escape(directory)}</code>${readOnly ? ', read-only' : ''}.</p>
</header>
<main data-writing="${escape(writing.join(' '))}">
<section aria-labelledby="now">
<div class="bar"><h2 id="now">Now</h2><button id="pause" type="button" hidden>Pause</button></div>
<noscript><p>The charts need JavaScript; <a href="metrics">the figures</a> do not.</p></noscript>
<div id="charts"></div>
<details id="figures" hidden><summary>The last minute as a table</summary><div class="wide"></div></details>
</section>
<section aria-labelledby="operations">
<h2 id="operations">Operations</h2>
<div class="wide"><table>
<thead><tr><th scope="col">Operation</th><th scope="col">Files</th><th scope="col">What it does</th></tr></thead>
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

function escape(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
