import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from '../../fast-check.js';
import { checkFilename } from '../../../src/core/names/filename.js';

type Rule = 'portable' | 'unicode';
const rules: readonly Rule[] = ['portable', 'unicode'];
/** Whether names are judged as on Windows. */
const systems = [false, true];

function accepts(name: string, rule: Rule, onWindows: boolean): boolean {
  return checkFilename(name, rule, onWindows) === null;
}

describe('file names', () => {
  const fineEverywhere = [
    'a',
    'a.txt',
    '.env',
    '..a',
    '-rf',
    '_',
    '0',
    'con1',
    'icon',
    'com0',
    'COM10.txt',
    'a.con',
    'x'.repeat(255),
  ];
  for (const name of fineEverywhere) {
    it(`${name.slice(0, 20)} is accepted under both rules on every platform`, () => {
      for (const rule of rules)
        for (const onWindows of systems) assert.ok(accepts(name, rule, onWindows), `on Windows: ${String(onWindows)}`);
    });
  }

  const fineInUnicode = [
    'é',
    'a b',
    ' a',
    '日本語.txt',
    '😀',
    "it's",
    '$x',
    '%2e%2e',
    '~',
    'a\u2028b',
    'é'.repeat(127),
    'CON€',
  ];
  for (const name of fineInUnicode) {
    it(`${name.slice(0, 20)} is accepted under the unicode rule only`, () => {
      for (const onWindows of systems) {
        assert.ok(accepts(name, 'unicode', onWindows), `on Windows: ${String(onWindows)}`);
        assert.ok(!accepts(name, 'portable', onWindows), `on Windows: ${String(onWindows)}`);
      }
    });
  }

  const refusedEverywhere = [
    '',
    '.',
    '..',
    '.file-editor',
    '.File-Editor',
    '.FILE-EDITOR',
    'a/b',
    'a\\b',
    '/etc/passwd',
    '../a',
    'C:x',
    'a:b',
    'a*',
    'a?',
    'a"',
    'a<',
    'a>',
    'a|',
    'a\0',
    'a\n',
    '\ta',
    'a\x7f',
    'a\x80',
    'a\x9f',
    '\ud800',
    'a\udfff.txt',
    'x'.repeat(256),
    'é'.repeat(128),
    '😀'.repeat(64),
    'x'.repeat(1_000_000),
    // Names that a lenient file system treats as the reserved directory.
    '.file\u200c-editor',
    '\u2060.file-editor',
    '.\ufb01le-editor',
    '.ｆile-editor',
    '.file-editor.',
    '.file-editor ',
  ];
  for (const name of refusedEverywhere) {
    it(`${JSON.stringify(name).slice(0, 40)} is refused under both rules on every platform`, () => {
      for (const rule of rules)
        for (const onWindows of systems) assert.ok(!accepts(name, rule, onWindows), `on Windows: ${String(onWindows)}`);
    });
  }

  const refusedOnWindows = [
    'CON',
    'con',
    'Prn',
    'aux',
    'NUL',
    'nul.txt',
    'nul.tar.gz',
    'COM1',
    'com9.log',
    'LPT1',
    'lpt9.md',
    'a.',
    'a..',
    '...',
    'con.',
    'a. .',
  ];
  const refusedOnWindowsOnly = ['CONIN$', 'conout$.txt', 'COM¹', 'lpt³.txt', 'NUL .txt', 'a ', 'con '];
  for (const name of [...refusedOnWindows, ...refusedOnWindowsOnly]) {
    it(`${JSON.stringify(name)} is refused where Windows could not store it: in portable, and in unicode there`, () => {
      for (const onWindows of systems) {
        assert.ok(!accepts(name, 'portable', onWindows));
        assert.equal(accepts(name, 'unicode', onWindows), !onWindows);
      }
    });
  }

  it('are refused with one message, and details that give the reason and the remedy', () => {
    const refusal = checkFilename('nul.txt', 'portable');
    assert.equal(refusal?.kind, 'invalid_filename');
    assert.equal(refusal.message, 'Invalid filename format');
    assert.match(refusal.details, /^The name is a device name on Windows\. Use /);
    assert.match(
      checkFilename('a/b', 'portable')?.details ?? '',
      /may hold only the characters a-z A-Z 0-9 \. _ -\. Use a plain file name without path separators, .* For files in subdirectories use view/,
    );
    assert.match(checkFilename('a ', 'unicode', true)?.details ?? '', /ends with a dot or a space.*reports it\.$/);
  });

  it('are refused with the flag that would allow them', () => {
    for (const name of [...fineInUnicode, ...refusedOnWindows]) {
      const offered = checkFilename(name, 'portable', false)?.details.includes('--names=unicode');
      assert.equal(offered, true, name);
    }
    for (const name of refusedEverywhere) {
      for (const rule of rules) assert.doesNotMatch(checkFilename(name, rule)?.details ?? '', /--names/, name);
    }
    for (const name of refusedOnWindows) {
      assert.doesNotMatch(checkFilename(name, 'portable', true)?.details ?? '', /--names/, name);
    }
  });

  it('are judged for the platform of this process by default', () => {
    assert.deepEqual(checkFilename('aux', 'unicode'), checkFilename('aux', 'unicode', process.platform === 'win32'));
  });

  it('that are portable match the pattern of the specification, and the unicode rule too', () => {
    const name = fc.string({ unit: fc.constantFrom(...Array.from('aZ09._-cCoOnN1/ é')), maxLength: 8 });
    fc.assert(
      fc.property(name, fc.constantFrom(...systems), (text, onWindows) => {
        if (!accepts(text, 'portable', onWindows)) return;
        assert.match(text, /^[a-zA-Z0-9._-]{1,255}$/);
        assert.ok(accepts(text, 'unicode', onWindows));
      }),
      { numRuns: 5000 },
    );
  });

  it('are judged for any text, and accepted ones can be joined to a directory without leaving it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), fc.constantFrom(...rules), (text, rule) => {
        if (!accepts(text, rule, false)) return;
        assert.ok(text.isWellFormed() && !/[/\\\0]/.test(text) && text !== '.' && text !== '..');
        assert.ok(Buffer.byteLength(text) <= 255);
      }),
      { numRuns: 5000 },
    );
  });
});
