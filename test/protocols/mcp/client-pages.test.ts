import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { clientPages, pageOf, usualPage } from '../../../src/protocols/mcp/client-pages.js';

describe('the longest text of one result', () => {
  it('is that of the client, whose name is compared to the letter', () => {
    assert.equal(pageOf({ name: 'claude-code', version: '2.1.332' }), 100_000);
    for (const name of ['Claude-Code', 'claude-code ', 'claude', 'constructor', '', 7, undefined]) {
      assert.equal(pageOf({ name }), 40_000);
    }
  });

  it('is the usual one for whoever names no client', () => {
    for (const clientInfo of [undefined, null, 'claude-code', [], {}]) assert.equal(pageOf(clientInfo), usualPage);
  });

  it('is longer than the usual one only with a source, and documented', () => {
    const documented = readFileSync('docs/mcp.md', 'utf8');
    for (const [name, { characters, source }] of clientPages) {
      assert.ok(Number.isInteger(characters) && characters > usualPage, name);
      assert.match(source, /^https:\/\/\S+: ./);
      assert.ok(documented.includes(`| \`${name}\` | ${characters.toLocaleString('en')} |`), `docs/mcp.md: ${name}`);
    }
  });
});
