/** Presents several viewed files as one text (spec 17): each under a line with its path, as many as fit. */
import { valueOf } from '../../../call/result-json.js';
import { failure, type Failure, type ForModel, type Success } from '../../../core/errors.js';
import { jsonOf } from '../../../core/json/json-of.js';
import { onOneLine } from '../../../core/names/names-in-messages.js';
import type { Params } from '../../../core/operations.js';
import { noRoomFor, type ViewedFile } from '../../../core/viewed-files.js';
import { lengthOf } from './file-text.js';
import { wholeResult } from './storage.js';
import { fits, type Presentation, type Presented } from './tool.js';
import { headingOfBytes, sentText } from './viewed-text.js';

/** A file of the result. */
interface Viewed {
  readonly file: ViewedFile;
  readonly asked: Pick<Params['view'], 'start_line' | 'end_line'>;
  /** Undefined if there was no room left to read it. */
  readonly told: ForModel | undefined;
}

/** The part of an answer for one file. */
interface Block {
  readonly text: string;
  readonly file: ViewedFile;
  readonly isCut: boolean;
}

/** In code points, and in bytes of the message. */
interface Room {
  readonly characters: number;
  readonly bytes: number;
}

/** Most characters around the lines of a text. */
const besideLines = 400;

export function viewOfSeveral(
  success: Success,
  params: Params['view'],
  presentation: Presentation,
): Presented | Failure {
  const told = success.forModel?.files ?? [];
  const all = filesIn(valueOf(success.result['files'])).map((file, index): Viewed => {
    return { file, asked: params.files?.[index] ?? {}, told: told[index] };
  });
  const whole = blocksOf(all, presentation, false);
  const isWhole = whole.length === all.length && whole.every(({ isCut }) => !isCut);
  const blocks = isWhole ? whole : blocksOf(all, presentation, true);
  const left = all.slice(blocks.length).map(({ file: { path } }) => path);
  const files = [...blocks.map(({ file }) => file), ...left.map((path) => noRoomFor(path))];
  const texts = [...blocks.map(({ text }) => text), ...(left.length === 0 ? [] : [noteOn(left, presentation)])];
  const result = { type: 'files', files, truncated: !isWhole };
  const hashes = files.flatMap(({ hash, path }) => (hash === undefined ? [] : [`Hash: ${hash} ${onOneLine(path)}`]));
  const presented = { ...wholeResult([jsonOf(joined(texts))], { ok: true, result }), hashes: hashes.join('\n') };
  if (fits(presented, presentation)) return presented;
  return failure('too_large', `What there is to tell of ${all.length} files is too long for one answer`, {
    details: 'View fewer files in one call.',
  });
}

function filesIn(value: unknown): readonly ViewedFile[] {
  return Array.isArray(value) ? value.map((file: ViewedFile) => file) : [];
}

/** Joined with an empty line between them. */
function joined(texts: readonly string[]): string {
  return texts.reduce((text, next) => `${text}${text.endsWith('\n') ? '\n' : '\n\n'}${next}`);
}

/** The blocks of the first files, as many as fit. @param namesRest whether to keep room for naming the others */
function blocksOf(all: readonly Viewed[], presentation: Presentation, namesRest: boolean): readonly Block[] {
  const { maxChars, maxBytes } = presentation;
  const blocks: Block[] = [];
  let room: Room = { characters: maxChars === 0 ? Infinity : maxChars, bytes: maxBytes };
  for (const [index, viewed] of all.entries()) {
    const rest = namesRest ? all.slice(index + 1).map(({ file: { path } }) => path) : [];
    const block = blockOf(viewed, less(room, sizeOfRest(rest, presentation)), presentation, blocks.length === 0);
    if (block === undefined) break;
    blocks.push(block);
    const isEnd = block.isCut && block.file.error === undefined;
    if (isEnd) break;
    room = less(room, sizeOf(block, presentation));
  }
  return blocks;
}

/** @returns undefined if it does not fit */
function blockOf(
  { file, asked, told }: Viewed,
  room: Room,
  presentation: Presentation,
  isFirst: boolean,
): Block | undefined {
  if (told === undefined) return undefined;
  const { path, error, content = '', encoding, size = 0 } = file;
  if (error !== undefined) return within(room, failed(file), presentation);
  const headed = (lines: string): string => `==> ${onOneLine(path)}${lines === '' ? '' : ` ${lines}`} <==\n`;
  if (encoding === 'base64') {
    const block = { text: `${headed('')}${headingOfBytes(size)}${content}`, file, isCut: false };
    const isThere = content !== '' && within(room, block, presentation) !== undefined;
    return isThere
      ? block
      : within(room, failed(noRoomFor(path, 'It is not text: view it alone.'), true), presentation);
  }
  if (room.characters < headed('').length + besideLines) return undefined;
  const limits = {
    ...presentation,
    maxChars: room.characters === Infinity ? 0 : room.characters,
    maxBytes: room.bytes,
  };
  const sent = sentText({ ok: true, result: { ...file }, forModel: told }, asked, headed, limits);
  if (sent.isPart && !isFirst) return undefined;
  const text = String(valueOf(Buffer.concat(sent.text.map((part) => Buffer.from(part)))));
  return { text, file: { ...file, ...sent.result, path, content: String(valueOf(sent.content)) }, isCut: sent.isCut };
}

function failed(file: ViewedFile, isCut = false): Block {
  const { path, error } = file;
  const { message = '', details = '' } = error ?? {};
  return { text: `==> ${onOneLine(path)} <==\nError: ${message}\n${details}`, file, isCut };
}

function within(room: Room, block: Block, presentation: Presentation): Block | undefined {
  const { characters, bytes } = sizeOf(block, presentation);
  return characters <= room.characters && bytes <= room.bytes ? block : undefined;
}

function less({ characters, bytes }: Room, taken: Room): Room {
  return { characters: characters - taken.characters, bytes: bytes - taken.bytes };
}

/** Includes the separator from the next block. */
function sizeOf({ text, file }: Pick<Block, 'text' | 'file'>, { textOnly }: Presentation): Room {
  const structured = textOnly ? 0 : Buffer.byteLength(jsonOf(file)) + 1;
  return { characters: lengthOf(text) + 2, bytes: Buffer.byteLength(jsonOf(text)) + structured + 2 };
}

function sizeOfRest(paths: readonly string[], presentation: Presentation): Room {
  if (paths.length === 0) return { characters: 0, bytes: 0 };
  const text = noteOn(paths, presentation);
  const bytes = paths.reduce((sum, path) => sum + sizeOf({ text: '', file: noRoomFor(path) }, presentation).bytes, 0);
  return { characters: lengthOf(text) + 2, bytes: bytes + Buffer.byteLength(jsonOf(text)) };
}

/** Names the files that do not fit; of very many, the first ones. */
function noteOn(paths: readonly string[], { maxChars }: Presentation): string {
  const most = maxChars === 0 ? Infinity : maxChars / 4;
  let length = 0;
  const named = paths.map(onOneLine).filter((name) => (length += name.length + 2) <= most);
  const others = paths.length - named.length;
  const them = [...named, ...(others === 0 ? [] : [`${others} more`])].join(', ');
  return `[There is no room in this answer for ${them}. View ${paths.length === 1 ? 'it' : 'them'} in another call.]`;
}
