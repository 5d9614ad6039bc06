/** What `GET` serves: for people, load balancers and monitoring. No file content. */
import type { Config } from '../config.js';
import type { Metrics } from '../metrics.js';
import type { Operation } from '../operations.js';
import type { ServerStatus } from '../server.js';
import type { LatePages } from './pages-late.js';

export interface PageContent {
  readonly status: number;
  readonly type: string;
  readonly text: string;
  /** Name, value, name, value, …: those that other pages have not. */
  readonly headers?: readonly string[];
}

/** Makes a page anew, at once unless it is the first one that needs what is loaded late. */
export type Page = () => PageContent | Promise<PageContent>;

export interface PageParts {
  readonly config: Pick<Config, 'directory' | 'readOnly'>;
  readonly operations: ReadonlyMap<string, Operation>;
  readonly status: () => ServerStatus;
  readonly metrics: Metrics;
}

export const jsonPage = 'application/json; charset=utf-8';

export const stateText: Readonly<Record<ServerStatus['state'], string>> = {
  ok: 'ok',
  shutting_down: 'shutting down',
  no_directory: 'working directory missing',
};

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
  return { status: state === 'ok' ? 200 : 503, type: jsonPage, text };
}
