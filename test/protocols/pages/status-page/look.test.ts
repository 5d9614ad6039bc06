import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import {
  between,
  keep,
  look,
  type Look,
  type Point,
} from '../../../../src/protocols/pages/status-page/browser/look.js';

const figures = `file_editor_state{state="ok"} 0
file_editor_state{state="no_directory"} 1
file_editor_state{state="shutting_down"} 0
`;

/** The page's interpretation of such an answer. */
function lookAt(test: TestContext, answer: string, status = 200): Promise<Look> {
  test.mock.method(globalThis, 'fetch', async () => new Response(answer, { status }));
  return look();
}

describe('a poll of the status page', () => {
  it('shows the state that the server reports', async (test) => {
    assert.equal((await lookAt(test, figures)).state, 'no_directory');
  });

  for (const [what, text, status] of [
    ['an error', figures, 503],
    ['the page of a proxy', '<!doctype html>\n<title>Sign in</title>\n', 200],
    ['nothing', '', 200],
  ] as const) {
    it(`counts ${what} as no answer`, async (test) => {
      await assert.rejects(
        lookAt(test, text, status),
        /^Error: (?:the server answers 503|what answers is not the server)$/,
      );
    });
  }

  it('counts a late answer as no answer', async (test) => {
    const limit = test.mock.method(AbortSignal, 'timeout', () => AbortSignal.abort(new Error('too late')));
    test.mock.method(globalThis, 'fetch', async (_: string, { signal }: RequestInit) => {
      signal?.throwIfAborted();
      return new Response(figures);
    });
    await assert.rejects(look(), /^Error: too late$/);
    assert.deepEqual(limit.mock.calls[0]?.arguments, [5000]);
  });
});

describe('the points kept by the status page', () => {
  const nothing = { time: 0, state: 'ok', figures: new Map() };
  const at = (time: number): Point => between(nothing, { ...nothing, time }, /^$/);
  const times = (most: number, given: readonly (number | null)[]): (number | null)[] => {
    const points: (Point | null)[] = [];
    for (const time of given) keep(points, time === null ? null : at(time), most);
    return points.map((point) => point?.time ?? null);
  };

  it('are the most recent, with one gap where polling stopped', () => {
    assert.deepEqual(times(4, [1, 2, null, null, 3]), [1, 2, null, 3]);
    assert.deepEqual(times(3, [1, 2, 3, 4]), [2, 3, 4]);
  });

  it('never start with a gap, which would have no time', () => {
    assert.deepEqual(times(3, [null, 1, 2]), [1, 2]);
    assert.deepEqual(times(3, [1, null, 2, 3]), [2, 3]);
  });
});
