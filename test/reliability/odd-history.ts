import { execFileSync } from 'node:child_process';
import type { Random } from './random.js';

/** The model of a file in the odd history. */
interface Kind {
  readonly separators: readonly string[];
  readonly lines: number;
  readonly mark?: string;
}

const kinds: Readonly<Record<string, Kind>> = {
  'lf.txt': { separators: ['\n'], lines: 40 },
  'src/crlf.txt': { separators: ['\r\n'], lines: 40 },
  'src/cr only.txt': { separators: ['\r'], lines: 12 },
  'src/mixed.md': { separators: ['\n', '\n', '\r\n', '\r'], lines: 30 },
  'src/Mixed.md': { separators: ['\n', '\r\n'], lines: 30 },
  'deep/er/é "quoted" name.txt': { separators: ['\n'], lines: 10 },
  'marked.txt': { separators: ['\n'], lines: 20, mark: '\uFEFF' },
  'con.txt': { separators: ['\n'], lines: 5 },
  'huge.txt': { separators: ['\n'], lines: 6000 },
};
const commits = 120;

interface File {
  /** Text and separator of each line. */
  lines: string[];
  ended: boolean;
  mark: string;
}

/** Create a git repository in `directory` with commits full of rare changes, within a few seconds. */
export function makeOddHistory(directory: string, random: Random): void {
  const files = new Map<string, File>();
  const stream: Buffer[] = [];
  for (let number = 1; number <= commits; number++) {
    stream.push(Buffer.from(`commit refs/heads/main\ncommitter T <t@example.invalid> ${String(number)} +0000\n`));
    stream.push(data(Buffer.from(`change ${String(number)}`)));
    for (const [path, kind] of Object.entries(kinds)) {
      if (number === 1 || random.between(0, path === 'huge.txt' ? 9 : 2) === 0) {
        stream.push(...changed(path, kind, files, random));
      }
    }
    stream.push(...special(number));
  }
  const git = (args: readonly string[], input?: Buffer): void => {
    execFileSync('git', ['-C', directory, ...args], { input, stdio: ['pipe', 'ignore', 'inherit'] });
  };
  git(['init', '--quiet', '--initial-branch=main']);
  git(['fast-import', '--quiet'], Buffer.concat(stream));
}

function changed(path: string, kind: Kind, files: Map<string, File>, random: Random): Buffer[] {
  const file = files.get(path);
  if (file !== undefined && random.between(0, 15) === 0) {
    files.delete(path);
    return [Buffer.from(`D ${quoted(path)}\n`)];
  }
  const next = file === undefined ? newFile(kind, random) : edited(file, kind, random);
  files.set(path, next);
  const text = next.mark + next.lines.join('');
  return [modify(path, Buffer.from(next.ended ? text : text.replace(/(\r\n|\n|\r)$/, '')))];
}

const newLine = ({ separators }: Kind, random: Random): string =>
  random.pick([
    '',
    'a',
    'b',
    '}',
    '\tindented',
    'é漢😀',
    '\u2028\u0085',
    'with \0',
    '@@ -1 +1 @@',
    '-- x',
    '\\ No newline',
  ]) +
  String(random.between(0, 3)) +
  random.pick(separators);

function newFile(kind: Kind, random: Random): File {
  const lines = Array.from({ length: random.between(0, kind.lines) }, () => newLine(kind, random));
  return { lines, ended: random.between(0, 3) > 0, mark: kind.mark ?? '' };
}

/**
 * Some runs of lines are replaced or rewritten; rarely, the final separator, the byte order mark or all separators
 * change.
 */
function edited(file: File, kind: Kind, random: Random): File {
  const lines = [...file.lines];
  const usual = { ...kind, separators: kind.separators.slice(0, 1) };
  const largest = Math.ceil(kind.lines / random.pick([1, 4, 10]));
  for (let count = random.between(1, 4); count > 0; count--) {
    const at = random.between(0, lines.length);
    const length = random.between(0, largest);
    if (random.between(0, 1) === 0) {
      const added = Array.from({ length: random.between(0, largest) }, () => newLine(usual, random));
      lines.splice(at, length, ...added);
    } else {
      for (let i = at; i < Math.min(at + length, lines.length); i++) lines[i] = `rewritten ${lines[i] ?? ''}`;
    }
  }
  if (random.between(0, 20) === 0) lines.splice(0);
  const [separator = '\n'] = kind.separators;
  const other = random.between(0, 15) === 0 ? (separator === '\n' ? '\r\n' : '\n') : undefined;
  return {
    lines: other === undefined ? lines : lines.map((line) => line.replace(/(\r\n|\n|\r)$/, other)),
    ended: random.between(0, 9) === 0 ? !file.ended : file.ended,
    mark: kind.mark !== undefined && random.between(0, 9) === 0 ? (file.mark === '' ? kind.mark : '') : file.mark,
  };
}

/** Non-text, overlong and non-file entries, and more changed lines than a call may have edits. */
function special(number: number): Buffer[] {
  const entries = [modify('number.txt', Buffer.from(`${String(number)}\n`))];
  for (const [i, text] of ['\uFEFFa\nb\n', 'a\nb\n', 'a\r\nb\r\n', 'a\r\nb'].entries()) {
    if (number === 10 + i) entries.push(modify('only separators.txt', Buffer.from(text)));
  }
  if (number % 40 === 9) entries.push(modify('rewritten.txt', Buffer.from(numbered(2500, number))));
  if (number % 20 === 1) entries.push(modify('binary.dat', Buffer.from([0, 255, number, 10, 254])));
  if (number % 20 === 2) entries.push(modify('latin1.txt', Buffer.from(`caf\xe9 ${String(number)}\n`, 'latin1')));
  if (number % 40 === 3) entries.push(modify('long.txt', Buffer.alloc(1_100_000, `${String(number)} long\n`)));
  if (number % 40 === 4) entries.push(modify('link', Buffer.from(`lf.txt.${String(number)}`), '120000'));
  if (number % 40 === 5) entries.push(modify('link', Buffer.from('now a file\n')));
  if (number % 10 === 6) entries.push(modify('empty.txt', Buffer.alloc(0)));
  if (number % 10 === 7) entries.push(modify('empty.txt', Buffer.from('not empty\n')));
  if (number % 10 === 8) entries.push(Buffer.from('R empty.txt renamed.txt\n'));
  return entries;
}

const numbered = (count: number, number: number): string =>
  Array.from({ length: count + number }, (_, i) => `${String(i * number)}\n`).join('');

function modify(path: string, bytes: Buffer, mode = '100644'): Buffer {
  return Buffer.concat([Buffer.from(`M ${mode} inline ${quoted(path)}\n`), data(bytes)]);
}

const data = (bytes: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`data ${String(bytes.length)}\n`), bytes, Buffer.from('\n')]);

const quoted = (path: string): string => (/["\\]/.test(path) ? `"${path.replace(/["\\]/g, '\\$&')}"` : path);
