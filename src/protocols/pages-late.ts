/** The pages that a start does without: a program of its own (esbuild.config.ts), as most servers are never asked for them. */
import { LoopDelay } from '../loop-delay.js';
import { icon, script, style } from '../status-page/compiled.js';
import { pagePolicy, statusPage } from '../status-page/page.js';
import { metricsText, metricsType } from './metrics-text.js';
import { openApi } from './openapi.js';
import { jsonPage, stateText, type PageContent, type PageParts } from './pages.js';

export class LatePages {
  private readonly loopDelay: LoopDelay;
  private document: string | undefined;

  constructor(private readonly parts: PageParts) {
    this.loopDelay = new LoopDelay(() => parts.status().state === 'shutting_down');
  }

  status(): PageContent {
    const { config, operations } = this.parts;
    const { state, ...status } = this.parts.status();
    const text = statusPage({ ...config, ...status, state: stateText[state], operations: operations.values() });
    return { ...ok('text/html; charset=utf-8', text), headers: ['Content-Security-Policy', pagePolicy] };
  }

  metrics(): PageContent {
    const { metrics, status } = this.parts;
    this.loopDelay.touch();
    return ok(metricsType, metricsText(metrics, status(), this.loopDelay));
  }

  openApi(): PageContent {
    const { operations, status } = this.parts;
    this.document ??= JSON.stringify(openApi(operations.values(), status().version));
    return ok(jsonPage, this.document);
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
