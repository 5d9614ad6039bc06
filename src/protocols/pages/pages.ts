/** The `GET` pages: for people, load balancers and monitoring. No file content. */
import { jsonOf } from '../../core/json/json-of.js';
import { Late } from '../late.js';
import { stateText, type ServerStatus } from './status.js';
import type { LatePages, PageContent, PageParts } from './late-pages.js';
import { jsonType } from '../rest/answer.js';

/** Makes the page for each request; synchronously, except for the first one that needs late-loaded code. */
export type Page = () => PageContent | Promise<PageContent>;

/** The pages by path. All but the one for load balancers are loaded on the first request for any of them. */
export function createPages(parts: PageParts): ReadonlyMap<string, Page> {
  const pages = new Late(async () => new (await import('./late-pages.js')).LatePages(parts));
  const late =
    (render: (loaded: LatePages) => PageContent): Page =>
    () =>
      pages.now === undefined ? pages.load().then(render) : render(pages.now);
  return new Map<string, Page>([
    ['/', late((loaded) => loaded.status())],
    ['/health', () => health(parts.status())],
    ['/metrics', late((loaded) => loaded.metrics())],
    ['/openapi.json', late((loaded) => loaded.openApi())],
    ['/assets/status.js', late((loaded) => loaded.script())],
    ['/assets/status.css', late((loaded) => loaded.style())],
    ['/assets/status.svg', late((loaded) => loaded.icon())],
  ]);
}

function health({ state, version, uptimeS }: ServerStatus): PageContent {
  const text = jsonOf({ status: stateText[state], version, uptime_s: Math.round(uptimeS * 1000) / 1000 });
  return { status: state === 'ok' ? 200 : 503, type: jsonType, text };
}
