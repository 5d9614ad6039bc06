/**
 * The status page in a real browser: `npm run prove -- page`. Not in the suite, since a browser takes seconds to start.
 * Needs chromium (Debian's package, or another one in CHROMIUM) and says so where it is not.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { chromium, type Browser, type BrowserContextOptions, type Page, type Route } from 'playwright-core';
import { withDirectory } from '../../directory.js';
import { startHttpServer } from '../../fronts/server-process.js';

const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
const missing = existsSync(executablePath) ? false : `there is no ${executablePath}`;
/** Milliseconds, generous for busy machines. */
const patience = 60_000;

/** No network access beyond this machine. */
const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

interface Visit {
  readonly page: Page;
  readonly url: string;
  /** Errors that the browser reported. */
  readonly complaints: readonly string[];
}

describe('the status page in a browser', { skip: missing }, () => {
  let browser: Browser | undefined;
  before(async () => {
    browser = await chromium.launch({ executablePath, args, timeout: patience });
  });
  after(async () => {
    await browser?.close();
  });

  /** Lend a page and its server, which the caller may stop. */
  async function atStart(
    use: (page: Page, server: Awaited<ReturnType<typeof startHttpServer>>) => Promise<void>,
  ): Promise<void> {
    await withDirectory({}, async (directory) => {
      const server = await startHttpServer(directory);
      const page = await browser?.newPage();
      assert.ok(page !== undefined);
      page.setDefaultTimeout(patience);
      await page.goto(`${server.url}/`);
      await use(page, server);
      await page.close();
      await server.stop();
    });
  }

  /** Lend the page of a server that gets ten calls a second; the browser must report no errors. */
  async function visit(use: (visit: Visit) => Promise<void>, options: BrowserContextOptions = {}): Promise<void> {
    await withDirectory({ 'a.txt': 'one\n', 'secret.txt': 'file content' }, async (directory) => {
      const server = await startHttpServer(directory, { toolset: 'all' });
      const context = await browser?.newContext(options);
      assert.ok(context !== undefined);
      const load = setInterval(() => {
        for (const name of ['a.txt', 'secret.txt', 'none.txt']) void ask(server.url, 'read_file', { name });
        void ask(server.url, 'edit_file', { name: 'b.txt', append: 'x', create_if_missing: true });
      }, 100);
      try {
        const page = await context.newPage();
        page.setDefaultTimeout(patience);
        const complaints: string[] = [];
        page.on('console', (message) => complaints.push(message.text()));
        page.on('pageerror', (error) => complaints.push(error.message));
        page.on('requestfailed', (request) => {
          // A page that is loaded again drops the requests under way.
          if (request.failure()?.errorText !== 'net::ERR_ABORTED') complaints.push(`${request.url()} failed`);
        });
        page.on('response', (response) => {
          if (!response.ok()) complaints.push(`${response.url()}: ${String(response.status())}`);
          if (new URL(response.url()).port !== new URL(server.url).port)
            complaints.push(`asked elsewhere: ${response.url()}`);
        });
        await page.goto(`${server.url}/`);
        await page.waitForFunction(() => document.querySelectorAll('#charts canvas').length === 4);
        await use({ page, url: server.url, complaints });
        assert.deepEqual(complaints, []);
      } finally {
        clearInterval(load);
        await context.close();
        await server.stop();
      }
    });
  }

  it('draws its charts, which move under load, without console errors', () =>
    visit(async ({ page }) => {
      await page.waitForFunction(() => /[1-9].* \/s/.test(document.querySelector('figure dd')?.textContent ?? ''));
      // Each chart draws its own data, as soon as there is any.
      await page.waitForFunction(() => {
        const now = Array.from(document.querySelectorAll('canvas'), (canvas) => canvas.toDataURL());
        return new Set(now).size === 4;
      });
      const pictures = await picturesOf(page);
      await page.waitForFunction((before) => {
        const now = Array.from(document.querySelectorAll('canvas'), (canvas) => canvas.toDataURL());
        return now.every((picture, index) => picture !== before[index]);
      }, pictures);
      const labels = await page
        .locator('[role=img]')
        .evaluateAll((all) => all.map((each) => each.getAttribute('aria-label')));
      assert.match(labels[0] ?? '', /^Chart of the last minutes\. Now: reads [\d.,]+ \/s, writes [\d.,]+ \/s\.$/);
      assert.equal(await page.textContent('#state'), 'ok');
      const text = (await page.textContent('body')) ?? '';
      for (const operation of ['list_files', 'str_replace', 'apply_edits'])
        assert.ok(text.includes(`POST /${operation}`));
      assert.doesNotMatch(await page.content(), /file content|secret\.txt/);
    }));

  it('counts since the start: calls by operation, failures by kind', () =>
    visit(async ({ page }) => {
      // A first edit takes longer than a first read.
      await page.waitForFunction(() => {
        const counts = ['#failures .number', '[data-operation=edit_file] .number', '#totals dd:nth-of-type(1)'];
        const [, writes, failed] = document.querySelectorAll('#totals dd');
        const shown = [...counts.map((each) => document.querySelector(each)), writes, failed];
        return shown.every((each) => /^[1-9]/.test(each?.textContent ?? ''));
      });
      assert.equal(await page.textContent('#failures th'), 'not found');
      assert.equal(await page.textContent('#failures td:last-child'), 'read_file');
    }));

  it('has lines to copy, with the address this browser uses', () =>
    visit(
      async ({ page, url }) => {
        const address = url.replace('127.0.0.1', 'localhost');
        await page.goto(`${address}/?query#here`);
        await page.click('.client button');
        await page.waitForFunction(() => document.querySelector('.client button')?.textContent === 'Copied');
        const copied = await page.evaluate(() => navigator.clipboard.readText());
        assert.equal(copied, `claude mcp add --transport http files ${address}/mcp`);
      },
      { permissions: ['clipboard-read', 'clipboard-write'] },
    ));

  it('shows them first, before and after the first call', () =>
    atStart(async (page, server) => {
      assert.ok(await page.isVisible('main > :first-child .client'));
      await ask(server.url, 'list_files', {});
      await page.reload();
      assert.ok(await page.isVisible('main > :first-child .client'));
    }));

  it('stops polling while paused or hidden, and resumes', () =>
    visit(async ({ page }) => {
      let looks = 0;
      page.on('request', (request) => {
        if (request.url().endsWith('/metrics')) looks++;
      });
      await page.waitForRequest(/metrics$/);
      await page.click('#pause');
      // A request in flight may finish.
      await page.waitForTimeout(1500);
      looks = 0;
      await page.waitForTimeout(2500);
      assert.equal(looks, 0);
      assert.equal(await page.textContent('#pause'), 'Go on');
      await page.click('#pause');
      await page.waitForRequest(/metrics$/);
      await page.evaluate(() => {
        Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));
      });
      await page.waitForTimeout(1500);
      looks = 0;
      await page.waitForTimeout(2500);
      assert.equal(looks, 0);
    }));

  for (const [name, options] of [
    ['a phone', { viewport: { width: 360, height: 740 }, deviceScaleFactor: 2, isMobile: true }],
    ['a screen', { viewport: { width: 1280, height: 900 } }],
  ] as const) {
    it(`fits ${name} without horizontal scrolling`, () =>
      visit(async ({ page }) => {
        await page.waitForFunction(() => /\d/.test(document.querySelector('figure dd')?.textContent ?? ''));
        const [content, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
        assert.equal(content, window);
      }, options));
  }

  it('follows a dark colour scheme, and changes immediately', () =>
    visit(
      async ({ page }) => {
        await page.waitForFunction(() => /\d/.test(document.querySelector('figure dd')?.textContent ?? ''));
        assert.ok((await brightness(page)) < 60);
        await page.emulateMedia({ colorScheme: 'light' });
        assert.ok((await brightness(page)) > 200);
        assert.equal(await page.locator('#charts canvas').count(), 4);
      },
      { colorScheme: 'dark' },
    ));

  it('is complete without scripts except for the charts', () =>
    withDirectory({}, async (directory) => {
      const server = await startHttpServer(directory, { readOnly: true });
      const context = await browser?.newContext({ javaScriptEnabled: false });
      const page = await context?.newPage();
      assert.ok(page !== undefined);
      await page.goto(`${server.url}/`);
      const text = (await page.textContent('body')) ?? '';
      assert.match(text, /read-only/);
      assert.match(text, /POST \/read_file/);
      assert.doesNotMatch(text, /edit_file/);
      assert.ok(await page.isVisible('noscript a'));
      assert.match(text, /ADDRESS is the address of this page.*claude mcp add --transport http files ADDRESS\/mcp/s);
      await context?.close();
      await server.stop();
    }));

  it('reports when the server stops answering', () =>
    atStart(async (page, server) => {
      await page.waitForRequest(/metrics$/);
      await server.stop();
      await page.waitForFunction(() => document.querySelector('#state')?.textContent === 'no answer');
    }));

  for (const [what, answer] of [
    ['the server hangs', () => undefined],
    ['a proxy answers in its place', (route: Route) => route.fulfill({ contentType: 'text/html', body: 'Sign in' })],
  ] as const) {
    it(`reports when ${what}, and resumes when the server answers again`, () =>
      atStart(async (page) => {
        await page.waitForFunction(() => document.querySelector('#state')?.textContent === 'ok');
        await page.route('**/metrics', answer);
        await page.waitForFunction(() => document.querySelector('#state')?.textContent === 'no answer');
        await page.unroute('**/metrics');
        await page.waitForFunction(() => document.querySelector('#state')?.textContent === 'ok');
      }));
  }
});

async function ask(url: string, operation: string, params: object): Promise<void> {
  const headers = { 'Content-Type': 'application/json' };
  // The server may have exited by then.
  await fetch(`${url}/${operation}`, { method: 'POST', headers, body: JSON.stringify(params) }).catch(() => undefined);
}

function picturesOf(page: Page): Promise<string[]> {
  return page
    .locator('canvas')
    .evaluateAll((all) => all.map((each) => (each instanceof HTMLCanvasElement ? each.toDataURL() : '')));
}

/** Of the background, from 0 to 255. */
async function brightness(page: Page): Promise<number> {
  const color = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const parts = color.match(/\d+/g)?.slice(0, 3).map(Number) ?? [];
  return parts.reduce((sum, part) => sum + part, 0) / 3;
}
