/** What can happen to a file during edits. Each case reports the outcome in a few words. */
import {
  appendFileSync,
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { withDirectory } from '../../directory.js';
import { cannotMount, withDisk } from '../../reliability/small-disk.js';
import { withEditor, type Subject } from './subjects.js';

export interface Case {
  readonly name: string;
  /** For servers only: a library does not search for the text to replace. */
  readonly ofServers?: true;
  /** Why it cannot be tried on this machine. */
  readonly missing?: string | false;
  readonly observe: (subject: Subject) => Promise<string>;
}

const name = 'file.txt';
const atOnce = 20;
const original = (index: number): string => `Line ${String(index)} as it was.`;
const edited = (index: number): string => `Line ${String(index)} was edited.`;
const manyLines = Array.from({ length: atOnce }, (_, index) => `${original(index)}\n`).join('');

/** Concurrent edits, each of its own line, by several processes. Counts acknowledged edits that are missing. */
async function lostEdits(subject: Subject, processes: number): Promise<string> {
  return withDirectory({ [name]: manyLines }, async (directory) => {
    const indexes = Array.from({ length: atOnce }, (_, index) => index);
    const shares = Array.from({ length: processes }, (_, own) => indexes.filter((index) => index % processes === own));
    const answers = await Promise.all(
      shares.map((share) =>
        withEditor(subject, directory, async ({ replace }) => {
          // All processes run before the first edit starts.
          await replace(name, 'never there', 'never there');
          return Promise.all(share.map((index) => replace(name, original(index), edited(index))));
        }),
      ),
    );
    const acknowledged = answers.flat().filter((refused) => refused === undefined).length;
    const text = readFileSync(join(directory, name), 'utf8');
    const kept = indexes.filter((index) => text.includes(edited(index))).length;
    return `${String(acknowledged - kept)} of ${String(acknowledged)} lost`;
  });
}

/** Lines that another program appends during continuous edits. */
async function lostAppends(subject: Subject): Promise<string> {
  const lines = 200;
  return withDirectory({ [name]: 'version 0\n' }, (directory) =>
    withEditor(subject, directory, async ({ replace }) => {
      const path = join(directory, name);
      await replace(name, 'never there', 'never there');
      const working = { done: false };
      let edits = 0;
      let refusals = 0;
      const editing = (async () => {
        for (let version = 0; !working.done; edits++) {
          const refused = await replace(name, `version ${String(version)}\n`, `version ${String(version + 1)}\n`);
          if (refused === undefined) version++;
          else refusals++;
        }
      })();
      for (let line = 0; line < lines; line++) {
        await sleep(2);
        appendFileSync(path, `appended ${String(line)}\n`);
      }
      working.done = true;
      await editing;
      const text = readFileSync(path, 'utf8');
      const kept = Array.from({ length: lines }, (_, line) => text.includes(`appended ${String(line)}\n`));
      const lost = kept.filter((there) => !there).length;
      return `${String(lost)} of ${String(lines)} lost, ${String(refusals)} of ${String(edits)} edits refused`;
    }),
  );
}

async function fullDisk(subject: Subject): Promise<string> {
  let seen = '';
  await withDisk(async (disk) => {
    const text = `start\n${'a line of text\n'.repeat(4_000)}`;
    writeFileSync(join(disk, name), text);
    const longer = 'x'.repeat(600_000);
    const refused = await withEditor(subject, disk, ({ replace }) => replace(name, 'start', longer));
    const now = readFileSync(join(disk, name), 'utf8');
    if (now === text) seen = refused === undefined ? 'OK, but not done' : 'refused, file kept';
    else seen = `${refused === undefined ? '“OK”' : 'refused'}, file cut: ${String(now.length)} of 660,001 bytes`;
  });
  return seen;
}

/** Killed repeatedly in the middle of edits; the file is checked each time. */
async function killed(subject: Subject): Promise<string> {
  const rounds = 20;
  const lines = 20_000;
  const versionOf = (version: number): string => `version ${String(version).padStart(8, '0')} `;
  const text = (version: number): string =>
    `${versionOf(version)}\n${'and a line of text that follows it\n'.repeat(lines)}`;
  const { length } = text(0);
  let torn = 0;
  let left = 0;
  for (let round = 0; round < rounds; round++) {
    await withDirectory({ [name]: text(0) }, async (directory) => {
      await withEditor(subject, directory, async ({ replace, pid }) => {
        await replace(name, 'never there', 'never there');
        const working = { done: false };
        const editing = (async () => {
          for (let version = 0; !working.done; version++)
            await replace(name, versionOf(version), versionOf(version + 1));
        })();
        await sleep(30 + round * 7);
        process.kill(pid, 'SIGKILL');
        working.done = true;
        await editing;
      });
      if (statSync(join(directory, name)).size !== length) torn++;
      left += readdirSync(directory).filter((each) => each !== name && each !== '.file-editor').length;
    });
  }
  const beside = left === 0 ? '' : `, ${String(left)} files left beside it`;
  return `${String(torn)} of ${String(rounds)} torn${beside}`;
}

/** Edit a file with this content. @returns its new content, or the reason for a refusal */
async function edit(
  subject: Subject,
  content: string | Uint8Array,
  from: string,
  to: string,
): Promise<{ readonly refused: string | undefined; readonly bytes: Buffer; readonly mode: number }> {
  return withDirectory({ [name]: content }, async (directory) => {
    const path = join(directory, name);
    chmodSync(path, 0o755);
    const refused = await withEditor(subject, directory, ({ replace }) => replace(name, from, to));
    return { refused, bytes: readFileSync(path), mode: statSync(path).mode & 0o777 };
  });
}

async function kept(subject: Subject, before: string, from: string, to: string, after: string): Promise<string> {
  const { refused, bytes } = await edit(subject, before, from, to);
  if (refused !== undefined) return 'refused';
  const text = bytes.toString();
  return text === after ? 'kept' : `changed: ${JSON.stringify(text)}`;
}

export const cases: readonly Case[] = [
  { name: `${String(atOnce)} edits of a file at once, by one process`, observe: (subject) => lostEdits(subject, 1) },
  { name: `${String(atOnce)} edits of a file at once, by two processes`, observe: (subject) => lostEdits(subject, 2) },
  { name: 'lines that another program appends meanwhile', observe: lostAppends },
  { name: 'full disk', missing: cannotMount(), observe: fullDisk },
  { name: 'killed (-9) while it writes, 20 times', observe: killed },
  {
    name: 'mode 755',
    observe: async (subject) => {
      const { mode } = await edit(subject, 'one\ntwo\n', 'one', 'ONE');
      return mode === 0o755 ? 'kept' : `now ${mode.toString(8)}`;
    },
  },
  {
    name: 'line ends of other lines, \\r\\n',
    ofServers: true,
    observe: (subject) => kept(subject, 'one\r\ntwo\r\n', 'one', 'ONE', 'ONE\r\ntwo\r\n'),
  },
  {
    name: "new text with $& and $'",
    ofServers: true,
    observe: (subject) => kept(subject, 'price\ntwo\n', 'price', "$& $' $1", "$& $' $1\ntwo\n"),
  },
  {
    name: 'bytes that are not UTF-8 (Latin-1)',
    ofServers: true,
    observe: async (subject) => {
      const before = Buffer.from('caf\xe9\none\n', 'latin1');
      const { refused, bytes } = await edit(subject, before, 'one', 'ONE');
      if (refused !== undefined) return 'refused';
      return bytes.includes(before.subarray(0, 4)) ? 'kept' : `changed to ${bytes.toString('hex', 3, 6)}`;
    },
  },
  {
    name: 'a text that is there twice',
    ofServers: true,
    observe: async (subject) => {
      const { refused, bytes } = await edit(subject, 'one\none\n', 'one', 'ONE');
      return refused === undefined ? `“OK”: ${JSON.stringify(bytes.toString())}` : 'refused';
    },
  },
  {
    name: 'a link to a file outside',
    ofServers: true,
    observe: (subject) =>
      withDirectory({ 'outside.txt': 'one\n' }, async (parent) => {
        const directory = join(parent, 'inside');
        mkdirSync(directory);
        symlinkSync('../outside.txt', join(directory, name));
        const refused = await withEditor(subject, directory, ({ replace }) => replace(name, 'one', 'ONE'));
        const outside = readFileSync(join(parent, 'outside.txt'), 'utf8');
        if (outside !== 'one\n') return 'written outside';
        if (!lstatSync(join(directory, name)).isSymbolicLink()) return 'link replaced';
        return refused === undefined ? '“OK”, nothing done' : 'refused';
      }),
  },
];
