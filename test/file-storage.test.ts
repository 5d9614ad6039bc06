import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { FileContent, FileStorage, StorageError } from '../src/index.js';
import { withDirectory } from './directory.js';
import { startHttpServer } from './fronts/server-process.js';

/** A program's storage: the tools over HTTP. */
function storageAt(url: string): FileStorage {
  const call = async (operation: string, params: object): Promise<unknown> => {
    const headers = { 'Content-Type': 'application/json' };
    const response = await fetch(`${url}/${operation}`, { method: 'POST', headers, body: JSON.stringify(params) });
    const body: unknown = await response.json();
    if (response.ok) return body;
    throw new Refused(body);
  };
  const done = async (operation: string, params: object): Promise<void> => {
    await call(operation, params);
  };
  return {
    view: async (path) => (await call('view', { path })) as FileContent,
    create: (path, content, encoding) => done('create', { path, content, encoding }),
    str_replace: (path, old_str, new_str) => done('str_replace', { path, old_str, new_str }),
    insert: (path, insert_line, new_str) => done('insert', { path, insert_line, new_str }),
    delete: (path) => done('delete', { path }),
    rename: (old_path, new_path) => done('rename', { old_path, new_path }),
  };
}

class Refused extends Error implements StorageError {
  readonly code: StorageError['code'];
  readonly path?: string;

  constructor(body: unknown) {
    const { error } = body as { error: { message: string; data: { reason: StorageError['code']; path?: string } } };
    super(error.message);
    this.code = error.data.reason;
    if (error.data.path !== undefined) this.path = error.data.path;
  }
}

describe('a storage', () => {
  it('is what the library calls one', () =>
    withDirectory({}, async (directory) => {
      const server = await startHttpServer(directory, { toolset: 'storage' });
      const storage = storageAt(server.url);
      await storage.create('notes/a.md', 'one\n');
      await storage.insert('notes/a.md', 2, 'two\n');
      await storage.str_replace('notes/a.md', 'one', 'ONE');
      await storage.rename('notes/a.md', 'b.md');
      assert.deepEqual(await storage.view('b.md'), { type: 'file', content: 'ONE\ntwo\n', encoding: 'utf-8', size: 8 });
      await storage.delete('notes');
      assert.deepEqual(await storage.view(''), { type: 'directory', entries: ['b.md'] });
      const expected: StorageError = { code: 'file_exists', message: 'File already exists: b.md', path: 'b.md' };
      await assert.rejects(storage.create('b.md', '', 'utf-8'), expected);
      assert.equal(await server.stop(), 0);
    }));
});
