/** What `GET` serves: for people, load balancers and monitoring. No file content. */
import type { Config } from '../config.js';
import type { Metrics } from '../metrics.js';
import type { Operation } from '../operations.js';
import type { ServerStatus } from '../server.js';
import { openApi } from './openapi.js';

export interface PageContent {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

interface PageParts {
  readonly config: Pick<Config, 'directory' | 'readOnly'>;
  readonly operations: ReadonlyMap<string, Operation>;
  readonly status: () => ServerStatus;
  readonly metrics: Metrics;
}

const jsonType = 'application/json; charset=utf-8';

const stateText: Readonly<Record<ServerStatus['state'], string>> = {
  ok: 'ok',
  shutting_down: 'shutting down',
  no_directory: 'working directory missing',
};

/** The pages by path; each is made anew when it is asked for. */
export function createPages(parts: PageParts): ReadonlyMap<string, () => PageContent> {
  const { operations, status, metrics } = parts;
  let document: string | undefined;
  return new Map([
    ['/', () => ({ status: 200, type: 'text/html; charset=utf-8', text: statusPage(parts) })],
    ['/health', () => health(status())],
    ['/metrics', () => ({ status: 200, type: 'text/plain; version=0.0.4; charset=utf-8', text: metrics.render() })],
    [
      '/openapi.json',
      () => {
        document ??= JSON.stringify(openApi(operations.values(), status().version));
        return { status: 200, type: jsonType, text: document };
      },
    ],
  ]);
}

function health({ state, version, uptimeS }: ServerStatus): PageContent {
  const text = JSON.stringify({ status: stateText[state], version, uptime_s: Math.round(uptimeS * 1000) / 1000 });
  return { status: state === 'ok' ? 200 : 503, type: jsonType, text };
}

function statusPage({ config, operations, status }: PageParts): string {
  const { state, version, uptimeS } = status();
  const rows = [...operations.values()].map(
    ({ name, description, writes }) =>
      `<tr><td><code>POST /${escape(name)}</code></td><td>${writes ? 'writes' : 'reads'}</td><td>${escape(description)}</td></tr>`,
  );
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>File editing server</title>
<style>
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 50rem; margin: 2rem auto; padding: 0 1rem }
  table { border-collapse: collapse }
  td, th { text-align: left; vertical-align: top; padding: .3rem .8rem .3rem 0; border-bottom: 1px solid #8884 }
  :root { color-scheme: light dark }
</style>
<h1>File editing server</h1>
<p>Version ${escape(version)}, ${stateText[state]}, up for ${String(Math.floor(uptimeS))} s. Serves
<code>${escape(config.directory)}</code>${config.readOnly ? ', read-only' : ''}.</p>
<table>
<tr><th>Operation</th><th></th><th>What it does</th></tr>
${rows.join('\n')}
</table>
<p><a href="health">health</a> · <a href="metrics">metrics</a> · <a href="openapi.json">openapi.json</a></p>
</html>
`;
}

function escape(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
