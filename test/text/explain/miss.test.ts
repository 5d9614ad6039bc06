import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from '../../fast-check.js';
import type { TextEdit } from '../../../src/core/operations.js';
import { applyReplacements } from '../../../workers/text/edit/replacements.js';
import { refusal } from '../edit/specify.js';

/** The explanation for an agent, without `Edit 1 of 1 failed: String not found: "…". `. */
function explained(old: string, old_string: string, more: Partial<TextEdit> = {}): string {
  const { message } = refusal(() => applyReplacements(Buffer.from(old), [{ old_string, new_string: '', ...more }]));
  const echoed = /^Edit 1 of 1 failed: String not found: "(?:[^"\\]|\\.)*"…?\. /;
  assert.match(message, echoed);
  return message.replace(echoed, '');
}

const send = 'Send old_string exactly as it is in the file';
/** Escapes invisible and ambiguous characters as JSON does. */
const given = (text: string): string =>
  `${send}: ${JSON.stringify(text).replaceAll(/[\u00a0\u0301\u200b\u2028\u3000\ufeff]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)}.`;

describe('text with only inconspicuous differences is found, and the difference named', () => {
  for (const [name, old, wanted, line, difference, found] of [
    ['a tab', 'x\n\tfoo();\n', 'x\n    foo();', 1, 'indentation', 'x\n\tfoo();'],
    ['depth', 'if (a) {\n    b();\n}\n', 'if (a) {\n  b();\n}', 1, 'indentation', 'if (a) {\n    b();\n}'],
    ['blanks within a line', 'a\nfoo  = bar\n', 'foo = bar', 2, 'tabs or spaces within the lines', 'foo  = bar'],
    ['blanks that are not there', 'foo(a, b)\n', 'foo( a, b )', 1, 'spaces within the lines', 'foo(a, b)'],
    ['trailing blanks', 'foo  \nbar\n', 'foo\nbar', 1, 'trailing white space', 'foo  \nbar'],
    ['trailing blanks that are sent', 'foo\nbar\n', 'foo \nbar', 1, 'trailing white space', 'foo\nbar'],
    ['a no-break space', 'foo\u00a0bar\n', 'foo bar', 1, 'kinds of spaces', 'foo\u00a0bar'],
    ['wide spaces', '\u3000\u3000名前 は\n', '  名前 は', 1, 'kinds of spaces', '\u3000\u3000名前 は'],
    ['no-break spaces in front', '\u00a0\u00a0名前\n', '  名前', 1, 'kinds of spaces', '\u00a0\u00a0名前'],
    [
      'no-break spaces among others',
      '  \u00a0foo\n  \u00a0bar\n',
      '    foo\n',
      1,
      'kinds of spaces and indentation',
      '  \u00a0foo\n',
    ],
    ['a vertical tab', 'foo\vbar\n', 'foo bar', 1, 'kinds of spaces', 'foo\vbar'],
    ['a line separator of Unicode, which ends no line', 'a\u2028b\n', 'a b', 1, 'kinds of spaces', 'a\u2028b'],
    ['a zero width space', 'foo\u200bbar\n', 'foobar', 1, 'invisible characters', 'foo\u200bbar'],
    ['smart quotes', 'say “hello”\n', 'say "hello"', 1, 'smart quotes', 'say “hello”'],
    ['dashes', 'one – two\n', 'one - two', 1, 'dashes', 'one – two'],
    [
      'normalization',
      'cafe\u0301 au lait\n',
      'café au lait',
      1,
      'Unicode normalization (NFC or NFD)',
      'cafe\u0301 au lait',
    ],
    [
      'normalization of the last character, whose accent belongs to it',
      'cafe\u0301\n',
      'café',
      1,
      'Unicode normalization (NFC or NFD)',
      'cafe\u0301',
    ],
    [
      'an accent on the last character',
      'cafe\u0301\n',
      'Cafe',
      1,
      'upper and lower case and accents or compatibility forms',
      'cafe\u0301',
    ],
    ['line endings that are mixed', 'a\r\nb\nc\n', 'a\r\nb\r\nc', 1, 'line endings', 'a\r\nb\nc'],
    ['blank lines', 'foo\n\nbar\n', 'foo\nbar', 1, 'blank lines', 'foo\n\nbar'],
    ['blank lines that only the string has at its end', 'foo\nbar\n', 'bar\n\n', 2, 'blank lines', 'bar\n'],
    ['or at its beginning', '// foo\r\nbar\r\n', '\n\n// foo\r\n', 1, 'blank lines', '// foo\r\n'],
    ['a line, not a word within one', 'foo bar\n    bar\n', '\n\tbar\n', 1, 'indentation', '\n    bar\n'],
    [
      'no more blank lines in front than there are',
      'a \n\t\n  foo\n',
      '\t\n\n  foo\n',
      2,
      'blank lines',
      '\t\n  foo\n',
    ],
    ['nor more after it', 'foo\n\t\n', 'foo\n\n\t', 1, 'blank lines', 'foo\n\t'],
    ['nor the indentation of the next line', 'foo \n\tbar\n', 'foo\n\n  ', 1, 'line breaks', 'foo '],
    [
      'nothing about a byte order mark that both have',
      '\ufefffoo\n\nbar\n',
      '\ufefffoo\nbar',
      1,
      'blank lines',
      '\ufefffoo\n\nbar',
    ],
  ] as const) {
    it(name, () => {
      assert.equal(
        explained(old, wanted),
        `old_string differs from the text at line ${line} only in ${difference}. ${given(found)}`,
      );
    });
  }

  it('case, which the edit can also ignore', () => {
    assert.equal(
      explained('const Foo = 1;\n', 'const foo = 1;'),
      `old_string differs from the text at line 1 only in upper and lower case. ${given('const Foo = 1;')} Or set case_insensitive to true.`,
    );
  });

  it('line endings, which the new text should keep', () => {
    for (const [separator, other] of [
      ['\r\n', '\n'],
      ['\n', '\r\n'],
      ['\r', '\n'],
    ] as const) {
      const written = JSON.stringify(separator).slice(1, -1);
      assert.equal(
        explained(`x${separator}foo${separator}bar${separator}`, `foo${other}bar`),
        `old_string differs from the text at line 2 only in line endings. Use ${written} for every line ending in old_string, and in new_string to keep the file's line endings.`,
      );
    }
  });

  it('several of these at once', () => {
    assert.equal(
      explained('\t“foo”\r\n', '  "foo"\n'),
      `old_string differs from the text at line 1 only in smart quotes, line endings and indentation. ${given('\t“foo”\r\n')} Use \\r\\n for every line ending in new_string too.`,
    );
  });

  it('a lookalike character', () => {
    assert.match(explained('size 5 Å', 'size 5 \u212b'), /normalization.*: "size 5 \\u00c5"\.$/);
  });

  it('but not in the middle of a word', () => {
    assert.match(explained('the tab\n', 'a b'), /^The text is not in this file/);
    assert.match(
      explained('a ab\n', 'a b'),
      /^old_string differs from the text at line 1 only in spaces within the lines/,
    );
  });

  it('case is no difference where it does not matter', () => {
    assert.match(
      explained('FOO  BAR\n', 'foo bar', { case_insensitive: true }),
      /only in tabs or spaces within the lines\./,
    );
  });
});

describe('a suggested text begins and ends where the sought text does', () => {
  for (const [name, old, wanted, found] of [
    ['before the indentation of the next line', 'def f():\n    x = 1 \n    return x\n', '    x = 1\n', '    x = 1 \n'],
    ['before a tab of the next line', '\tfoo\n\tbar\n', '    foo\n', '\tfoo\n'],
    ['after the blanks of the line before', 'a  \n\tfoo\n', '\n    foo', '\n\tfoo'],
    ['after a byte order mark', '\ufeff\tfoo\n', '    foo\n', '\tfoo\n'],
    ['before blank lines of the file', 'a\n\tfoo\n\n\nb\n', '    foo\n', '\tfoo\n'],
    ['after blank lines of the file', 'a\n\n \n\tfoo\n', '\n    foo\n', '\n\tfoo\n'],
    ['with as many blank lines as the text has', 'a\n\n\n\tfoo\n \n\nb\n', '\n\n    foo\n\n', '\n\n\tfoo\n \n'],
    ['without the indentation that it leaves out', '    Foo\n    bar\n', 'foo\n    bar', 'Foo\n    bar'],
    ['with the indentation of its last line', 'a\n\tFoo\n\tbar\n', '\tfoo\n    ', '\tFoo\n\t'],
  ] as const) {
    it(name, () => {
      assert.equal(givenText(explained(old, wanted)), found);
    });
  }
});

describe('misread text is found as it was meant, and suggested', () => {
  for (const [name, old, wanted, told] of [
    [
      'escaped twice',
      'foo\nbar\n',
      'foo\\nbar',
      /^old_string has one level of escaping too many: .* line 1\..*: "foo\\nbar"\.$/,
    ],
    ['not escaped enough', 'x = "a\\nb"\n', 'x = "a\nb"', /^The file has backslash sequences where .* line 1\./],
    [
      'with the line numbers of a viewer',
      'a\nfoo\nbar\n',
      '     2\tfoo\n     3\tbar',
      /^old_string prefixes its lines with line numbers .* at line 2\..*: "foo\\nbar"\.$/,
    ],
    ['as HTML', 'if (a < b && c)\n', 'if (a &lt; b &amp;&amp; c)', /^old_string has HTML entities .* line 1\./],
    ['as a regular expression', 'foo(bar)\n', 'foo\\(bar\\)', /^old_string is taken literally, .* at line 1\./],
    ['in a fence', 'a\nfoo\n', '```js\nfoo\n```', /^old_string is wrapped in a ``` fence .* at line 2\..*: "foo"\.$/],
    [
      'with other line endings alone',
      'a();\r\n\r\n\r\nb();\r\n',
      '\n\n\n',
      /^The line endings .*: "\\r\\n\\r\\n\\r\\n"\.$/,
    ],
    ['with a lone CR alone', 'a\rb', '\n', /^The line endings .*: "\\r"\.$/],
    ['with double quotes', "f('a')\n", 'f("a")', /^The file has single quotes where old_string has double ones/],
    ['with single quotes', 'a"b\n', "a'b", /^The file has double quotes where old_string has single ones/],
    ['without entities', 'if (a &amp;&amp; b)\n', 'if (a && b)', /^The file has HTML entities where/],
    ['without escapes of quotes', String.raw`say \"hi\"`, 'say "hi"', /^The file has more backslashes than old_string/],
    [
      'with halved backslashes',
      String.raw`"C:\\dir\\x"`,
      String.raw`"C:\dir\x"`,
      /^The file has more backslashes than/,
    ],
    ['with letters for escapes', String.raw`caf\u00e9`, 'café', /^The file has escapes such as/],
    ['with escapes for letters', 'café', String.raw`caf\u00e9`, /^old_string has one level of escaping too many/],
  ] as const) {
    it(name, () => assert.match(explained(old, wanted), told));
  }
});

describe('suggested text matches once, or is said to match more than once', () => {
  const several =
    /, and from another place, .* ".*" occurs at lines \d, \d: send it with more of the surrounding text to select one/;

  it('if white space after them distinguishes the places', () => {
    const old = 'x\u00a0y\n- item two\nx\u00a0y\n    }\n';
    assert.match(explained(old, 'X\u00a0Y\n'), several);
    assert.match(explained('if\n    }\nif\n\n    }\n', '    }\n\n'), several);
  });

  it('if the places overlap', () => {
    assert.match(explained('aaa', 'AA'), /"aa" occurs more than once at line 1: send it with more/);
  });

  it('if a string was misread', () => {
    for (const wanted of ["foo = 'a'", String.raw`foo = \"a\"`]) {
      assert.match(
        explained('foo = "a"\nbar\nfoo = "a"\n', wanted),
        /at lines 1, 3: send it with more of the surrounding text/,
      );
      assert.doesNotMatch(explained('foo = "a"\nbar\n', wanted), /with more/);
    }
  });

  it('if only the line endings differ', () => {
    assert.match(
      explained('a\r\nb\r\na\r\nb\r\n', 'a\nb'),
      /Use \\r\\n .* The text occurs at lines 1, 3: send it with more of/,
    );
  });

  it('unless every place was meant', () => {
    const all = { replace_all: true };
    assert.doesNotMatch(explained('foo = "a"\nfoo = "a"\n', "foo = 'a'", all), /with more/);
    assert.match(
      explained('foo\nfoo\n', 'FOO', all),
      /, and from another place, .* Or set case_insensitive to true\.$/,
    );
  });

  it('and other places are named only if they differ in the same way', () => {
    assert.match(
      explained('Hello world\nhello  world\n', 'hello world'),
      /^old_string differs from the text at line 1 only in upper/,
    );
    assert.match(
      explained('Hello you\nHELLO you\nHellO you\n', 'hello you'),
      /^old_string differs from the text at line 1, and from other places, only/,
    );
  });

  it('and case_insensitive is named only if it would suffice', () => {
    assert.doesNotMatch(explained('Hello you\nHELLO you\n', 'hello you'), /case_insensitive/);
    const many = `Hello you\n${'hello  you\n'.repeat(9)}HELLO you\n`;
    assert.doesNotMatch(explained(many, 'hello you'), /case_insensitive/);
    assert.match(explained(many, 'hello you', { replace_all: true }), /Or set case_insensitive to true\.$/);
    // Their lower case is equal, but the flags `iu` do not equate them.
    assert.doesNotMatch(explained('\u0130x\n', 'i\u0307x'), /case_insensitive/);
  });
});

describe('for a long text with only inconspicuous differences, the first differing line is reported', () => {
  const lines = Array.from({ length: 60 }, (_, index) => `  return this.field_${String(index)};\n`);

  it('with its number', () => {
    const old = `head\n${lines.join('').replace('  return this.field_30', '\treturn this.field_30')}`;
    assert.equal(
      explained(old, lines.join('')),
      `old_string differs from the text at line 2 only in indentation, first at line 32: "\\treturn this.field_30;\\n". ${send}.`,
    );
  });
});

describe('after other edits of the same request', () => {
  const message = (old: string, ...edits: readonly (readonly [string, string])[]): string =>
    refusal(() =>
      applyReplacements(
        Buffer.from(old),
        edits.map(([old_string, new_string]) => ({ old_string, new_string })),
      ),
    ).message;
  const counted = /Line numbers refer to the text after the preceding edits\./;

  it('lines are numbered in the text those edits left, and the message says so', () => {
    const nearest = message('alpha beta gamma\nz\n', ['alpha', 'one\ntwo\nalpha'], ['beta gamme', 'q']);
    assert.match(nearest, /nearest text is at line 3/);
    assert.match(nearest, counted);
    const several = message('a\nb\nX\nc\nX\n', ['a', '1\n2\n3'], ['X', 'b']);
    assert.match(several, /Found 2 matches at lines 5, 7\. Line numbers refer/);
    assert.doesNotMatch(message('X\nX\n', ['X', 'b']), counted);
    assert.match(
      message('abc\ndef\n', ['abc\ndef\n', ''], ['ghi', 'q']),
      /The preceding edits removed all the text\.$/,
    );
  });

  it('another order is advised only if it helps', () => {
    assert.match(message('abc def\n', ['abc', 'xyz'], ['abc def', 'q']), /or make the changes in one edit\.$/);
    assert.match(message('abc def\n', ['abc', 'xyz'], ['abc', 'q']), /or make the changes in one edit\.$/);
    const all = { old_string: 'a', new_string: 'b', replace_all: true };
    const edits = [all, { old_string: 'x a y', new_string: 'z' }];
    const { message: told } = refusal(() => applyReplacements(Buffer.from('a\nx a y\n'), edits));
    assert.match(told, /or put this edit first\.$/);
  });

  it('but not if the other edit would then miss', () => {
    const told = (old: string, ...pairs: readonly (readonly [string, string])[]): string => {
      const edits = pairs.map(([old_string, new_string]) => ({ old_string, new_string }));
      return refusal(() => applyReplacements(Buffer.from(old), edits, true)).message;
    };
    const together = /edit 1 of .* or make the changes in one edit\.$/;
    const [one, other] = [['const a = 1', 'const a = 2'] as const, ['a = 1;', 'b = 1;'] as const];
    assert.match(told('const a = 1;\n', one, other), together);
    assert.match(told('const a = 1;\n', other, one), together);
    assert.match(told('x a y\nx a y\n', ['a', 'b'], ['x a y', 'z']), together);
    assert.match(told('a\nx a y\nx a y\n', ['a', 'b'], ['x a y', 'z']), /edit 1 of .* or put this edit first\.$/);
  });

  it('nor if this edit would then match more than once', () => {
    const all = { old_string: 'a', new_string: 'b', replace_all: true };
    const edits = [all, { old_string: 'x a y', new_string: 'z' }];
    const { message: told } = refusal(() => applyReplacements(Buffer.from('a\nx a y\nx a y\n'), edits));
    assert.match(told, /or make the changes in one edit\.$/);
  });

  it('text inserted by them is no sign that this edit was made before', () => {
    assert.doesNotMatch(
      message('alpha beta\n', ['beta', 'gamma'], ['alpha delta', 'alpha gamma']),
      /may have been made/,
    );
  });
});

describe('otherwise the nearest lines are reported', () => {
  const old = 'function alpha() {\n  return first;\n}\n\nfunction beta() {\n  return second;\n}\n';

  it('as they are in the file', () => {
    assert.equal(
      explained(old, 'function alpha(x) {'),
      `The nearest text is at line 1: "function alpha() {". Also similar: line 5 ("function beta() {"). ${send}.`,
    );
  });

  it('with the line of a block where the difference begins', () => {
    assert.match(
      explained(old, 'function beta() {\n  return 2;\n}'),
      /^The nearest text is at lines 5-7, differing from line 6 onward: "function beta\(\) \{\\n {2}return second;\\n\}"\./,
    );
  });

  it('without what the string leaves out at its edges: sent back as quoted, it joins no lines', () => {
    assert.equal(
      explained('Hello World\nBye\n', 'Hello Wrld'),
      `The nearest text is at line 1: "Hello World". ${send}.`,
    );
    assert.equal(explained('  Hello World\n', 'Hello Wrld'), `The nearest text is at line 1: "Hello World". ${send}.`);
    assert.match(explained('  Hello World\n', '  Hello Wrld\n'), /: " {2}Hello World\\n"\./);
  });

  it('and which letters only look the same', () => {
    assert.match(explained('p\u0430ssword = 1\n', 'password = 1'), /at line 1: "p\\u0430ssword = 1"\./);
  });

  it('up to the end of the file if more was sought', () => {
    for (const wanted of ['// Says hello.\nfunction alpha() {\n', 'function alpha() {\n}\nend']) {
      assert.match(
        explained('function alpha() {\n}\n', wanted),
        /^The nearest text is at lines? 1(-2)?: "function alpha\(\) \{\\n/,
      );
    }
  });

  it('and of many lines, those around the first difference', () => {
    const lines = Array.from({ length: 90 }, (_, index) => `${String(index)} ${'x'.repeat(100)}\n`);
    const told = explained(lines.join(''), lines.map((line) => line.replace('70 x', '70 why x')).join(''));
    assert.ok(told.length < 1_300, told);
    assert.match(told, /^The nearest text is at lines 1-90, differing from line 71 onward: …".*\\n70 x/);
  });

  it('and that a pattern is taken literally', () => {
    assert.match(explained(old, 'function alpha.*{'), / old_string is taken literally, not as a regular expression\.$/);
  });

  for (const [there, wanted] of [
    ['x = 1', 'x = 2'],
    ['a: 1', 'a: 2'],
    ['let i;', 'let j;'],
    ['b = 2 # comment', 'b = 3'],
    ['"c":true', '"c":false'],
    // Its halves are not valid text: Node 24 aborts the process when it makes a Buffer of one.
    ['a = 😀', 'a = 😁'],
  ] as const) {
    it(`even a short one: ${there} for ${wanted}`, () => {
      assert.equal(
        explained(`first\n${there}\nlast\n`, wanted),
        `The nearest text is at line 2: ${JSON.stringify(there)}. ${send}.`,
      );
    });
  }

  it('by a shorter line if nothing resembles the longest', () => {
    assert.match(
      explained('a\nb\nthe end\n', 'something else\nthe end'),
      /^The nearest text is at lines 2-3: "b\\nthe end"\. /,
    );
  });

  it('once each', () => {
    const told = explained('foo(bar);\nfoo(bar);\n', 'foo(baz);\nfoo(bat);');
    assert.match(told, /^The nearest text is at lines 1-2: /);
    assert.doesNotMatch(told, /Also similar/);
  });

  it('or that there are none', () => {
    assert.equal(
      explained(old, 'zzzzzz'),
      'The text is not in this file, and no line resembles it: make sure that this is the right file.',
    );
    assert.equal(explained('', 'a'), 'The file is empty.');
  });

  it('comparing only the beginning of a large file', () => {
    const large = `${'x\n'.repeat(2 ** 23)}function gamma() {\n`;
    assert.match(
      explained(large, 'function gamma(x) {'),
      /^The text is not in this file, and no line of its first 16 MB, .* resembles it\.$/,
    );
  });

  it('and of a long line the part around the difference, with cuts marked outside the quotes', () => {
    const line = `${'x'.repeat(5_000)}abc${'y'.repeat(5_000)}`;
    const told = explained(`${line}\n`, line.replace('abc', 'abd'));
    assert.ok(told.length < 1_200, told);
    assert.match(told, /…"x+abcy+"…/);
    const within = explained(`${'- '.repeat(800)}${'x'.repeat(80)}abc${'y'.repeat(900)}\n`, `${'x'.repeat(80)}abd`);
    assert.match(within, /…"[x -]+abcy+"…/);
  });
});

describe('an edit that has already been made', () => {
  it('is recognized, with its place', () => {
    const told = explained('a\ncolour = red\n', 'color = red', { new_string: 'colour = red' });
    assert.match(
      told,
      /^new_string is already in the text, at line 2: this edit may have been made before\. The nearest/,
    );
  });

  it('but not if the new string may be there by chance, or is part of the old one', () => {
    assert.doesNotMatch(explained('a\nred\n', 'green', { new_string: 'red' }), /already/);
    assert.doesNotMatch(explained('a\nlong name\n', 'very long name', { new_string: 'long name' }), /already/);
    assert.doesNotMatch(explained('return this;\na\nreturn this;\n', 'b', { new_string: 'return this;' }), /already/);
    const long = 'return this.second(argument);';
    assert.match(explained(`${long}\na\n${long}\n`, 'b', { new_string: long }), /already in the text, at line 1/);
  });

  it('and is mentioned last if the old text differs only in case, since that may be what was meant', () => {
    assert.match(
      explained('Total = 1\ntotal = 2\n', 'total = 1', { new_string: 'total = 2' }),
      /line 1.*case.*new_string is already in the text, at line 2: this edit may have been made before\.$/,
    );
  });
});

describe('texts that would take a naive search minutes, at quadratic cost, are explained too', () => {
  const size = 2 ** 20;
  const run = (length: number, unit: string): string => unit.repeat(Math.ceil(length / unit.length));
  for (const [name, old, wanted] of [
    ['a run of one letter', run(size, 'a'), `${run(4_000, 'a')} ${run(4_000, 'a')}b`],
    ['blanks only', run(size, ' \t'), `x${run(8_000, ' ')}\t${run(7_000, ' ')}x`],
    ['blanks in the string', `a${run(8_000, ' ')}b\n${run(size, 'ab ')}`, `a${run(7_900, ' ')}\tb`],
    ['empty lines', run(size, '\n'), `a${run(16_000, '\n')}b`],
    ['short lines', run(size, 'a\n'), run(8_000, 'a ')],
    ['lines that begin as the string does', run(size, 'function alpha( \n'), `${run(8_000, 'function alpha(')}x`],
  ] as const) {
    it(name, () => assert.match(explained(old, wanted), /\S/));
  }
});

/** The suggested text of an explanation. */
function givenText(told: string): string | undefined {
  const [, text] = /exactly as it is in the file: ("(?:[^"\\]|\\.)*")\./.exec(told) ?? [];
  return text === undefined ? undefined : String(JSON.parse(text));
}

describe('in a large file', () => {
  const line = (number: number): string => `line ${String(number)} foo bar\n`;
  const lines = Array.from({ length: 520_000 }, (_, index) => line(index + 1)).join('');

  it('text with only inconspicuous differences is found anywhere', () => {
    assert.match(
      explained(lines, 'line 519999 Foo bar'),
      /^old_string differs from the text at line 519999 only in upper and lower case\./,
    );
    assert.match(explained(lines, 'line  519999 foo bar'), /^old_string differs from the text at line 519999 only in /);
    assert.match(explained(lines, 'line 519998 foo bar\r\nline 519999 foo bar'), /line 519998/);
  });

  it('of more than 16 MB, the nearest line comes from the beginning', () => {
    const larger = lines + lines + 'the one that is meant';
    const told = explained(larger, 'the 1 that is meant: line 77777 fou bar');
    assert.match(told, /^The nearest text in the first 16 MB, which is all that was compared, is at line /);
  });

  it('text is found across the borders of the parts that are searched in turn', () => {
    fc.assert(
      fc.property(fc.integer({ min: -20, max: 2 }), fc.constantFrom('a', '\u00e9', '\u{1f600}'), (shift, letter) => {
        const before = `${'-'.repeat(1_048_576 + shift - 1)}\n`;
        const told = explained(`${before}Some ${letter} Text here\nmore\n`, `some ${letter} text here`);
        assert.match(told, /^old_string differs from the text at line 2 only in upper and lower case/);
      }),
      { numRuns: 30 },
    );
  });
});

describe('the nearest lines are quoted from the beginning to the end of the string', () => {
  for (const [name, old, wanted, quoted] of [
    ['not with the line before it', 'a  \n\tfoo = 1\n', '\n    foo = 3\n', '\n\tfoo = 1\n'],
    ['nor the blanks at its end alone', 'a  \n\tfoo = 1\n', ' \n    foo = 3\n', '  \n\tfoo = 1\n'],
    ['nor with the line behind it', 'foo = 1\n  bar\n', 'foo = 3\n    ', 'foo = 1\n  '],
    ['nor with the byte order mark of the file', '\ufefffoo = 1\n', 'foo = 3\n', 'foo = 1\n'],
  ] as const) {
    it(name, () => {
      assert.ok(explained(old, wanted).includes(`: ${JSON.stringify(quoted)}. Send old_string exactly`));
    });
  }
});

describe('a text that is only within longer words', () => {
  const wholly = { whole_word: true };

  it('is shown with the whole word, if there is one', () => {
    assert.equal(
      explained('a\nlet größer = 1;\n', 'größ', wholly),
      'The text is only within longer words, as whole_word counts them, at line 2: "größer". Leave out whole_word if it is to be replaced there.',
    );
  });

  it('is asked for with more of its surroundings, if there are several', () => {
    assert.equal(
      explained('foobar\nafoo\n', 'FOO', { ...wholly, case_insensitive: true }),
      'The text is only within longer words, as whole_word counts them, at lines 1, 2: "foobar". If one of these is meant, leave out whole_word and send more of the surrounding text, so that old_string matches once.',
    );
    assert.match(explained('foobar\nafoo\n', 'foo', { ...wholly, replace_all: true }), /Leave out whole_word if/);
  });

  it('is not suggested if it only resembles the text', () => {
    assert.equal(
      explained('foo  barn\nfoo\tbar\n', 'foo bar', wholly),
      `old_string differs from the text at line 2 only in tabs or spaces within the lines. ${given('foo\tbar')}`,
    );
    assert.match(explained('printed(1, 2)\n', 'print(1,2)', wholly), /^The nearest text is at line 1: /);
    assert.doesNotMatch(explained("print('one')\n", '("one")', wholly), /exactly as it is in the file: /);
  });

  it('was there until another edit changed what is beside it', () => {
    const edits = [
      { old_string: ' b', new_string: '_b' },
      { old_string: 'a', new_string: 'x', ...wholly },
    ];
    const { message } = refusal(() => applyReplacements(Buffer.from('a b\n'), edits));
    assert.match(message, /"a"\. The text was at line 1 until earlier edits of this request changed it: /);
  });
});
