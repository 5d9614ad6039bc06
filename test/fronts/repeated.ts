import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { operations } from '../../src/operations.js';
import type { Answer, Front } from './fronts.js';

/** Files that are older than this, in milliseconds, can be answered from what is remembered (src/file-identity.ts). */
const trustedMs = 105;

/** The same front, but everything that only reads is asked again when it can be remembered, and then once more. */
export function repeated(front: Front): Front {
  return {
    name: `${front.name}, asked again`,
    open: async (directory, options) => {
      const session = await front.open(directory, options);
      return {
        ...session,
        call: async (operation, params) => {
          const first = await session.call(operation, params);
          const row = operations.get(operation);
          // What is asked for by paths is not remembered.
          if (row?.writes === true || row?.paths !== undefined) return first;
          await sleep(trustedMs);
          const remembered = await session.call(operation, params);
          const last = await session.call(operation, params);
          assert.deepEqual(timeless(remembered), timeless(first));
          assert.deepEqual(timeless(last), timeless(first));
          return last;
        },
      };
    },
  };
}

function timeless(answer: Answer): unknown {
  if (answer.ok) return answer;
  return { ...answer, error: { ...answer.error, data: { ...answer.error.data, timestamp: '' } } };
}
