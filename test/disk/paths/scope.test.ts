/** Spec 16: which paths a token allows, and what follows for the directories above and below them. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from '../../fast-check.js';
import { Root } from '../../../workers/disk/paths/root.js';
import { Scope, type Limits } from '../../../src/core/globs/scope.js';
import { isInScope, outOfScope } from '../../../workers/disk/paths/scope.js';

const namesOf = (path: string): string[] => (path === '' ? [] : path.split('/'));

/** What of these paths is allowed, in the order given. */
function allowedOf(globs: readonly string[], paths: readonly string[]): string[] {
  const scope = Scope.of({ token: globs });
  return paths.filter((path) => scope.holds(namesOf(path)));
}

const some = ['a.md', 'notes/a.md', 'notes/b.txt', 'notes/deep/a.md', 'src/a.ts', 'src/deep/b.ts', 'secret/k.md'];

describe('the paths of a token', () => {
  for (const [globs, allowed] of [
    [['src/**'], ['src/a.ts', 'src/deep/b.ts']],
    [['notes/*.md'], ['notes/a.md']],
    // A pattern without a slash is for any depth, as in glob.
    [['*.md'], ['a.md', 'notes/a.md', 'notes/deep/a.md', 'secret/k.md']],
    [['./*.md'], ['a.md']],
    [['**/*.ts'], ['src/a.ts', 'src/deep/b.ts']],
    [['{src,notes}/**'], ['notes/a.md', 'notes/b.txt', 'notes/deep/a.md', 'src/a.ts', 'src/deep/b.ts']],
    [['{*.ts,secret/**}'], ['src/a.ts', 'src/deep/b.ts', 'secret/k.md']],
    [['src'], []],
    [
      ['src/*', 'a.md'],
      ['a.md', 'notes/a.md', 'notes/deep/a.md', 'src/a.ts'],
    ],
    [['!secret/**'], some.filter((path) => !path.startsWith('secret'))],
    // An exclusion takes away from the others; it does not add all the rest to them.
    [['**', '!secret/**'], some.filter((path) => !path.startsWith('secret'))],
    [
      ['notes/**', '!notes/deep/**'],
      ['notes/a.md', 'notes/b.txt'],
    ],
    [
      ['!secret/**', '!*.ts'],
      ['a.md', 'notes/a.md', 'notes/b.txt', 'notes/deep/a.md'],
    ],
  ] as const) {
    it(`${globs.join(' and ')} allow ${allowed.join(', ') || 'nothing'}`, () => {
      assert.deepEqual(allowedOf(globs, some), allowed);
    });
  }

  it('are compared to the byte: another case or Unicode form is another name', () => {
    const [composed, decomposed] = ['caf\u00e9', 'cafe\u0301'];
    const others = [
      'SRC/a',
      'src /a',
      'src./a',
      'ſrc/a',
      'ｓｒｃ/a',
      'src\u200b/a',
      ' src/a',
      'src\\a',
      `${decomposed}/a`,
    ];
    assert.deepEqual(allowedOf(['src/**', `${composed}/**`], [...others, 'src/a', `${composed}/a`]), [
      'src/a',
      `${composed}/a`,
    ]);
  });

  it('exclude every spelling that some file system takes for the same name', () => {
    const spellings = [
      'secret/a',
      'SECRET/a',
      'Secret/a',
      'ｓecret/a',
      'ſecret/a',
      'se\u200bcret/a',
      'secret./a',
      'secret /a',
    ];
    assert.deepEqual(allowedOf(['!secret/**'], [...spellings, 'secrets/a', 'x/secret/a']), ['secrets/a', 'x/secret/a']);
    for (const spelling of spellings) {
      const [directory = ''] = namesOf(spelling);
      assert.equal(Scope.of({ token: ['!secret/**'] }).reaches([directory]), false, spelling);
    }
  });

  it('are told in errors, but not without end', () => {
    const root = (globs: readonly string[]): Root => new Root('/srv/texts').within(Scope.of({ token: globs }));
    const told = (globs: readonly string[]): string => outOfScope(root(globs), 'x').failure.details;
    assert.match(told(['src/**', '!src/x']), /allows only src\/\*\*, !src\/x\. /);
    assert.ok(told(Array.from({ length: 1000 }, (_, index) => `src/${String(index)}/**`)).length < 500);
  });
});

describe('the paths of a server', () => {
  const told = (limits: Limits): string => {
    const { details } = outOfScope(new Root('/srv/texts').within(Scope.of(limits)), 'x').failure;
    return details;
  };

  it('narrow those of a token, and the other way round', () => {
    const scope = Scope.of({ server: ['src/**', 'notes/**'], token: ['*.md', 'src/**', '!src/deep/**'] });
    assert.deepEqual(
      some.filter((path) => scope.holds(namesOf(path))),
      ['notes/a.md', 'notes/deep/a.md', 'src/a.ts'],
    );
    assert.deepEqual(
      ['', 'notes', 'src', 'src/deep', 'secret'].map((path) => [
        scope.reaches(namesOf(path)),
        scope.covers(namesOf(path)),
      ]),
      [
        [true, false],
        [true, false],
        [true, false],
        [false, false],
        [false, false],
      ],
    );
    assert.ok(Scope.of({ server: ['src/**'], token: ['src/**'] }).covers(['src']));
  });

  it('are told as those of the server, in front of those of the token', () => {
    assert.equal(
      told({ server: ['!.git/**', 'src/**'] }),
      'This server allows only src/**, !.git/**. Use a path that matches, or ask the operator of the server to allow this one.',
    );
    assert.equal(
      told({ server: ['src/**'], token: ['!src/a'] }),
      'This server allows only src/**. This token allows only **, !src/a. Use a path that both allow.',
    );
    assert.match(
      told({ token: ['src/**'], changes: ['src/a/**'] }),
      /^This token allows only src\/\*\*, and changes only of src\/a\/\*\*\. Use a path that matches, or ask for a token/,
    );
    assert.match(told({ changes: ['src/**'] }), /^This token allows changes only of src\/\*\*\. /);
    assert.match(
      told({ server: ['src/**'], changes: ['src/a'] }),
      /changes only of src\/a\. Use a path that both allow\.$/,
    );
    assert.match(
      told({ token: ['src/**'] }),
      /^This token allows only src\/\*\*\. .* ask for a token that allows this one\.$/,
    );
  });
});

describe('a use of a path', () => {
  const root = new Root('/srv/texts').within(Scope.of({ token: ['notes/*.md', 'src/**'] }));
  const uses = ['file', 'directory', 'whole directory', 'anything', 'nothing'] as const;
  for (const [path, allowed] of [
    ['notes/a.md', ['file', 'anything', 'nothing']],
    ['notes/b.txt', []],
    // What is in it is allowed in part: it is shown so far, and whether it is there is not told.
    ['notes', ['directory', 'anything']],
    ['notes/deep', []],
    ['src', ['directory', 'whole directory', 'anything', 'nothing']],
    ['src/deep/a.ts', uses],
    ['', ['directory', 'anything']],
    ['other', []],
  ] as const) {
    it(`at '${path}' may be as ${allowed.join(', ') || 'nothing at all'}`, () => {
      assert.deepEqual(
        uses.filter((use) => isInScope(root, path, use)),
        uses.filter((use) => allowed.some((each) => each === use)),
      );
    });
  }

  it('is not restricted without a token', () => {
    assert.ok(uses.every((use) => isInScope(new Root('/srv/texts'), 'any/where', use)));
  });
});

/** Every path of up to three of these names. */
const names = ['a', 'b', 'A'];
const root: readonly string[] = [];
const below = (directory: readonly string[]): string[][] => names.map((name) => [...directory, name]);
const directories = [root, ...below(root), ...below(root).flatMap(below)];
const files = directories.flatMap(below);
const filesBelow = new Map(
  directories.map((directory) => [
    directory,
    files.filter((file) => file.length > directory.length && directory.every((name, index) => file[index] === name)),
  ]),
);

/** A pattern in pieces that a regular expression can say as well. */
const pieces = new Map([
  ['a', 'a'],
  ['b', 'b'],
  ['*', '[^/]*'],
  ['?', '[^/]'],
  ['[ab]', '[ab]'],
  ['{a,b}', '(?:a|b)'],
]);
const segment = fc.oneof(
  { weight: 1, arbitrary: fc.constant('**') },
  { weight: 3, arbitrary: fc.array(fc.constantFrom(...pieces.keys()), { minLength: 1, maxLength: 2 }) },
);
const pattern = fc.record({
  excludes: fc.boolean(),
  segments: fc
    .array(segment, { minLength: 1, maxLength: 3 })
    // Two stars side by side are another piece.
    .filter((all) => !all.some((each) => typeof each !== 'string' && each.join('').includes('**'))),
});
type Pattern = typeof pattern extends fc.Arbitrary<infer Each> ? Each : never;

function textOf({ excludes, segments }: Pattern): string {
  const text = segments.map((each) => (typeof each === 'string' ? each : each.join(''))).join('/');
  return `${excludes ? '!' : ''}${text}`;
}

/** What the pattern means, without its exclamation mark. */
function meaningOf({ segments }: Pattern): RegExp {
  const last = segments.length - 1;
  const parts = segments.map((each, index) => {
    if (each === '**') return index === last ? '[^/]+(?:/[^/]+)*' : '(?:[^/]+/)*';
    const name = (typeof each === 'string' ? [each] : each).map((piece) => pieces.get(piece) ?? piece).join('');
    return index === last ? name : `${name}/`;
  });
  const anyDepth = last === 0 && segments[0] !== '**' ? '(?:[^/]+/)*' : '';
  return new RegExp(`^${anyDepth}${parts.join('')}$`);
}

/** Which files these patterns allow, compared one by one. */
function allowedBy(patterns: readonly Pattern[]): (file: readonly string[]) => boolean {
  const wanted = patterns.filter(({ excludes }) => !excludes).map(meaningOf);
  const excluded = patterns.filter(({ excludes }) => excludes).map(meaningOf);
  return (file) => {
    const path = file.join('/');
    const isWanted = wanted.length === 0 || wanted.some((each) => each.test(path));
    return isWanted && !excluded.some((each) => each.test(path) || each.test(path.toLowerCase()));
  };
}

describe('a scope, of any patterns', () => {
  it('holds what they mean, reaches what leads there, and covers only what it holds all of', () => {
    const seen = { holds: 0, covers: 0, reachesNot: 0 };
    let runs = 0;
    fc.assert(
      fc.property(fc.array(pattern, { minLength: 1, maxLength: 3 }), (patterns) => {
        runs++;
        const scope = Scope.of({ token: patterns.map(textOf) });
        const isAllowed = allowedBy(patterns);
        const wrong = files.filter((file) => scope.holds(file) !== isAllowed(file));
        assert.equal(wrong.join(' '), '');
        for (const [directory, all] of filesBelow) {
          const held = all.filter((file) => scope.holds(file)).length;
          const [reaches, covers] = [scope.reaches(directory), scope.covers(directory)];
          assert.ok(reaches || held === 0, `holds what is below ${directory.join('/')}, and does not reach it`);
          assert.ok(!covers || held === all.length, `covers ${directory.join('/')}, and does not hold all below it`);
          assert.ok(reaches || !covers, `covers ${directory.join('/')}, and does not reach it`);
          seen.holds += held;
          seen.covers += Number(covers);
          seen.reachesNot += Number(!reaches);
        }
      }),
      { numRuns: 300 },
    );
    assert.ok(
      // There are fewer where a property is given little time.
      runs < 300 || Object.values(seen).every((times) => times > 100),
      JSON.stringify(seen),
    );
  });
});
