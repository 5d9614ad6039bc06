import assert from 'node:assert/strict';
import { sourceOf } from '../../../workers/text/chunks.js';
import { select, type Selection } from '../../../workers/text/lines/selection.js';

/** Reads a selection of lines like a read of a file. */
export function selectLines(bytes: Buffer, startLine?: number, endLine?: number): Selection {
  const wanted = { startLine, endLine, check: () => undefined, tail: () => '"}' };
  return select(sourceOf(bytes), bytes.length, wanted);
}

export function contentOf({ json, content }: Selection): string {
  const answer = JSON.parse(json.toString()) as { content: string };
  assert.ok(JSON.parse(content.toString()) === answer.content, 'the content is not that of the answer');
  return answer.content;
}

export function readText(text: string, startLine?: number, endLine?: number): { content: string; totalLines: number } {
  const selection = selectLines(Buffer.from(text), startLine, endLine);
  return { content: contentOf(selection), totalLines: selection.facts.totalLines };
}
