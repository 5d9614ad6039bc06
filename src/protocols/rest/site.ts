/** The site (spec 7, 8): `POST /<operation>` for each operation, `POST /mcp`, and `GET` for the pages. */
import type { Calls } from '../../call/call.js';
import type { Config } from '../../config/config.js';
import { codeOf, failure, type Failure } from '../../core/errors.js';
import { internalError, requestTooLarge } from '../../core/failures.js';
import type { Idle } from '../../observe/idle.js';
import type { ReadBody } from '../../core/json/json-body.js';
import type { Budget } from '../../call/budget.js';
import type { Operation } from '../../core/operations.js';
import type { Metrics } from '../../observe/metrics.js';
import type { Log } from '../../observe/log.js';
import { availableOperations, whyAbsent } from '../../config/offer.js';
import type { ServerStatus } from '../pages/status.js';
import type { Answer, RequestHead, Site, Work } from '../../transports/http/site.js';
import { Entrance, isPreflight } from '../../access/entrance.js';
import { mayUse } from '../../access/permission.js';
import { preflightHeaders } from '../../access/origins.js';
import type { Tokens } from '../../access/tokens.js';
import { McpRoute } from '../mcp/route.js';
import { pageRoute, type Route } from '../pages/page-route.js';
import { createPages } from '../pages/pages.js';
import { answer, failureAnswer, mcpPath, mcpPaths, requestIdOf } from './answer.js';
import { OperationRoute } from './operation-route.js';

interface SiteParts {
  readonly config: Config;
  readonly calls: Calls;
  /** Called after an MCP client's first answer. */
  readonly greeted?: () => void;
  /** With `--tokens`. */
  readonly tokens?: Tokens | undefined;
  readonly budget: Budget;
  readonly readBody: ReadBody;
  readonly status: () => ServerStatus;
  readonly metrics: Metrics;
  readonly idle: Pick<Idle, 'touch'>;
  readonly log: Log;
}

/** All routes over HTTP, for either listener. */
export class RestSite implements Site {
  private readonly entrance: Entrance;
  private readonly routes = new Map<string, Route>();
  private readonly operations: readonly Operation[];
  private readonly overLimit: Failure;

  constructor(private readonly parts: SiteParts) {
    const { config } = parts;
    const operations = availableOperations(config);
    this.entrance = new Entrance(config, parts.tokens);
    const unforeseen: Site['unforeseen'] = (error, head) => this.unforeseen(error, head);
    for (const [path, render] of createPages({ ...parts, operations })) {
      this.routes.set(path, pageRoute(render, unforeseen));
    }
    for (const operation of operations.values()) {
      this.routes.set(`/${operation.name}`, this.callRoute(new OperationRoute(operation, parts)));
    }
    const mcp = this.callRoute(new McpRoute({ ...parts, call: parts.calls.make }));
    for (const path of mcpPaths) this.routes.set(path, mcp);
    this.operations = [...operations.values()];
    this.overLimit = requestTooLarge(config.maxSizeMb);
  }

  judge(head: RequestHead): Answer | Work {
    // Touched here too, since a request aborted before it becomes a call leaves its body as garbage. GET does not
    // count: monitoring every few seconds must not keep the server from giving memory back.
    if (head.method === 'POST') this.parts.idle.touch();
    const refused = this.entrance.admit(head);
    if (refused !== null) return this.refuse(refused.failure, head, refused.headers);
    if (isPreflight(head)) return answer(head, 204, preflightHeaders(this.parts.tokens !== undefined), null);
    const route = this.routes.get(head.path);
    if (route === undefined) return this.noRoute(head);
    return route.methods.get(head.method)?.(head) ?? this.noMethod(head, route.allow);
  }

  /** Refuses a request before its operation is known. */
  refuse(refusal: Failure, head: RequestHead, headers: readonly string[] = []): Answer {
    const { metrics, log } = this.parts;
    this.entrance.allowOrigin(head);
    const front = mcpPaths.includes(head.path) ? 'mcp' : 'rest';
    metrics.refuse(front, refusal.kind, codeOf(refusal));
    const about = { front, requestId: requestIdOf(head), category: refusal.kind };
    // At the usual log level, so that operators see that someone is trying tokens, and from where.
    if (refusal.kind === 'unauthorized') log.info({ ...about, address: head.addressOf?.() }, refusal.message);
    else log.debug(about, refusal.message);
    return failureAnswer(head, refusal, {}, headers);
  }

  tooLarge(head: RequestHead): Answer {
    return this.refuse(this.overLimit, head);
  }

  unforeseen(error: unknown, head: RequestHead): Answer {
    const { log } = this.parts;
    log.error({ path: head.path.slice(0, 100), requestId: requestIdOf(head), error }, 'a request failed');
    return failureAnswer(head, internalError());
  }

  private callRoute(route: { open(head: RequestHead): Work | Failure }): Route {
    const open = (head: RequestHead): Answer | Work => {
      const opened = route.open(head);
      return 'kind' in opened ? this.refuse(opened, head) : opened;
    };
    return { methods: new Map([['POST', open]]), allow: 'POST' };
  }

  private noRoute(head: RequestHead): Answer {
    const message = `There is no operation at ${head.path.slice(0, 100)}`;
    const absent = whyAbsent(head.path.slice(1), this.parts.config);
    const details = [...(absent === undefined ? [] : [absent]), `Use one of: ${this.offeredTo(head)}.`].join(' ');
    return this.refuse(failure('unknown_operation', message, { details }), head);
  }

  /** All operations that the caller may use, for the error of an unknown one. */
  private offeredTo({ caller }: RequestHead): string {
    const usable = this.operations.filter((operation) => mayUse(operation, caller));
    return [...usable.map(({ name }) => `POST /${name}`), `POST ${mcpPath} (MCP)`].join(', ');
  }

  private noMethod(head: RequestHead, allow: string): Answer {
    const message = `Method ${head.method.slice(0, 20)} is not allowed here`;
    return this.refuse(failure('method_not_allowed', message, { details: `Use ${allow}.` }), head, ['Allow', allow]);
  }
}
