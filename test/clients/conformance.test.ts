/**
 * The MCP conformance suites: the released one for the legacy era, and the unreleased one for revision 2026-07-28. They
 * need Node 22.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { lendToSuite } from '../directory.js';
import { startHttpServer } from '../fronts/server-process.js';

const [major = 0] = process.versions.node.split('.').map(Number);
const skip = major < 22 && 'the conformance suites need Node 22';

const suites = {
  released: '@modelcontextprotocol/conformance',
  modern: 'conformance-of-2026',
} as const;

const diagnostic = 'needs a tool that a test server has, made to do just this';

/** Scenarios that apply to a file server, with the checks that do not. */
const scenarios: readonly (readonly [
  suite: keyof typeof suites,
  revision: string,
  scenario: string,
  cannotPass?: Readonly<Record<string, string>>,
])[] = [
  ['released', '2025-11-25', 'server-initialize'],
  ['released', '2025-11-25', 'logging-set-level'],
  ['released', '2025-11-25', 'ping'],
  ['released', '2025-11-25', 'tools-list'],
  [
    'released',
    '2025-11-25',
    'server-sse-multiple-streams',
    { 'server-sse-multiple-streams-session': 'there are no sessions' },
  ],
  ['released', '2025-11-25', 'dns-rebinding-protection'],
  ['modern', '2025-06-18', 'server-initialize'],
  ['modern', '2025-11-25', 'tools-list'],
  ['modern', '2026-07-28', 'tools-list'],
  ['modern', '2026-07-28', 'http-header-validation'],
  ['modern', '2026-07-28', 'server-sse-multiple-streams'],
  ['modern', '2026-07-28', 'dns-rebinding-protection'],
  [
    'modern',
    '2026-07-28',
    'caching',
    {
      'sep-2549-prompts-list-caching-hints': 'there are no prompts',
      'sep-2549-resources-list-caching-hints': 'there are no resources',
      'sep-2549-resources-templates-list-caching-hints': 'there are no resources',
    },
  ],
  [
    'modern',
    '2026-07-28',
    'server-stateless',
    {
      'sep-2575-server-rejects-undeclared-capability': diagnostic,
      'sep-2575-missing-capability-http-400': diagnostic,
      'sep-2575-http-server-no-independent-requests-on-stream': diagnostic,
      'sep-2575-server-no-log-without-loglevel': diagnostic,
    },
  ],
];

/**
 * Scenarios that do not apply, by the feature they need. The list is complete, so a scenario of a newer suite is
 * noticed. Both suites leave out extensions (skills, tasks).
 */
const elsewhere: Readonly<Record<string, readonly string[]>> = {
  'tools of a test server': [
    'tools-call-simple-text',
    'tools-call-image',
    'tools-call-audio',
    'tools-call-embedded-resource',
    'tools-call-mixed-content',
    'tools-call-with-logging',
    'tools-call-error',
    'tools-call-with-progress',
    'json-schema-2020-12',
    'http-custom-header-server-validation',
  ],
  'prompts, resources and completion': [
    'completion-complete',
    'resources-list',
    'resources-read-text',
    'resources-read-binary',
    'resources-templates-read',
    'resources-subscribe',
    'resources-unsubscribe',
    'sep-2164-resource-not-found',
    'prompts-list',
    'prompts-get-simple',
    'prompts-get-with-args',
    'prompts-get-embedded-resource',
    'prompts-get-with-image',
  ],
  'sampling and elicitation': ['tools-call-sampling', 'tools-call-elicitation'],
  'sessions and streams': ['server-session-lifecycle', 'server-sse-polling'],
};
const elsewherePrefixes = ['elicitation-', 'input-required-result-', 'sep-2640-', 'tasks-'];

interface Check {
  readonly id: string;
  readonly status: string;
  readonly errorMessage?: string;
}

async function run(suite: keyof typeof suites, args: readonly string[]): Promise<string> {
  const program = fileURLToPath(new URL(`../../node_modules/${suites[suite]}/dist/index.js`, import.meta.url));
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  await once(child, 'close');
  return output;
}

async function checksOf(url: string, output: string, scenario: (typeof scenarios)[number]): Promise<Check[]> {
  const [suite, revision, name] = scenario;
  mkdirSync(output);
  await run(suite, ['server', '--url', url, '--scenario', name, '--spec-version', revision, '-o', output]);
  const [folder = 'no results'] = readdirSync(output);
  return JSON.parse(readFileSync(join(output, folder, 'checks.json'), 'utf8')) as Check[];
}

describe('the conformance suites', { skip }, () => {
  let url = '';
  let directory = '';

  lendToSuite({}, async (lent) => {
    directory = lent;
    mkdirSync(join(directory, 'served'));
    const server = await startHttpServer(join(directory, 'served'), {});
    url = `${server.url}/mcp`;
    return async () => assert.equal(await server.stop(), 0);
  });

  for (const [index, scenario] of scenarios.entries()) {
    const [suite, revision, name, cannotPass = {}] = scenario;
    it(`${name} of ${revision} (${suite})`, async () => {
      const checks = await checksOf(url, join(directory, `results-${index}`), scenario);
      const failed = checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING');
      const unexpected = failed.filter(({ id }) => !(id in cannotPass));
      assert.deepEqual(unexpected, []);
      assert.deepEqual(Object.keys(cannotPass).sort(), [...new Set(failed.map(({ id }) => id))].sort());
      assert.ok(checks.length > 0);
    });
  }

  for (const suite of ['released', 'modern'] as const) {
    it(`has no unreviewed scenario (${suite})`, async () => {
      const [, servers = ''] = (await run(suite, ['list'])).split('Server scenarios');
      const [listed = ''] = servers.split('Client scenarios');
      const names = [...listed.matchAll(/^ {2}- (\S+)/gm)].map(([, name = '']) => name);
      assert.ok(names.length > 20);
      const known = [...scenarios.map(([, , name]) => name), ...Object.values(elsewhere).flat()];
      const unknown = names.filter(
        (name) => !known.includes(name) && !elsewherePrefixes.some((prefix) => name.startsWith(prefix)),
      );
      assert.deepEqual(unknown, []);
    });
  }
});
