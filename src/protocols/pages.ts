/** What `GET` serves: for people, load balancers and monitoring. No file content. */
import { stateText, type ServerStatus } from '../status.js';
import type { LatePages, PageContent, PageParts } from './pages-late.js';
import { jsonType } from './rest-answer.js';

/** Makes a page anew, at once unless it is the first one that needs what is loaded late. */
export type Page = () => PageContent | Promise<PageContent>;

/** The pages by path. All but that which load balancers ask for are loaded when somebody asks for one of them. */
export function createPages(parts: PageParts): ReadonlyMap<string, Page> {
  let pages: LatePages | undefined;
  let loading: Promise<LatePages> | undefined;
  const late = (render: (loaded: LatePages) => PageContent): Page => {
    return () => {
      if (pages !== undefined) return render(pages);
      loading ??= import('./pages-late.js').then(({ LatePages }) => (pages = new LatePages(parts)));
      return loading.then(render);
    };
  };
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
  const text = JSON.stringify({ status: stateText[state], version, uptime_s: Math.round(uptimeS * 1000) / 1000 });
  return { status: state === 'ok' ? 200 : 503, type: jsonType, text };
}
