import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { operations } from '../../src/core/operations.js';
import { allCases } from '../operations/cases.js';
import type { Answer, Front } from './fronts.js';

/** Reads of files older than this, in milliseconds, can be answered from the cache (src/core/file-identity.ts). */
const trustedMs = 105;

/** The cases whose answers can be cached: neither writes nor anything that takes a path. */
export const rememberedCases = allCases.filter(({ call: [operation] }) => {
  const row = operations.get(operation);
  return row?.writes !== true && row?.paths === undefined;
});

/** The same front, but repeats each request once its answer can be cached, and then once more. */
export function repeated(front: Front): Front {
  return {
    name: `${front.name}, with repeated requests`,
    open: async (directory, options) => {
      const session = await front.open(directory, options);
      return {
        ...session,
        call: async (operation, params) => {
          const first = await session.call(operation, params);
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
