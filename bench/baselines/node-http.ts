/**
 * The server a careful developer writes in an hour: node:http, fs.promises, JSON.stringify. Where in doubt it takes the
 * faster variant: it collects bodies by events instead of an async iterator, and neither counts lines nor checks names,
 * sizes or UTF-8. Its edits keep the same promise as this server (temporary file, fsync, rename, fsync of the
 * directory), but it locks nothing. Arguments: directory, port.
 */
import { open, readFile, rename } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import { join } from 'node:path';

const [directory = '.', port] = process.argv.slice(2);

async function readOperation(body: string): Promise<string> {
  const { name } = JSON.parse(body) as { readonly name: string };
  return JSON.stringify({ content: await readFile(join(directory, name), 'utf8') });
}

interface Edit {
  readonly name: string;
  readonly edits?: readonly { readonly line: number; readonly content: string }[];
  readonly append?: string;
}

async function editOperation(body: string): Promise<string> {
  const { name, edits = [], append = '' } = JSON.parse(body) as Edit;
  const path = join(directory, name);
  const temporary = `${path}.tmp`;
  const lines = (await readFile(path, 'utf8')).split('\n');
  for (const { line, content } of edits) lines[line - 1] = content;
  const file = await open(temporary, 'wx', 0o600);
  await file.writeFile(lines.join('\n') + append);
  await file.sync();
  await file.close();
  await rename(temporary, path);
  const folder = await open(directory);
  await folder.sync();
  await folder.close();
  return JSON.stringify({ success: true });
}

function bodyOf(request: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    request
      .on('data', (chunk: Buffer) => chunks.push(chunk))
      .on('end', () => resolve(Buffer.concat(chunks).toString()))
      .on('error', reject);
  });
}

async function answer(request: IncomingMessage): Promise<string> {
  const body = await bodyOf(request);
  if (request.url === '/read_file') return readOperation(body);
  return request.url === '/edit_file' ? editOperation(body) : '{}';
}

const server = createServer((request, response) => {
  answer(request).then(
    (body) => response.writeHead(200, { 'Content-Type': 'application/json' }).end(body),
    () => response.writeHead(500).end(),
  );
});
server.listen(Number(port), '127.0.0.1', () => console.log('ready'));
