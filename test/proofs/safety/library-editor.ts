/**
 * A program that writes files through a library: read, replace a text, write. Argument: the library. Each JSON-RPC
 * message on a line of stdin is an edit (`path`, and `changes` with `from` and `to`), answered by a line on stdout.
 * Edits of one file are not serialized here, since that is what the comparison tests.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { writeFile as atomically } from 'atomically';
import writeFileAtomic from 'write-file-atomic';

interface Message {
  readonly id: number;
  readonly params: {
    readonly path: string;
    readonly changes: readonly { readonly from: string; readonly to: string }[];
  };
}

type Write = (path: string, text: string) => Promise<void>;

const libraries: Readonly<Record<string, Write>> = {
  'fs.writeFile': (path, text) => writeFile(path, text),
  'write-file-atomic': (path, text) => writeFileAtomic(path, text),
  atomically: (path, text) => atomically(path, text),
};

const write = libraries[process.argv[2] ?? ''];
if (write === undefined) throw new Error('unknown library');

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, params } = JSON.parse(line) as Message;
  edit(params).then(
    () => console.log(JSON.stringify({ jsonrpc: '2.0', id, result: {} })),
    (error: unknown) => console.log(JSON.stringify({ jsonrpc: '2.0', id, error: { code: 1, message: String(error) } })),
  );
});

async function edit({ path, changes }: Message['params']): Promise<void> {
  const text = await readFile(path, 'utf8');
  await write?.(
    path,
    changes.reduce((changed, { from, to }) => changed.replace(from, () => to), text),
  );
}
