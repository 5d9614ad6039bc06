/** JSONTestSuite through every JSON entry point: request bodies, MCP messages, lines of stdio (spec 7, 9). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { joined } from '../../../src/core/json/scattered-bytes.js';
import { failure } from '../../../src/core/errors.js';
import { parseJson } from '../../../src/core/json/json-body.js';
import { piecesOf } from '../../../src/call/parts.js';
import { Budget } from '../../../src/call/budget.js';
import { JsonRpc } from '../../../src/protocols/json-rpc/json-rpc.js';
import { RequestHead } from '../../../src/transports/http/guard.js';
import type { Answer } from '../../../src/transports/http/site.js';
import { loadJsonCases } from '../../corpora/json-test-suite.js';
import { mb, siteOf, testConfig } from '../../transports/http/harness.js';

const cases = loadJsonCases();

/** The optional documents that are accepted: numbers beyond any range, escaped lone surrogates, depth. */
const taken = [
  'i_number_double_huge_neg_exp',
  'i_number_huge_exp',
  'i_number_neg_int_huge_exp',
  'i_number_pos_double_huge_exp',
  'i_number_real_neg_overflow',
  'i_number_real_pos_overflow',
  'i_number_real_underflow',
  'i_number_too_big_neg_int',
  'i_number_too_big_pos_int',
  'i_number_very_big_negative_int',
  'i_object_key_lone_2nd_surrogate',
  'i_string_1st_surrogate_but_2nd_missing',
  'i_string_1st_valid_surrogate_2nd_invalid',
  'i_string_UTF-16_invalid_lonely_surrogate',
  'i_string_UTF-16_invalid_surrogate',
  'i_string_incomplete_surrogate_and_escape_valid',
  'i_string_incomplete_surrogate_pair',
  'i_string_incomplete_surrogates_escape_valid',
  'i_string_invalid_lonely_surrogate',
  'i_string_invalid_surrogate',
  'i_string_inverted_surrogates_U+1D11E',
  'i_string_lone_second_surrogate',
  'i_structure_500_nested_arrays',
];

const isTaken = (name: string): boolean => name.startsWith('y') || taken.includes(name);

/** No operation accepts any of them; those that parse reach a call. */
const refusal = failure('invalid_params', 'Invalid params: none of this is known');

describe('the documents of JSONTestSuite', () => {
  it('are complete', () => {
    const kinds = cases.map(({ name }) => name.slice(0, 1));
    assert.deepEqual(
      ['y', 'n', 'i'].map((kind) => kinds.filter((each) => each === kind).length),
      [95, 188, 35],
    );
  });

  it('are accepted or refused as JSON, whatever their size', () => {
    const padding = Buffer.alloc(300_000, ' ');
    for (const { name, bytes } of cases) {
      assert.equal(parseJson(bytes).ok, isTaken(name), name);
      // A body this large is measured before it is parsed.
      const large = parseJson(Buffer.concat([bytes, padding]));
      assert.equal(large.ok, isTaken(name), `${name}, in a large body`);
      const parsed = parseJson(bytes);
      if (parsed.ok) assert.deepEqual(parsed.value, JSON.parse(bytes.toString()), name);
    }
  });

  it('are refused with 400 when posted to an operation or to MCP, as JSON or for their content', async () => {
    const site = siteOf(() => refusal);
    for (const path of ['/edit_file', '/create', '/apply_edits', '/mcp']) {
      for (const { name, bytes } of cases) {
        const { status, body } = await post(path, bytes);
        assert.equal(status, 400, `${path} ${name}`);
        const text = body === null ? '' : joined(body).toString();
        // In MCP an array is a batch, with one answer for each member or one for all.
        assert.equal(text.includes('"code":-32700'), !isTaken(name), `${path} ${name}: ${text}`);
      }
    }

    async function post(path: string, body: Buffer): Promise<Answer> {
      const head = new RequestHead('POST', path);
      for (const [name, value] of [
        ['host', 'localhost'],
        ['content-type', 'application/json'],
        ['mcp-protocol-version', '2025-11-25'],
      ] as const) {
        head.take(name, value);
      }
      const work = site.judge(head);
      assert.ok('run' in work);
      return work.run(body);
    }
  });

  it('are answered with one error each as lines of stdio, and with nothing else', async () => {
    const protocol = new JsonRpc({ config: testConfig(), call: () => refusal, budget: new Budget(mb) });
    for (const { name, bytes } of cases) {
      const answer = Buffer.concat(piecesOf((await protocol.answer(bytes)) ?? [])).toString();
      const parsed: unknown = JSON.parse(answer);
      for (const each of [parsed].flat()) {
        assert.ok(typeof each === 'object' && each !== null && 'error' in each, `${name}: ${answer}`);
        assert.ok(typeof each.error === 'object' && each.error !== null && 'code' in each.error);
        assert.equal(each.error.code, isTaken(name) ? -32600 : -32700, `${name}: ${answer}`);
      }
    }
  });
});
