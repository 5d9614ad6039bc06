/** Suggestions for misspelled names in errors. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from '../../fast-check.js';
import { nearest } from '../../../src/core/names/nearest.js';

const flat = ['list_files', 'read_file', 'edit_file'];
const nested = ['view', 'create', 'str_replace', 'insert', 'delete', 'rename'];

describe('the parameter that was probably meant', () => {
  const cases: readonly (readonly [word: string, known: readonly string[], meant: string | undefined])[] = [
    ['content', ['name', 'edits', 'append'], 'append'],
    ['new_string', ['name', 'edits', 'append'], 'edits'],
    ['old_str', ['name', 'edits', 'append'], 'edits'],
    ['newText', ['line', 'operation', 'content'], 'content'],
    ['insert_text', ['path', 'insert_line', 'new_str'], 'new_str'],
    ['line', ['path', 'insert_line', 'new_str'], 'insert_line'],
    ['file_text', ['path', 'content', 'encoding'], 'content'],
    ['old_string', ['path', 'old_str', 'new_str'], 'old_str'],
    ['oldText', ['old_string', 'new_string', 'replace_all'], 'old_string'],
    ['newText', ['old_string', 'new_string', 'replace_all'], 'new_string'],
    ['file_path', ['path', 'edits'], 'path'],
    ['path', ['old_path', 'new_path'], 'old_path'],
    ['destination', ['old_path', 'new_path'], 'new_path'],
    ['src', ['old_path', 'new_path'], 'old_path'],
    ['dst', ['old_path', 'new_path'], 'new_path'],
    ['body', ['path', 'content', 'encoding'], 'content'],
    ['line_start', ['name', 'start_line', 'end_line'], 'start_line'],
    ['stop_line', ['name', 'start_line', 'end_line'], 'end_line'],
    ['replace', ['old_string', 'new_string', 'replace_all', 'case_insensitive'], 'new_string'],
    ['ignore_case', ['old_string', 'new_string', 'replace_all', 'case_insensitive'], 'case_insensitive'],
    ['all', ['old_string', 'new_string', 'replace_all', 'case_insensitive'], 'replace_all'],
    ['query', ['pattern', 'path', 'limit'], 'pattern'],
    ['directory', ['pattern', 'path', 'limit'], 'path'],
    ['case_sensitive', ['old_string', 'new_string', 'replace_all', 'case_insensitive'], undefined],
  ];
  for (const [word, known, meant] of cases) {
    it(`${word} among ${known.join(', ')} is ${meant ?? 'none of them'}`, () => {
      assert.equal(nearest(word, known), meant);
    });
  }
});

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
    ['find_files', [...nested, 'glob'], 'glob'],
    ['search', [...nested, 'glob', 'grep'], 'grep'],
    ['regex', ['pattern', 'path', 'glob'], 'pattern'],
    ['include', ['pattern', 'path', 'glob'], 'glob'],
    ['case_insensitive', ['pattern', 'ignore_case'], 'ignore_case'],
  ];
  for (const [word, known, meant] of cases) {
    it(`${word} among ${known.join(', ')} is ${meant ?? 'none of them'}`, () => {
      assert.equal(nearest(word, known), meant);
    });
  }
});

describe('a misspelled word', () => {
  /** Optimal string alignment, straight from its definition. */
  function slips(a: string, b: string): number {
    if (a === '' || b === '') return a.length + b.length;
    const same = a.at(-1) === b.at(-1);
    const swapped = a.length > 1 && b.length > 1 && a.at(-1) === b.at(-2) && a.at(-2) === b.at(-1);
    return Math.min(
      slips(a.slice(0, -1), b.slice(0, -1)) + (same ? 0 : 1),
      ...(same ? [] : [slips(a.slice(0, -1), b) + 1, slips(a, b.slice(0, -1)) + 1]),
      ...(swapped ? [slips(a.slice(0, -2), b.slice(0, -2)) + 1] : []),
    );
  }

  it('is matched to the known one with the fewest errors, if at most a third of it is wrong', () => {
    const word = fc.string({ unit: fc.constantFrom('x', 'y', 'z'), minLength: 4, maxLength: 7 });
    fc.assert(
      fc.property(word, fc.array(word, { minLength: 1, maxLength: 4 }), (typed, known) => {
        const isBeginning = (name: string): boolean => typed.startsWith(name) || name.startsWith(typed);
        const fewest = Math.min(...known.map((name) => slips(typed, name)));
        const expected =
          fewest <= Math.floor(typed.length / 3)
            ? known.find((name) => slips(typed, name) === fewest)
            : known.find(isBeginning);
        assert.equal(nearest(typed, known), expected);
      }),
    );
  });
});
