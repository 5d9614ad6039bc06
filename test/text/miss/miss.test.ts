import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { TextEdit } from '../../../src/operations.js';
import { applyReplacements } from '../../../workers/text/replace/replacements.js';
import { refusal } from '../lines/specify.js';

/** What an agent is told, without `Edit 1 of 1 failed: String not found: "…". `. */
function explained(old: string, old_string: string, more: Partial<TextEdit> = {}): string {
  const { message } = refusal(() => applyReplacements(Buffer.from(old), [{ old_string, new_string: '', ...more }]));
  assert.match(message, /^Edit 1 of 1 failed: String not found: "/);
  return message.replace(/^Edit 1 of 1 failed: String not found: "(?:[^"\\]|\\.)*"\. /, '');
}

const send = 'Send old_string exactly as it is in the file.';
const given = (text: string): string =>
  `${send.slice(0, -1)}: ${JSON.stringify(text).replaceAll('\ufeff', String.raw`\ufeff`)}.`;

describe('text that differs only in what is hard to see is found, and the difference named', () => {
  for (const [name, old, wanted, told] of [
    [
      'a tab',
      'x\n\tfoo();\n',
      'x\n    foo();',
      String.raw`line 1 only in indentation: at line 2 the file has "\tfoo();" where old_string has "    foo();". ${given('x\n\tfoo();')}`,
    ],
    [
      'depth',
      'if (a) {\n    b();\n}\n',
      'if (a) {\n  b();\n}',
      `line 1 only in indentation: at line 2 the file has "    b();\\n" where old_string has "  b();\\n". ${given('if (a) {\n    b();\n}')}`,
    ],
    [
      'blanks within a line',
      'a\nfoo  = bar\n',
      'foo = bar',
      `line 2 only in tabs or spaces within the lines: the file has "foo  = bar" where old_string has "foo = bar". ${send}`,
    ],
    [
      'blanks that are not there',
      'foo(a, b)\n',
      'foo( a, b )',
      `line 1 only in spaces within the lines: the file has "foo(a, b)" where old_string has "foo( a, b )". ${send}`,
    ],
    [
      'trailing blanks',
      'foo  \nbar\n',
      'foo\nbar',
      `line 1 only in trailing white space: the file has "foo  \\n" where old_string has "foo\\n". ${given('foo  \nbar')}`,
    ],
    [
      'and those that are sent',
      'foo\nbar\n',
      'foo \nbar',
      `line 1 only in trailing white space: the file has "foo\\n" where old_string has "foo \\n". ${given('foo\nbar')}`,
    ],
    [
      'a no-break space',
      'foo\u00a0bar\n',
      'foo bar',
      String.raw`line 1 only in invisible characters or other spaces than the usual one: the file has "foo\u00a0bar" where old_string has "foo bar". ${send}`,
    ],
    [
      'a zero width space',
      'foo\u200bbar\n',
      'foobar',
      String.raw`line 1 only in invisible characters or other spaces than the usual one: the file has "foo\u200bbar" where old_string has "foobar". ${send}`,
    ],
    [
      'smart quotes',
      'say “hello”\n',
      'say "hello"',
      `line 1 only in smart quotes: the file has "say “hello”" where old_string has "say \\"hello\\"". ${send}`,
    ],
    [
      'dashes',
      'one – two\n',
      'one - two',
      `line 1 only in dashes: the file has "one – two" where old_string has "one - two". ${send}`,
    ],
    [
      'case',
      'const Foo = 1;\n',
      'const foo = 1;',
      `line 1 only in upper and lower case: the file has "const Foo = 1;" where old_string has "const foo = 1;". Send old_string exactly as it is in the file, or set case_insensitive to true.`,
    ],
    [
      'line endings',
      'x\r\nfoo\r\nbar\r\n',
      'foo\nbar',
      String.raw`line 2 only in line endings: the file has "foo\r\n" where old_string has "foo\n". Send \r\n for every line ending in old_string, and in new_string to keep them.`,
    ],
    [
      'line endings, the other way',
      'foo\nbar\n',
      'foo\r\nbar',
      String.raw`line 1 only in line endings: the file has "foo\n" where old_string has "foo\r\n". Send \n for every line ending in old_string, and in new_string to keep them.`,
    ],
    [
      'normalization',
      'cafe\u0301 au lait\n',
      'café au lait',
      String.raw`line 1 only in Unicode normalization (NFC or NFD): the file has "cafe\u0301 au lait" where old_string has "café au lait". ${send}`,
    ],
    [
      'normalization of the last character, whose accent belongs to it',
      'cafe\u0301\n',
      'café',
      String.raw`line 1 only in Unicode normalization (NFC or NFD): the file has "cafe\u0301" where old_string has "café". ${send}`,
    ],
    [
      'an accent behind the last character',
      'cafe\u0301\n',
      'Cafe',
      String.raw`line 1 only in upper and lower case and accents or compatibility forms: the file has "cafe\u0301" where old_string has "Cafe". ${send}`,
    ],
    [
      'line endings that are mixed',
      'a\r\nb\nc\n',
      'a\r\nb\r\nc',
      String.raw`line 1 only in line endings: at line 2 the file has "b\n" where old_string has "b\r\n". The line endings there are mixed. Send in old_string, in this order: \r\n, \n.`,
    ],
    [
      'blank lines',
      'foo\n\nbar\n',
      'foo\nbar',
      `line 1 only in blank lines: at line 2 the file has an empty line where old_string has "bar". ${given('foo\n\nbar')}`,
    ],
    [
      'blank lines that only the string has at its end',
      'foo\nbar\n',
      'bar\n\n',
      String.raw`line 2 only in blank lines: the file has "bar\n" where old_string has "bar\n\n". ${send}`,
    ],
    [
      'or at its beginning',
      '// foo\r\nbar\r\n',
      '\n\n// foo\r\n',
      String.raw`line 1 only in line breaks: the file has "// foo\r\n" where old_string has "\n\n// foo\r\n". ${send}`,
    ],
    [
      'nothing about a byte order mark that both have',
      '\ufefffoo\n\nbar\n',
      '\ufefffoo\nbar',
      `line 1 only in blank lines: at line 2 the file has an empty line where old_string has "bar". ${given('\ufefffoo\n\nbar')}`,
    ],
    [
      'several of these',
      '\t“foo”\r\n',
      '  "foo"\n',
      String.raw`line 1 only in smart quotes, line endings and indentation: the file has "\t“foo”\r\n" where old_string has "  \"foo\"\n". ${send}`,
    ],
  ] as const) {
    it(name, () => assert.equal(explained(old, wanted), `It differs from the text at ${told}`));
  }

  it('but not in the middle of a word', () => {
    assert.equal(explained('the tab\n', 'a b'), 'No line of the file resembles it: read it again.');
    assert.match(explained('a ab\n', 'a b'), /^It differs from the text at line 1 only in spaces within the lines/);
  });

  it('case is no difference where it does not matter', () => {
    assert.match(
      explained('FOO  BAR\n', 'foo bar', { case_insensitive: true }),
      /only in tabs or spaces within the lines:/,
    );
  });
});

describe('text that was misread is found as it was meant', () => {
  for (const [name, old, wanted, told] of [
    ['escaped twice', 'foo\nbar\n', 'foo\\nbar', /^old_string is escaped once too often: .* it is at line 1\./],
    ['not escaped enough', 'x = "a\\nb"\n', 'x = "a\nb"', /^The text at line 1 has backslash sequences/],
    [
      'with the line numbers of a viewer',
      'a\nfoo\nbar\n',
      '     2\tfoo\n     3\tbar',
      /^old_string has line numbers .* it is at line 2\./,
    ],
    ['as HTML', 'if (a < b && c)\n', 'if (a &lt; b &amp;&amp; c)', /^old_string has HTML entities .* line 1 /],
    ['as a regular expression', 'foo(bar)\n', 'foo\\(bar\\)', /^old_string is taken literally, .* it is at line 1\./],
    ['in a fence', 'a\nfoo\n', '```js\nfoo\n```', /^old_string is fenced by .* it is at line 2\./],
  ] as const) {
    it(name, () => assert.match(explained(old, wanted), told));
  }
});

describe('what a file writes in another way is told as that', () => {
  for (const [name, old, wanted, told] of [
    ['line endings alone', 'a();\r\n\r\n\r\nb();\r\n', '\n\n\n', /line 1 only in line endings\. Send \\r\\n for every/],
    ['a lone CR alone', 'a\rb', '\n', /line 1 only in line endings\. Send \\r for every/],
    ['single quotes', "f('a')\n", 'f("a")', /line 1 has single quotes where old_string has double ones/],
    ['double quotes', 'a"b\n', "a'b", /line 1 has double quotes where old_string has single ones/],
    ['entities', 'if (a &amp;&amp; b)\n', 'if (a && b)', /line 1 has HTML entities where/],
    ['escaped quotes', String.raw`say \"hi\"`, 'say "hi"', /line 1 has more backslashes than old_string/],
    ['doubled backslashes', String.raw`"C:\\dir\\x"`, String.raw`"C:\dir\x"`, /line 1 has more backslashes than/],
    ['escaped letters', String.raw`caf\u00e9`, 'café', /line 1 has escapes such as/],
    ['letters', 'café', String.raw`caf\u00e9`, /old_string is escaped once too often/],
    [
      'a sign that looks like a letter',
      'size 5 Å',
      'size 5 \u212b',
      /"size 5 \\u00c5" where old_string has "size 5 \\u212b"/,
    ],
  ] as const) {
    it(name, () => {
      assert.match(explained(old, wanted), told);
    });
  }

  it('and other places only if they differ in the same way', () => {
    assert.match(
      explained('Hello world\nhello  world\n', 'hello world'),
      /^It differs from the text at line 1 only in upper/,
    );
    assert.match(
      explained('Hello you\nHELLO you\n', 'hello you'),
      /^It differs from the text at line 1, and from others, only/,
    );
  });
});

describe('what is advised matches once, or is said to be there more than once', () => {
  const several = /, and from others, .* This text is there more than once: send more of the text around the one/;
  const again = 'This text is there more than once: send more of the text around the one that is meant.';

  it('where white space behind them makes the places differ', () => {
    const old = 'x\u00a0y\n- item two\nx\u00a0y\n    }\n';
    assert.match(explained(old, 'X\u00a0Y\n'), several);
    assert.match(explained('if\n    }\nif\n\n    }\n', '    }\n\n'), several);
  });

  it('where places overlap', () => assert.match(explained('aaa', 'AA'), several));

  it('where a string was misread', () => {
    for (const wanted of ["foo = 'a'", String.raw`foo = \"a\"`]) {
      const told = explained('foo = "a"\nbar\nfoo = "a"\n', wanted);
      assert.ok(told.endsWith(` ${again}`), told);
      assert.doesNotMatch(explained('foo = "a"\nbar\n', wanted), /more than once/);
    }
  });

  it('unless every place was meant', () => {
    const all = { replace_all: true };
    assert.doesNotMatch(explained('foo = "a"\nfoo = "a"\n', "foo = 'a'", all), /more than once/);
    assert.match(explained('foo\nfoo\n', 'FOO', all), /, and from others, .*, or set case_insensitive to true\.$/);
  });

  it('and case_insensitive is only named where it would do', () => {
    const told = explained('Hello you\nHELLO you\n', 'hello you');
    assert.ok(told.endsWith(send), told);
    const many = `Hello you\n${'hello  you\n'.repeat(9)}HELLO you\n`;
    assert.doesNotMatch(explained(many, 'hello you'), /case_insensitive/);
    assert.match(explained(many, 'hello you', { replace_all: true }), /or set case_insensitive to true\.$/);
    // In lower case they are the same, but not to an expression with the flags `iu`.
    assert.doesNotMatch(explained('\u0130x\n', 'i\u0307x'), /case_insensitive/);
  });
});

describe('of a text with fewer lines than the string, all of both is told, so that one can take the place of the other', () => {
  for (const [old, wanted, found] of [
    ['  "k": [1],\nx\n', '"k": [1]\n\n', '"k": [1]'],
    ['- item two\n', '\n- item two', '- item two'],
    ['foo;\r\nbar\r\n', 'foo;\n\n', 'foo;\r\n'],
  ] as const) {
    it(JSON.stringify(wanted), () => {
      const told = `the file has ${JSON.stringify(found)} where old_string has ${JSON.stringify(wanted)}. ${send}`;
      assert.ok(explained(old, wanted).endsWith(told), explained(old, wanted));
    });
  }

  it('or the text is given, if it is long', () => {
    const long = 'word '.repeat(40).trim();
    assert.ok(explained(`${long}\n`, long.replaceAll(' ', '\n')).endsWith(given(long)));
  });
});

describe('after other edits of the request', () => {
  const message = (old: string, ...edits: readonly (readonly [string, string])[]): string =>
    refusal(() =>
      applyReplacements(
        Buffer.from(old),
        edits.map(([old_string, new_string]) => ({ old_string, new_string })),
      ),
    ).message;
  const counted = /Lines are counted in the text as the edits before this one have left it\./;

  it('lines are those of the text that they have left, and this is said', () => {
    const nearest = message('alpha beta gamma\nz\n', ['alpha', 'one\ntwo\nalpha'], ['beta gamme', 'q']);
    assert.match(nearest, /nearest text is at line 3/);
    assert.match(nearest, counted);
    const several = message('a\nb\nX\nc\nX\n', ['a', '1\n2\n3'], ['X', 'b']);
    assert.match(several, /Found 2 matches at lines 5, 7\. Lines are counted/);
    assert.doesNotMatch(message('X\nX\n', ['X', 'b']), counted);
    assert.match(
      message('abc\ndef\n', ['abc\ndef\n', ''], ['ghi', 'q']),
      /The edits before this one have left no text\.$/,
    );
  });

  it('another order is advised only where it helps', () => {
    assert.match(message('abc def\n', ['abc', 'xyz'], ['abc def', 'q']), /or make the changes in one edit\.$/);
    assert.match(message('abc def\n', ['abc', 'xyz'], ['abc', 'q']), /or make the changes in one edit\.$/);
    const all = { old_string: 'a', new_string: 'b', replace_all: true };
    const edits = [all, { old_string: 'x a y', new_string: 'z' }];
    const { message: told } = refusal(() => applyReplacements(Buffer.from('a\nx a y\n'), edits));
    assert.match(told, /or put this edit first\.$/);
  });

  it('but not where the other edit would miss then', () => {
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

  it('nor where this edit would match more than once then', () => {
    const all = { old_string: 'a', new_string: 'b', replace_all: true };
    const edits = [all, { old_string: 'x a y', new_string: 'z' }];
    const { message: told } = refusal(() => applyReplacements(Buffer.from('a\nx a y\nx a y\n'), edits));
    assert.match(told, /or make the changes in one edit\.$/);
  });

  it('what they have put there is no sign that this one was made before', () => {
    assert.doesNotMatch(
      message('alpha beta\n', ['beta', 'gamma'], ['alpha delta', 'alpha gamma']),
      /may have been made/,
    );
  });
});

describe('otherwise the nearest lines are told', () => {
  const old = 'function alpha() {\n  return first;\n}\n\nfunction beta() {\n  return second;\n}\n';

  it('with what the file has and what was sent', () => {
    assert.equal(
      explained(old, 'function alpha(x) {'),
      `The nearest text is at line 1: the file has "function alpha() {" where old_string has "function alpha(x) {". Also similar: line 5 ("function beta() {"). ${send}`,
    );
  });

  it('and the line of a block in which it begins to differ', () => {
    assert.match(
      explained(old, 'function beta() {\n  return 2;\n}'),
      /^The nearest text is at line 5: at line 6 the file has " {2}return second;\\n" where old_string has " {2}return 2;\\n"\./,
    );
  });

  it('without the line break behind it, which was not looked for: sent back as it is shown, it joins no lines', () => {
    assert.equal(
      explained('Hello World\nBye\n', 'Hello Wrld'),
      `The nearest text is at line 1: the file has "Hello World" where old_string has "Hello Wrld". ${send}`,
    );
  });

  it('and of several lines those around the one by which the text was found', () => {
    const lines = (middle: string): string => `one()\n${middle}\nthree.is.the.longest.of.all()\nfour()\nfive()\n`;
    assert.equal(
      explained(`head\n${lines('two()')}`, lines('twice()')),
      `The nearest text is at line 2: at line 3 the file has "two()\\n" where old_string has "twice()\\n". ${send}`,
    );
    assert.equal(
      explained(lines('two()'), lines('two()').replaceAll('()', '(x)')),
      `The nearest text is at line 1: at line 2 the file has "two()\\n" where old_string has "two(x)\\n"; at line 3 the file has "three.is.the.longest.of.all()\\n" where old_string has "three.is.the.longest.of.all(x)\\n"; at line 4 the file has "four()\\n" where old_string has "four(x)\\n"; 2 more lines differ. ${send}`,
    );
  });

  it('and which letters only look the same', () => {
    assert.match(
      explained('p\u0430ssword = 1\n', 'password = 1'),
      /the file has "pаssword = 1" where old_string has "password = 1" \(U\+0430 there, U\+0061 here\)\./,
    );
  });

  it('and that the file begins or ends where more was looked for', () => {
    assert.equal(
      explained('function alpha() {\n}\n', '// Says hello.\nfunction alpha() {\n'),
      `The nearest text is at line 1: the file begins there where old_string has "// Says hello.\\n" in front. ${send}`,
    );
    assert.equal(
      explained('function alpha() {\n}\n', 'function alpha() {\n}\nend'),
      `The nearest text is at line 1: the file ends with line 2 where old_string has "end" behind that. ${send}`,
    );
    assert.equal(
      explained('function alpha() {\n}\n', 'function alpha(x) {\n}\n\nlet it;\nend'),
      `The nearest text is at line 1: the file has "function alpha() {\\n" where old_string has "function alpha(x) {\\n"; the file ends with line 2 where old_string has "\\nlet it;\\nend" behind that. ${send}`,
    );
  });

  it('and nothing of lines that were not looked at', () => {
    const long = Array.from({ length: 90 }, (_, index) => `${String(index)} ${'x'.repeat(1_000)}\n`);
    const told = explained(long.join(''), long.map((line) => line.slice(0, 150)).join('\n'));
    assert.doesNotMatch(told, /the file ends/);
    assert.match(
      explained('one two three\n', 'one\ntwo\nthree'),
      /only in .*: the file has "one two three" where old_string has "one\\ntwo\\nthree"\. /,
    );
  });

  it('and that a pattern is no pattern', () => {
    assert.match(explained(old, 'function alpha.*{'), / old_string is taken literally, not as a regular expression\.$/);
  });

  for (const [there, wanted] of [
    ['x = 1', 'x = 2'],
    ['a: 1', 'a: 2'],
    ['let i;', 'let j;'],
    ['b = 2 # comment', 'b = 3'],
    ['"c":true', '"c":false'],
    // Its halves are no text by themselves: Node 24 aborts the process when a Buffer is asked for one.
    ['a = 😀', 'a = 😁'],
  ] as const) {
    it(`also a short one: ${there} for ${wanted}`, () => {
      assert.equal(
        explained(`first\n${there}\nlast\n`, wanted),
        `The nearest text is at line 2: the file has ${JSON.stringify(there)} where old_string has ${JSON.stringify(wanted)}. ${send}`,
      );
    });
  }

  it('by a shorter line if nothing resembles the longest', () => {
    assert.match(explained('a\nb\nthe end\n', 'something else\nthe end'), /^The nearest text is at line 2: /);
  });

  it('each once', () => {
    const told = explained('foo(bar);\nfoo(bar);\n', 'foo(baz);\nfoo(bat);');
    assert.match(told, /^The nearest text is at line 1: /);
    assert.doesNotMatch(told, /Also similar/);
  });

  it('or that there are none', () => {
    assert.equal(explained(old, 'zzzzzz'), 'No line of the file resembles it: read it again.');
    assert.equal(explained('', 'a'), 'The file is empty.');
  });

  it('of which only the beginning is compared if it is large', () => {
    const large = `${'x\n'.repeat(2 ** 23)}function gamma() {\n`;
    assert.match(
      explained(large, 'function gamma(x) {'),
      /^No line of the beginning of this large file, .* resembles it/,
    );
  });

  it('long lines are shortened around the difference', () => {
    const line = `${'x'.repeat(5_000)}abc${'y'.repeat(5_000)}`;
    const told = explained(`${line}\n`, line.replace('abc', 'abd'));
    assert.ok(told.length < 600, told);
    assert.match(told, /"…x+abcy+…" where old_string has "…x+abdy+…"/);
    const within = explained(`${'- '.repeat(200)}${'x'.repeat(80)}abc${'y'.repeat(200)}\n`, `${'x'.repeat(80)}abd`);
    assert.match(within, /"…[x -]+abcy+…" where old_string has "x+abd"/);
  });
});

describe('an edit that has been made before', () => {
  it('is taken for that, with where', () => {
    const told = explained('a\ncolour = red\n', 'color = red', { new_string: 'colour = red' });
    assert.match(
      told,
      /^new_string is already in the text, at line 2: this edit may have been made before\. The nearest/,
    );
  });

  it('but not for a new string that may be there by chance, or is part of the old one', () => {
    assert.doesNotMatch(explained('a\nred\n', 'green', { new_string: 'red' }), /already/);
    assert.doesNotMatch(explained('a\nlong name\n', 'very long name', { new_string: 'long name' }), /already/);
    assert.doesNotMatch(explained('return this;\na\nreturn this;\n', 'b', { new_string: 'return this;' }), /already/);
    const long = 'return this.second(argument);';
    assert.match(explained(`${long}\na\n${long}\n`, 'b', { new_string: long }), /already in the text, at line 1/);
  });

  it('which is said last where the old text is there but for its case, because that may be what was meant', () => {
    assert.match(
      explained('Total = 1\ntotal = 2\n', 'total = 1', { new_string: 'total = 2' }),
      /line 1.*case.*new_string is already in the text, at line 2: this edit may have been made before\.$/,
    );
  });
});

describe('texts that would take quadratic time to look at naively, which is minutes, are explained too', () => {
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

/** What an explanation gives to be sent. */
function givenText(told: string): string | undefined {
  const [, text] = /exactly as it is in the file: ("(?:[^"\\]|\\.)*")\.$/.exec(told) ?? [];
  return text === undefined ? undefined : String(JSON.parse(text));
}

describe('whatever differs', () => {
  const line = fc.array(fc.constantFrom('a', 'B', '  ', '\t', ' ', '"', '“', '–', '-', 'é', 'e\u0301', '\u00a0'), {
    maxLength: 8,
  });
  const text = fc.array(fc.tuple(line, fc.constantFrom('\n', '\r\n', '\r')), { minLength: 1, maxLength: 8 });
  const joined = (lines: readonly (readonly [readonly string[], string])[]): string =>
    lines.map(([words, separator]) => words.join('') + separator).join('');

  it('a text that is given to be sent is in the file, and ends with a line break only if what was sent does', () => {
    const blanks = fc.constantFrom(
      (all: string) => all.replaceAll(/[ \t]+/g, ' '),
      (all: string) => all.toLowerCase(),
    );
    let told = 0;
    fc.assert(
      fc.property(text, blanks, fc.nat(60), fc.integer({ min: 1, max: 60 }), (lines, change, from, length) => {
        const old = joined(lines);
        const wanted = change(old.slice(from, from + length)).toWellFormed();
        if (wanted === '' || old.includes(wanted)) return;
        const given = givenText(explained(old, wanted));
        if (given === undefined) return;
        told += 1;
        assert.ok(old.includes(given), given);
        if (!/\s$/.test(wanted)) assert.doesNotMatch(given, /\s$/);
      }),
      { numRuns: 3_000 },
    );
    assert.ok(told > 100, String(told));
  });
});

describe('in a large file', () => {
  const line = (number: number): string => `line ${String(number)} foo bar\n`;
  const lines = Array.from({ length: 520_000 }, (_, index) => line(index + 1)).join('');

  it('the text that differs only in what is hard to see is found wherever it is', () => {
    assert.match(
      explained(lines, 'line 519999 Foo bar'),
      /^It differs from the text at line 519999 only in upper and lower case:/,
    );
    assert.match(explained(lines, 'line  519999 foo bar'), /^It differs from the text at line 519999 only in /);
    assert.match(explained(lines, 'line 519998 foo bar\r\nline 519999 foo bar'), /line 519998/);
  });

  it('of more than 16 MB, the nearest line is said to be that of the beginning', () => {
    const larger = lines + lines + 'the one that is meant';
    const told = explained(larger, 'the 1 that is meant: line 77777 fou bar');
    assert.match(
      told,
      /^The nearest text in the beginning of this large file, which is all that was compared, is at line /,
    );
  });

  it('is found across any of the parts that are looked at one after the other', () => {
    fc.assert(
      fc.property(fc.integer({ min: -20, max: 2 }), fc.constantFrom('a', '\u00e9', '\u{1f600}'), (shift, letter) => {
        const before = `${'-'.repeat(1_048_576 + shift - 1)}\n`;
        const told = explained(`${before}Some ${letter} Text here\nmore\n`, `some ${letter} text here`);
        assert.match(told, /^It differs from the text at line 2 only in upper and lower case/);
      }),
      { numRuns: 30 },
    );
  });
});
