import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readArguments } from '../../src/config/arguments.js';
import { configFromOptions } from '../../src/config/config.js';
import { configOf, dir, problemOf, problemsOf } from './config-scene.js';

describe('an invalid value', () => {
  const slips = [
    ['--transport=htp', 'http'],
    ['--transport=STDIO', 'stdio'],
    ['--durability=fulll', 'full'],
    ['--log-level=warning', 'warn'],
    ['--toolset=file,storage', 'files,storage'],
    ['--max-size=10MB', '10'],
    ['--max-size=5m', '5'],
    ['--cache-mb=64 Mb', '64'],
    ['--timeout=30 s', '30'],
    ['--timeout=9seconds', '9'],
    ['--port=80', '8080'],
    ['--port=443', '8443'],
  ] as const;
  for (const [slip, meant] of slips) {
    it(`is answered with the nearest valid one: ${slip}`, () => {
      assert.ok(problemOf(slip).endsWith(`; did you mean ${meant}?`), problemOf(slip));
    });
  }

  for (const slip of [
    '--transport=quic',
    '--max-size=1000MB',
    '--max-size=10kb',
    '--max-size=many',
    '--cache-mb=1gb',
    '--timeout=100ms',
    '--timeout=5m',
    '--workers=4s',
    '--toolset=files,quic',
    '--port=22',
  ]) {
    it(`is answered with the range alone if no value is near: ${slip}`, () => {
      assert.doesNotMatch(problemOf(slip), /did you mean/);
    });
  }
});

describe('flags that ask for information', () => {
  for (const name of ['--help', '--version']) {
    it(`${name} refuses a value`, () => {
      for (const value of ['1', 'true', '']) {
        assert.equal(problemOf(`${name}=${value}`), `${name}: "${value}" is not accepted; expected no value`);
      }
    });

    it(`${name} refuses each of its values, alongside other problems`, () => {
      assert.deepEqual(
        problemsOf(() => configOf('--port=80', `${name}=a`, `${name}=b`)),
        [
          `${name}: "a" is not accepted; expected no value`,
          `${name}: "b" is not accepted; expected no value`,
          '--port must be between 1024 and 65535; "80" is not accepted; expected a whole number; did you mean 8080?',
        ],
      );
    });
  }
});

describe('short flags that ask for information', () => {
  for (const [args, information] of [
    [['-h'], 'help'],
    [['-v'], 'version'],
    [['--port=80', '-h', '--version'], 'help'],
    [['-h=1'], undefined],
    [['-hv'], undefined],
    [['-verbose'], undefined],
    [['--dir', '-h'], undefined],
    [['--', '-h'], 'help'],
  ] as const) {
    it(`${args.join(' ')} ask for ${String(information)}`, () => {
      assert.equal(readArguments(args).information, information);
    });
  }
});

describe('an argument that is no flag', () => {
  const strange: readonly [string[], string][] = [
    [['--prot=80'], '"--prot=80": unknown flag; did you mean --port?'],
    [['--prot', '80'], '"--prot": unknown flag; did you mean --port?'],
    [['--readonly'], '"--readonly": unknown flag; did you mean --read-only?'],
    [['--directory=x'], '"--directory=x": unknown flag; did you mean --dir?'],
    [['--maxSize=5'], '"--maxSize=5": unknown flag; did you mean --max-size?'],
    [['--no-read-only'], '"--no-read-only": unknown flag; did you mean --read-only?'],
    [['--xyzzy'], '"--xyzzy": unknown flag; accepted are the flags that --help lists'],
    [['--versoin'], '"--versoin": unknown flag; did you mean --version?'],
    [['-p', '80'], '"-p": unknown flag; accepted are the flags that --help lists'],
    [['-port=80'], '"-port=80": unknown flag; did you mean --port?'],
    [['-abc'], '"-abc": unknown flag; accepted are the flags that --help lists'],
    [['port'], '"port": unknown argument; did you mean --port?'],
    [['served'], '"served": unknown argument; accepted are the flags that --help lists'],
    [['--', '--port=8081'], '"--": is not accepted; leave it out: what follows it is read as flags'],
    [[''], '"": unknown argument; accepted are the flags that --help lists'],
    [['--__proto__=1'], '"--__proto__=1": unknown flag; accepted are the flags that --help lists'],
  ];
  for (const [args, problem] of strange) {
    it(`${JSON.stringify(args)} is refused`, () => {
      assert.equal(problemOf(...args), problem);
    });
  }

  it('may be the directory, if one of that name exists', () => {
    for (const path of [dir, '.', 'test/']) {
      assert.equal(
        problemOf(path),
        `${JSON.stringify(path)}: unknown argument; did you mean --dir=${JSON.stringify(path)}?`,
      );
    }
    for (const path of ['package.json', '\0', 'x'.repeat(10_000)]) assert.match(problemOf(path), /--help lists$/);
    assert.match(problemOf('--test'), /^"--test": unknown flag; /);
  });

  it('is an unknown option in the library', () => {
    const [problem] = problemsOf(() => configFromOptions({ dir, ...{ prot: 80 } }, {}));
    assert.equal(problem, '"prot": unknown option; did you mean port?');
  });

  it('is echoed on one line, and truncated', () => {
    const problem = problemOf(`--log-level=a\n${'x'.repeat(10_000)}`);
    assert.ok(!problem.includes('\n') && problem.length < 300, problem);
  });
});

describe('a negative number', () => {
  it('is a value, not a flag', () => {
    assert.match(problemOf('--port', '-5'), /^--port must be between 1024 and 65535; "-5" is not accepted/);
  });
});
