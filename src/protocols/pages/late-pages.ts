/**
 * The pages that are not needed at the start. They have their own bundle (esbuild.config.ts), since most servers never
 * serve them.
 */
import type { Config } from '../../config/config.js';
import { jsonOf } from '../../core/json/json-of.js';
import type { Metrics } from '../../observe/metrics.js';
import { LoopDelay } from '../../observe/loop-delay.js';
import type { Operation } from '../../core/operations.js';
import { icon, script, style } from './status-page/compiled.js';
import { pagePolicy, statusPage } from './status-page/page.js';
import { stateText, type ServerStatus } from './status.js';
import { metricsText } from './metrics-text.js';
import { metricsType } from './prometheus.js';
import { openApi } from './openapi.js';
import { jsonType } from '../rest/answer.js';

export interface PageContent {
  readonly status: number;
  readonly type: string;
  readonly text: string;
  /** Headers of this page only, as name, value, name, value, … */
  readonly headers?: readonly string[];
}

export interface PageParts {
  readonly config: Pick<Config, 'directory' | 'readOnly' | 'toolsets' | 'names' | 'paths' | 'mcpTextOnly' | 'tokens'>;
  readonly operations: ReadonlyMap<string, Operation>;
  readonly status: () => ServerStatus;
  readonly metrics: Metrics;
}

/** The pages with too much code to load at the start: the status page, OpenAPI, the metrics. */
export class LatePages {
  private readonly loopDelay = new LoopDelay();
  private document: string | undefined;

  constructor(private readonly parts: PageParts) {}

  status(): PageContent {
    const { config, operations } = this.parts;
    const { state, ...status } = this.parts.status();
    const text = statusPage({
      ...config,
      ...status,
      hasTokens: config.tokens !== undefined,
      state: stateText[state],
      operations,
    });
    return { ...ok('text/html; charset=utf-8', text), headers: ['Content-Security-Policy', pagePolicy] };
  }

  metrics(): PageContent {
    const { metrics, status } = this.parts;
    this.loopDelay.touch();
    return ok(metricsType, metricsText(metrics, status(), this.loopDelay));
  }

  openApi(): PageContent {
    const { config, operations, status } = this.parts;
    const { version } = status();
    this.document ??= jsonOf(
      openApi(operations.values(), { version, names: config.names, hasTokens: config.tokens !== undefined }),
    );
    return ok(jsonType, this.document);
  }

  script(): PageContent {
    return ok('text/javascript; charset=utf-8', script);
  }

  style(): PageContent {
    return ok('text/css; charset=utf-8', style);
  }

  icon(): PageContent {
    return ok('image/svg+xml; charset=utf-8', icon);
  }
}

function ok(type: string, text: string): PageContent {
  return { status: 200, type, text };
}
