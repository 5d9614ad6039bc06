/** A page as a route of the site. */
import type { Answer, RequestHead, Site, Work } from '../../transports/http/site.js';
import type { PageContent } from './late-pages.js';
import type { Page } from './pages.js';
import { answer } from '../rest/answer.js';

type Open = (head: RequestHead) => Answer | Work;

/** A path: what each method does, and the methods as the Allow header lists them. */
export interface Route {
  readonly methods: ReadonlyMap<string, Open>;
  readonly allow: string;
}

const allow = 'GET, HEAD, OPTIONS';
const allowed: Open = (head) => answer(head, 204, ['Allow', allow], null);

/** @param unforeseen answers if creating the page fails */
export function pageRoute(render: Page, unforeseen: Site['unforeseen']): Route {
  const open: Open = (head) => {
    const content = render();
    if (!(content instanceof Promise)) return show(head, content);
    const shown = content.then(
      (loaded) => show(head, loaded),
      (error: unknown) => unforeseen(error, head),
    );
    return { run: () => shown };
  };
  return {
    methods: new Map([
      ['GET', open],
      ['HEAD', open],
      ['OPTIONS', allowed],
    ]),
    allow,
  };
}

function show(head: RequestHead, { status, type, text, headers = [] }: PageContent): Answer {
  const usual = ['Content-Type', type, 'Cache-Control', 'no-store', 'X-Content-Type-Options', 'nosniff'];
  return answer(head, status, [...usual, ...headers], Buffer.from(text));
}
