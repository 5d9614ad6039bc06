/** Spec 16: which headers are a token of this server, and whose. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Tokens } from '../../src/access/tokens.js';
import { collectGarbage } from '../collect-garbage.js';
import { withDirectory } from '../directory.js';

const sha256 = (token: string): string => createHash('sha256').update(token).digest('hex');
const good = 'qX3-_~+/=.Zz09';

type Write = (tokens: Readonly<Record<string, string>> | string) => void;

/** Lend the tokens of a file, by name, and a way to write another one. */
function withTokens(
  tokens: Readonly<Record<string, string>>,
  use: (tokens: Tokens, write: Write) => void,
): Promise<void> {
  return withDirectory({}, (directory) => {
    const path = join(directory, 'tokens.json');
    const write: Write = (next) => {
      const list = Object.entries(next).map(([name, token]) => ({ name, sha256: sha256(token), access: 'write' }));
      writeFileSync(path, typeof next === 'string' ? next : JSON.stringify({ tokens: list }));
      chmodSync(path, 0o600);
    };
    write(tokens);
    const read = new Tokens({ label: '--tokens', path });
    assert.deepEqual(read.load(), []);
    use(read, write);
  });
}

describe('the header Authorization', () => {
  const taken = [
    `Bearer ${good}`,
    `bearer ${good}`,
    `BEARER ${good}`,
    `bEaReR ${good}`,
    `Bearer    ${good}`,
    ` Bearer ${good} `,
    `Bearer ${good}\t`,
    `Bearer ${' '.repeat(5000)}${good}`,
  ];
  const refused = [
    '',
    ' ',
    'Bearer',
    'Bearer ',
    `Bearer${good}`,
    `Bearer\t${good}`,
    `Bearer\u00a0${good}`,
    good,
    `Basic ${good}`,
    `Basic ${Buffer.from(`seven:${good}`).toString('base64')}`,
    `Token ${good}`,
    `Digest ${good}`,
    `NotBearer ${good}`,
    `Bearer Bearer ${good}`,
    `Bearer "${good}"`,
    `Bearer token=${good}`,
    `Bearer ${good},`,
    `Bearer ${good}, Bearer ${good}`,
    `Bearer ${good},Bearer ${good}`,
    `Bearer ${good}, Basic x`,
    `Basic x, Bearer ${good}`,
    `, Bearer ${good}`,
    `Bearer ${good} ${good}`,
    `Bearer ${good}\0`,
    `Bearer ${good}\nX: y`,
    `Bearer ${good.toUpperCase()}`,
    `Bearer ${good.slice(0, -1)}`,
    `Bearer ${good}x`,
    `Bearer ${good.replace('q', 'ｑ')}`,
    `Bearer ${sha256(good)}`,
    `Bearer ${sha256(good).toUpperCase()}`,
    `Bearer seven`,
    `Bearer ${'x'.repeat(1_000_000)}`,
    `Bearer ${' '.repeat(1_000_000)}`,
    `${'Bearer '.repeat(100_000)}${good}`,
  ];
  const shown = (header: string): string => JSON.stringify(header.length > 60 ? `${header.slice(0, 40)}…` : header);

  it('is a token in these forms, and in no other', () =>
    withTokens({ seven: good }, (tokens) => {
      // Twice: the second time it may be remembered.
      for (const header of [...taken, ...taken]) assert.equal(tokens.callerOf(header)?.name, 'seven', shown(header));
      for (const header of [...refused, ...refused]) assert.equal(tokens.callerOf(header), undefined, shown(header));
      assert.equal(tokens.callerOf(undefined), undefined);
    }));

  it('is nobody where there are no tokens', () =>
    withTokens({}, (tokens) => {
      for (const header of [...taken, ...refused]) assert.equal(tokens.callerOf(header), undefined, shown(header));
    }));

  it('tells apart tokens that differ in their last character, or in nothing but their length', () =>
    withTokens({ a: `${good}a`, b: `${good}b`, short: good }, (tokens) => {
      const callers = [`${good}a`, `${good}b`, good].map((token) => tokens.callerOf(`Bearer ${token}`)?.name);
      assert.deepEqual(callers, ['a', 'b', 'short']);
    }));

  it('may hold a token of any length and of any ASCII characters but spaces', () => {
    const all = Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index)).join('');
    return withTokens({ all, long: 'x'.repeat(100_000), one: '~' }, (tokens) => {
      const callers = [all, 'x'.repeat(100_000), '~'].map((token) => tokens.callerOf(`Bearer ${token}`)?.name);
      assert.deepEqual(callers, ['all', 'long', 'one']);
    });
  });

  it('is taken in as many spellings as a client likes, without keeping them all', () =>
    withTokens({ seven: good }, (tokens) => {
      collectGarbage();
      const before = process.memoryUsage().heapUsed;
      for (let spaces = 10_000; spaces < 15_000; spaces++) {
        assert.equal(tokens.callerOf(`Bearer ${' '.repeat(spaces)}${good}`)?.name, 'seven');
      }
      collectGarbage();
      const grown = process.memoryUsage().heapUsed - before;
      assert.ok(grown < 20_000_000, `${String(grown)} bytes for one token`);
    }));
});

describe('tokens that are read again', () => {
  const header = `Bearer ${good}`;

  it('are those of the file: also headers that were right before are judged anew', () =>
    withTokens({ seven: good }, (tokens, write) => {
      assert.equal(tokens.callerOf(header)?.name, 'seven');
      write({ eight: good, other: 'other' });
      assert.equal(tokens.callerOf(header)?.name, 'seven', 'until then nothing changes');
      assert.deepEqual(tokens.load(), []);
      assert.equal(tokens.count, 2);
      assert.equal(tokens.callerOf(header)?.name, 'eight');
      write({ other: 'other' });
      assert.deepEqual(tokens.load(), []);
      assert.equal(tokens.callerOf(header), undefined);
      assert.equal(tokens.callerOf('Bearer other')?.name, 'other');
      write({});
      assert.deepEqual(tokens.load(), []);
      assert.equal(tokens.count, 0);
      assert.equal(tokens.callerOf('Bearer other'), undefined);
    }));

  it('stay as they were if the file is wrong', () =>
    withTokens({ seven: good }, (tokens, write) => {
      for (const wrong of ['', '{', '{"tokens": [{}]}', `{"tokens": [], "tokens": []}`]) {
        write(wrong);
        assert.notDeepEqual(tokens.load(), []);
        assert.equal(tokens.callerOf(header)?.name, 'seven', wrong);
        assert.equal(tokens.callerOf('Bearer other'), undefined);
      }
    }));
});
