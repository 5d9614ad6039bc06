/**
 * The server that a careful person writes in an hour: node:http, fs.promises, JSON.stringify, and files that are synced
 * and renamed into their place. It checks no name, size or UTF-8 and has no lock, so it loses updates. Arguments:
 * directory, port.
 */
import { open, readdir, readFile, rename, stat } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import { join } from 'node:path';

interface Params {
  readonly name: string;
  readonly edits?: readonly { readonly line: number; readonly content: string }[];
  readonly append?: string;
}

const [directory = '.', port] = process.argv.slice(2);

const operations: Readonly<Record<string, (params: Params) => Promise<unknown>>> = {
  '/read_file': async ({ name }) => {
    const content = await readFile(join(directory, name), 'utf8');
    return { content, total_lines: content.split('\n').length };
  },
  '/list_files': async () => {
    const files = await Promise.all((await readdir(directory)).map(describe));
    return { files, total_count: files.length, directory };
  },
  '/edit_file': async ({ name, edits = [], append = '' }) => {
    const lines = (await readFile(join(directory, name), 'utf8')).split('\n');
    for (const { line, content } of edits) lines[line - 1] = content;
    await replace(name, lines.join('\n') + append);
    return { success: true, lines_modified: edits.length };
  },
};

let lastTemporary = 0;

async function replace(name: string, text: string): Promise<void> {
  const temporary = join(directory, `.${name}.${String(++lastTemporary)}`);
  const file = await open(temporary, 'wx');
  await file.writeFile(text);
  await file.sync();
  await file.close();
  await rename(temporary, join(directory, name));
  const folder = await open(directory);
  await folder.sync();
  await folder.close();
}

async function describe(name: string): Promise<unknown> {
  const path = join(directory, name);
  const [{ size, mtime }, text] = await Promise.all([stat(path), readFile(path, 'utf8')]);
  return { name, size, modified: mtime, readable: true, writable: true, lines: text.split('\n').length };
}

async function answer(request: IncomingMessage): Promise<string> {
  const operation = operations[request.url ?? ''];
  if (operation === undefined) return '{}';
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return JSON.stringify(await operation(JSON.parse(Buffer.concat(chunks).toString() || '{}') as Params));
}

const server = createServer((request, response) => {
  answer(request).then(
    (body) => response.writeHead(200, { 'Content-Type': 'application/json' }).end(body),
    () => response.writeHead(500).end(),
  );
});
server.listen(Number(port), '127.0.0.1', () => console.log('ready'));
