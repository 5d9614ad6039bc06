/** The name that was probably meant, for errors that teach. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nearest } from '../src/nearest.js';

const flat = ['list_files', 'read_file', 'edit_file'];
const nested = ['view', 'create', 'str_replace', 'insert', 'delete', 'rename'];

describe('the tool that was probably meant', () => {
  const cases: readonly (readonly [word: string, known: readonly string[], meant: string | undefined])[] = [
    ['readFile', flat, 'read_file'],
    ['view', flat, 'read_file'],
    ['cat', flat, 'read_file'],
    ['ls', flat, 'list_files'],
    ['list_directory', flat, 'list_files'],
    ['create_file', flat, 'edit_file'],
    ['write_file', flat, 'edit_file'],
    ['str_replace', flat, 'edit_file'],
    ['delete_file', flat, undefined],
    ['view', nested, 'view'],
    ['create_file', nested, 'create'],
    ['strReplace', nested, 'str_replace'],
  ];
  for (const [word, known, meant] of cases) {
    it(`${word} among ${known.join(', ')} is ${meant ?? 'none of them'}`, () => {
      assert.equal(nearest(word, known), meant);
    });
  }
});
