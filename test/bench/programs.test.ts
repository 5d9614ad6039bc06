/** The programs that the benchmark compares. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { agentServer } from '../../bench/programs/programs.js';
import { fencedBlocks, page } from '../docs/newcomer.js';

interface Configuration {
  readonly mcpServers?: { readonly files: { readonly args?: readonly string[] } };
}

describe('the server as for an agent', () => {
  it('has the arguments that the README recommends', () => {
    const configurations = fencedBlocks(page('README.md'), 'json').map((text) => JSON.parse(text) as Configuration);
    const recommended = configurations.find(({ mcpServers }) => mcpServers?.files.args?.[0] === '--dir=.');
    const place = { directory: '.', port: 0, answerBytes: 0 };
    const [, ...given] = agentServer().args(place);
    assert.deepEqual(
      given.filter((argument) => !argument.startsWith('--log-level')),
      recommended?.mcpServers?.files.args,
    );
  });
});
