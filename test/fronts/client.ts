/** The typed client as a front. */
import assert from 'node:assert/strict';
import { FileEditor, FileEditorError, type Fetch } from '../../src/client/index.js';
import { operations, subjectOf } from '../../src/core/operations.js';
import type { Case } from '../operations/case.js';
import { allCases } from '../operations/cases.js';
import type { Answer, Front } from './fronts.js';
import { startHttpServer } from './server-process.js';

/** For each operation, one case for each possible outcome, among those the client can express. */
export const oneOfEachKind: readonly Case[] = allCases.filter(
  (test, index) =>
    isSayable(test) && allCases.findIndex((other) => isSayable(other) && ending(other) === ending(test)) === index,
);

function ending({ call: [operation], options, error }: Case): string {
  return JSON.stringify([operation, options?.['toolset'], error?.status, error?.code, error?.data?.['reason']]);
}

/** listFiles takes no parameters; the others need a file. */
function isSayable({ call: [operation, params] }: Case): boolean {
  if (operation === 'list_files') return JSON.stringify(params) === '{}';
  const row = operations.get(operation);
  return row !== undefined && (row.paths?.length === 0 || subjectOf(row, params) !== undefined);
}

/** The method of an operation: its name in camel case. */
export function methodOf(
  editor: FileEditor,
  operation: string,
): (params?: unknown) => Promise<Record<string, unknown>> {
  const name = operation.replace(/_[a-z]/g, (letter) => letter.slice(1).toUpperCase());
  const method: unknown = Reflect.get(editor, name);
  assert.ok(typeof method === 'function', `${name} is a method`);
  return (...args) => method.apply(editor, args) as Promise<Record<string, unknown>>;
}

/** @param fetchFor used instead of the global one, for a server at this address */
export function client(fetchFor: (url: string) => Promise<Fetch>): Front {
  return {
    name: 'the typed client',
    open: async (directory, options) => {
      const server = await startHttpServer(directory, options);
      const editor = new FileEditor(server.url, { retries: 0, fetch: await fetchFor(server.url) });
      return {
        call: async (operation, params): Promise<Answer> => {
          const method = methodOf(editor, operation);
          try {
            return { ok: true, result: await (operation === 'list_files' ? method() : method(params)) };
          } catch (error) {
            assert.ok(error instanceof FileEditorError);
            const { code, message, data, status, applied } = error;
            assert.ok(code !== undefined);
            assert.equal(applied, data.applied);
            return { ok: false, error: { code, message, data: { ...data } }, status };
          }
        },
        close: () => server.stop(),
      };
    },
  };
}
