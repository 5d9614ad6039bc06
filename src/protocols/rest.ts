/** The site (contract 7, 8): `POST /<operation>` for each operation that exists, MCP, and `GET` for the pages. */
import type { Call } from '../call.js';
import type { Config } from '../config/config.js';
import { codeOf, failure, type Failure } from '../errors.js';
import type { Idle } from '../idle.js';
import type { Metrics } from '../metrics.js';
import type { Log } from '../monitoring/log.js';
import { availableOperations, whyAbsent } from '../operations.js';
import type { ServerStatus } from '../status.js';
import type { Answer, RequestHead, Site, Work } from '../transports/site.js';
import { createAccess, preflightHeaders } from './http-access.js';
import { McpRoute } from './mcp-route.js';
import { weightOf } from './message-weight.js';
import type { PageContent } from './pages-late.js';
import { createPages, type Page } from './pages.js';
import { answer, failureAnswer, mcpPath, requestIdOf } from './rest-answer.js';
import { OperationRoute } from './rest-call.js';

/** For the largest page, roughly. */
const pageNeed = { bytes: 100_000, purpose: 'read' } as const;

type Open = (head: RequestHead) => Answer | Work;

/** A path: what each method does, and the methods as the Allow header lists them. */
interface Route {
  readonly methods: ReadonlyMap<string, Open>;
  readonly allow: string;
}

/** Everything that is served over HTTP, for either listener. */
export function createSite(parts: {
  config: Config;
  call: Call;
  status: () => ServerStatus;
  metrics: Metrics;
  idle?: Pick<Idle, 'touch'>;
  log?: Log;
}): Site {
  const { config, metrics, idle, log } = parts;
  const operations = availableOperations(config);
  const access = createAccess(config);
  const routes = new Map<string, Route>();
  for (const [path, render] of createPages({ ...parts, operations })) routes.set(path, pageRoute(render, unforeseen));
  for (const operation of operations.values()) {
    const { name } = operation;
    const calls = new OperationRoute(operation, parts);
    const open: Open = (head) => {
      const opened = calls.open(head);
      return 'kind' in opened ? refuse(opened, head) : opened;
    };
    routes.set(`/${name}`, { methods: new Map([['POST', open]]), allow: 'POST' });
  }

  const mcp = new McpRoute(parts);
  const openMcp: Open = (head) => {
    const opened = mcp.open(head);
    return 'kind' in opened ? refuse(opened, head) : opened;
  };
  routes.set(mcpPath, { methods: new Map([['POST', openMcp]]), allow: 'POST' });

  const offered = [...operations.keys()]
    .map((name) => `POST /${name}`)
    .concat(`POST ${mcpPath} (MCP)`)
    .join(', ');
  const overLimit = failure('request_too_large', `Request size exceeds maximum limit ${String(config.maxSizeMb)}MB`);

  /** Refusals before an operation is known. */
  function refuse(refusal: Failure, head: RequestHead, headers: readonly string[] = []): Answer {
    const front = head.path === mcpPath ? 'mcp' : 'rest';
    metrics.refuse(front, refusal.kind, codeOf(refusal));
    log?.debug({ front, requestId: requestIdOf(head), category: refusal.kind }, refusal.message);
    return failureAnswer(head, refusal, {}, headers);
  }

  function noRoute(head: RequestHead): Answer {
    const message = `There is no operation at ${head.path.slice(0, 100)}`;
    const absent = whyAbsent(head.path.slice(1), config.toolsets);
    const details = [...(absent === undefined ? [] : [absent]), `Use one of: ${offered}.`].join(' ');
    return refuse(failure('unknown_operation', message, { details }), head);
  }

  function noMethod(head: RequestHead, allow: string): Answer {
    const message = `Method ${head.method.slice(0, 20)} is not allowed here`;
    return refuse(failure('method_not_allowed', message, { details: `Use ${allow}.` }), head, ['Allow', allow]);
  }

  function unforeseen(error: unknown, head: RequestHead): Answer {
    log?.error({ path: head.path.slice(0, 100), requestId: requestIdOf(head), error }, 'a request failed');
    return failureAnswer(head, failure('internal', 'Internal error'));
  }

  return {
    refuse: (refusal, head) => refuse(refusal, head),
    tooLarge: (head) => refuse(overLimit, head),
    unforeseen,
    judge(head) {
      // Here too, since a request that is given up before it becomes a call leaves its body behind. Monitoring, which
      // only looks at the server every few seconds, must not keep it from giving memory back.
      if (head.method === 'POST') idle?.touch();
      const { host, origin } = head;
      const stranger = access.check(host ?? '', origin);
      if (stranger !== null) return refuse(stranger, head, origin === undefined ? [] : ['Vary', 'Origin']);
      head.allowedOrigin = origin;
      if (origin !== undefined && head.method === 'OPTIONS') return answer(head, 204, preflightHeaders, null);
      const route = routes.get(head.path);
      if (route === undefined) return noRoute(head);
      return route.methods.get(head.method)?.(head) ?? noMethod(head, route.allow);
    },
  };
}

function pageRoute(render: Page, unforeseen: Site['unforeseen']): Route {
  const allow = 'GET, HEAD, OPTIONS';
  const show = (head: RequestHead, { status, type, text, headers = [] }: PageContent): Answer => {
    const usual = ['Content-Type', type, 'Cache-Control', 'no-store', 'X-Content-Type-Options', 'nosniff'];
    return answer(head, status, [...usual, ...headers], Buffer.from(text));
  };
  const open: Open = (head) => {
    const content = render();
    if (!(content instanceof Promise)) return show(head, content);
    const shown = content.then(
      (loaded) => show(head, loaded),
      (error: unknown) => unforeseen(error, head),
    );
    return { need: () => pageNeed, weight: weightOf, run: () => shown };
  };
  const methods = new Map([
    ['GET', open],
    ['HEAD', open],
    ['OPTIONS', (head: RequestHead) => answer(head, 204, ['Allow', allow], null)],
  ]);
  return { methods, allow };
}
