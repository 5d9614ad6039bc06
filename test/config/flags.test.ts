import assert from 'node:assert/strict';
import { networkInterfaces } from 'node:os';
import { describe, it } from 'node:test';
import { helpText } from '../../src/commands/help.js';
import { configFromOptions, type Config, fileEditor } from '../../src/config/config.js';
import { allFlags, flags, type AnyFlag } from '../../src/config/flags.js';
import { toolsets } from '../../src/config/offer.js';
import { camelCase, type Options } from '../../src/config/arguments.js';
import { operations } from '../../src/core/operations.js';
import { configOf, dir, problemOf, problemsOf } from './config-scene.js';
import { flagCases, pathFlags } from './flag-cases.js';

for (const [key, { member, fallback, good, bad, begins, accepted, with: others = [] }] of Object.entries(flagCases)) {
  const flag = allFlags.find(({ name }) => camelCase(name) === key);
  assert.ok(flag);
  const name = `--${flag.name}`;

  describe(name, () => {
    it(`is ${String(fallback)} by default`, () => {
      assert.deepEqual(configOf()[member], fallback);
    });

    for (const [text, value] of Object.entries(good)) {
      it(`takes ${text}, after = and as the next argument`, () => {
        assert.deepEqual(configOf(...others, `${name}=${text}`)[member], value);
        assert.deepEqual(configOf(...others, name, text)[member], value);
      });
      it(`takes ${text} as the option ${key}`, () => {
        const options: Options = { dir, maxConcurrent: 1, history: member === 'history', [key]: text };
        assert.deepEqual(configFromOptions(options, {})[member], value);
      });
    }

    for (const text of bad) {
      it(`refuses ${JSON.stringify(text)}`, () => {
        const problem = problemOf(...others, `${name}=${text}`);
        const wrong = `${name}${begins} ${JSON.stringify(text)} is not accepted`;
        assert.equal(problem.replace(/; (?:did you mean|pattern \d+) .*$/, ''), `${wrong}${accepted}`);
      });
    }

    it('requires a value', () => {
      for (const args of [[`${name}=`], [name]]) {
        const problem = problemOf(...others, ...args);
        assert.equal(problem, `${name}${begins} no value given${accepted}`);
      }
    });

    it('cannot be given twice', () => {
      const [text = ''] = Object.keys(good);
      const problem = problemOf(...others, `${name}=${text}`, `${name}=${text}`);
      assert.equal(problem, `${name}: given 2 times (${name}="${text}", ${name}="${text}"); accepted once`);
    });
  });
}

describe('flags without a value', () => {
  for (const flag of allFlags.filter(({ placeholder }) => placeholder === undefined)) {
    const name = `--${flag.name}`;
    const member = camelCase(flag.name);
    // The limits of the history take the place of its switch.
    const valueIn = (config: Config): unknown =>
      member === 'history' ? config.history !== undefined : Reflect.get(config, member);

    it(`${name} is off by default, and on if given`, () => {
      assert.equal(valueIn(configOf()), false);
      assert.equal(valueIn(configOf(name)), true);
      assert.equal(valueIn(configFromOptions({ dir, [member]: true }, {})), true);
      assert.equal(valueIn(configFromOptions({ dir, [member]: false }, {})), false);
    });

    it(`${name} refuses a value`, () => {
      for (const value of ['true', 'false', '']) {
        assert.equal(problemOf(`${name}=${value}`), `${name}: "${value}" is not accepted; expected no value`);
      }
      for (const value of ['true', 'false']) {
        assert.equal(problemOf(name, value), `${name}: "${value}" is not accepted; expected no value`);
      }
    });

    it(`${member} is true or false in the library`, () => {
      for (const value of ['yes', 1, null]) {
        const [problem, ...more] = problemsOf(() => configFromOptions(Object.assign({ dir }, { [member]: value }), {}));
        assert.equal(problem, `${member}: "${String(value)}" is not accepted; expected true or false`);
        assert.deepEqual(more, []);
      }
    });

    it(`${name} leaves the argument after it alone`, () => {
      assert.equal(problemOf(name, 'on'), '"on": unknown argument; accepted are the flags that --help lists');
    });

    it(`${name} cannot be given twice`, () => {
      assert.equal(problemOf(name, name), `${name}: given 2 times (${name}, ${name}); accepted once`);
    });
  }
});

describe('the limits', () => {
  it('in megabytes are 1,048,576 bytes each', () => {
    assert.equal(configOf('--max-size=3').maxBytes, 3 * 1_048_576);
  });

  it('can also be set with --max-file-size', () => {
    assert.equal(configOf('--max-file-size=7').maxSizeMb, 7);
    assert.equal(configFromOptions({ dir, maxFileSize: 7 }, {}).maxSizeMb, 7);
    assert.match(problemOf('--max-file-size=0'), /^--max-file-size must be between 1 and 100 MB; "0" is not accepted/);
  });

  it('are refused if both names are given', () => {
    assert.equal(
      problemOf('--max-size=5', '--max-file-size', '5'),
      '--max-size: given 2 times (--max-size="5", --max-file-size="5"); accepted once',
    );
  });
});

describe('--host', () => {
  it('accepts each address of this machine', () => {
    for (const { address } of Object.values(networkInterfaces()).flatMap((each) => each ?? [])) {
      assert.equal(configOf(`--host=${address}`).host, address.toLowerCase());
    }
  });
});

describe('the table of flags', () => {
  it('names its rows in camelCase', () => {
    for (const [key, { name }] of Object.entries(flags)) assert.equal(camelCase(name), key);
  });

  it('is tested row by row', () => {
    const taking = Object.entries<AnyFlag>(flags).filter(([, { placeholder }]) => placeholder !== undefined);
    assert.deepEqual(taking.map(([key]) => key).sort(), [...Object.keys(flagCases), ...pathFlags].sort());
  });

  it('appears complete in the help, one screen line per flag, with few other lines', () => {
    const lines = helpText(fileEditor).trimEnd().split('\n');
    assert.ok(lines.length - allFlags.length - toolsets.length <= 31, String(lines.length));
    for (const line of lines) assert.ok(line.length <= 80, line);
    for (const { name } of allFlags)
      assert.ok(
        lines.some((line) => line.startsWith(`  --${name}`)),
        name,
      );
    for (const name of operations.keys()) assert.ok(helpText(fileEditor).includes(name), name);
    assert.ok(helpText(fileEditor).includes('--max-file-size'));
  });

  it('gives a frozen configuration', () => {
    assert.ok(Object.isFrozen(configOf()));
  });
});
