/** What `GET` serves: for people, load balancers and monitoring. No file content. */
import { stateText, type ServerStatus } from '../status.js';
import type { LatePages, PageContent, PageParts } from './pages-late.js';
import { jsonType } from './rest-answer.js';

/** Makes the page again each time; at once, unless it is the first one that needs code that is loaded late. */
export type Page = () => PageContent | Promise<PageContent>;

/** The pages by path. All but the one for load balancers are loaded when someone asks for one of them. */
export function createPages(parts: PageParts): ReadonlyMap<string, Page> {
  let pages: LatePages | undefined;
  let loading: Promise<LatePages> | undefined;
  const load = async (): Promise<LatePages> => {
    try {
      const { LatePages } = await import('./pages-late.js');
      return (pages = new LatePages(parts));
    } finally {
      // If no file could be opened, the next request may have more luck.
      loading = undefined;
    }
  };
  const late = (render: (loaded: LatePages) => PageContent): Page => {
    return () => {
      if (pages !== undefined) return render(pages);
      loading ??= load();
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
