import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import {
  ArgumentsError,
  configFromArguments,
  configFromOptions,
  withoutOperations,
  type Config,
} from '../../src/config/config.js';
import { rows, type Operation } from '../../src/core/operations.js';
import { configOf, dir, problemOf, problemsOf } from './config-scene.js';

describe('--tls-cert, --tls-key and --tls-ca', () => {
  const file = (label: string, name: string): object => ({ label, path: join(process.cwd(), name) });

  it('are paths relative to the folder of the process, read later', () => {
    assert.equal(configOf().tls, undefined);
    const { tls } = configOf('--tls-cert=a.pem', '--tls-key', 'b/../b.pem');
    assert.deepEqual(tls, { cert: file('--tls-cert', 'a.pem'), key: file('--tls-key', 'b.pem'), ca: undefined });
    const options = configFromOptions({ dir, tlsCert: 'a.pem', tlsKey: 'b.pem', tlsCa: 'c.pem' }, {});
    const given = { cert: file('tlsCert', 'a.pem'), key: file('tlsKey', 'b.pem'), ca: file('tlsCa', 'c.pem') };
    assert.deepEqual(options.tls, given);
  });

  for (const [args, problems] of [
    [['--tls-cert=a'], ['--tls-cert: "a" has no effect on its own; accepted together with --tls-key']],
    [['--tls-key=a'], ['--tls-key: "a" has no effect on its own; accepted together with --tls-cert']],
    [['--tls-ca=a'], ['--tls-ca: "a" has no effect on its own; accepted together with --tls-cert and --tls-key']],
    [
      ['--tls-ca=a', '--tls-key=b'],
      [
        '--tls-key: "b" has no effect on its own; accepted together with --tls-cert',
        '--tls-ca: "a" has no effect on its own; accepted together with --tls-cert and --tls-key',
      ],
    ],
    [
      ['--tls-cert=a', '--tls-key=b', '--transport=stdio'],
      [
        '--tls-cert: "a" has no effect with --transport=stdio; accepted with --transport=http',
        '--tls-key: "b" has no effect with --transport=stdio; accepted with --transport=http',
      ],
    ],
    [
      ['--tls-cert=', '--tls-key'],
      [
        '--tls-cert: no value given; expected the path of a PEM file',
        '--tls-key: no value given; expected the path of a PEM file',
      ],
    ],
    [
      ['--tls-cert=a', '--tls-cert=b', '--tls-key=c'],
      ['--tls-cert: given 2 times (--tls-cert="a", --tls-cert="b"); accepted once'],
    ],
  ] as const) {
    it(`${args.join(' ')} is refused`, () => {
      assert.deepEqual(
        problemsOf(() => configOf(...args)),
        problems,
      );
    });
  }
});

describe('combinations of flags', () => {
  for (const [flag, value] of [
    ['host', '"127.0.0.1"'],
    ['port', '"9000"'],
    ['allow-origin', '"https://a"'],
  ] as const) {
    it(`--${flag} has no effect on stdio`, () => {
      assert.equal(
        problemOf('--transport=stdio', `--${flag}=${value.replaceAll('"', '')}`),
        `--${flag}: ${value} has no effect with --transport=stdio; accepted with --transport=http`,
      );
    });
  }

  it('--reuse-port has no effect on stdio', () => {
    assert.match(problemOf('--reuse-port', '--transport=stdio'), /^--reuse-port: has no effect with --transport=stdio/);
  });

  it('--max-queue has no effect without --max-concurrent', () => {
    assert.equal(
      problemOf('--max-queue=5'),
      '--max-queue: "5" has no effect on its own; accepted together with --max-concurrent',
    );
    assert.match(
      problemsOf(() => configFromOptions({ dir, maxQueue: 5 }, {})).join(),
      /^maxQueue: "5" .* with maxConcurrent$/,
    );
  });

  it('a toolset that --read-only empties is refused', () => {
    const read = rows.read_file;
    const table: Operation[] = [read, { ...read, name: 'edit_file', writes: true }];
    assert.deepEqual(withoutOperations(['files', 'all'], table), []);
    assert.deepEqual(withoutOperations(['files', 'all'], table.slice(1)), ['files', 'all']);
    assert.deepEqual(withoutOperations(['edits'], table), ['edits']);
  });
});

describe('problems in the configuration', () => {
  it('are listed at once, each naming its flag', () => {
    const args = [
      '--prot=1',
      '--port=80',
      '--port',
      '81',
      '--timeout',
      '--read-only=yes',
      '--max-queue=5',
      'extra',
      '--host=x',
    ];
    const problems = problemsOf(() => configFromArguments(args, {}));
    for (const start of [
      '"--prot=1"',
      '--port must be between 1024 and 65535; "80"',
      '--port must be between 1024 and 65535; "81"',
      '--port: given 2 times',
      '--timeout must be between 1 and 300 seconds; no value',
      '--read-only: "yes"',
      '--max-queue: "5"',
      '"extra"',
      '--host: "x"',
      '--dir argument is required; expected',
    ]) {
      assert.ok(
        problems.some((problem) => problem.startsWith(start)),
        `${start} is missing in\n${problems.join('\n')}`,
      );
    }
    assert.equal(problems.length, 10, problems.join('\n'));
  });

  /** The HTTP address despite the problems. */
  function addressOf(read: () => Config): unknown {
    try {
      read();
    } catch (error) {
      if (error instanceof ArgumentsError) return error.address;
      throw error;
    }
    assert.fail('nothing was refused');
  }

  it('leave the address certain if they do not concern it', () => {
    const addressLabels = { host: '--host', port: '--port', reusePort: '--reuse-port' };
    const usual = { host: '127.0.0.1', port: 8080, reusePort: false, addressLabels, tls: undefined };
    const certain: readonly [string[], object][] = [
      [['--timeout=0'], usual],
      [['--xyzzy'], usual],
      [
        ['--timeout=0', '--transport=http', '--port=9000', '--host=::1', '--reuse-port'],
        { host: '::1', port: 9000, reusePort: true, addressLabels, tls: undefined },
      ],
    ];
    for (const [args, address] of certain) {
      assert.deepEqual(
        addressOf(() => configOf(...args)),
        address,
        args.join(' '),
      );
    }
    assert.deepEqual(
      addressOf(() => configFromArguments([], {})),
      usual,
    );
    assert.deepEqual(
      addressOf(() => configFromOptions({ port: 0 }, {})),
      { ...usual, port: 0, addressLabels: { host: 'host', port: 'port', reusePort: 'reusePort' } },
    );
  });

  it('leave no address to try if it is wrong or doubtful, or on stdio', () => {
    for (const args of [
      ['--port=80'],
      ['--port'],
      ['--port=9000', '--port=9000'],
      ['--host=x'],
      ['--host=::1', '--host=::1'],
      ['--transport=tcp'],
      ['--transport=http', '--transport=stdio'],
      ['--reuse-port=yes'],
      ['--transport=stdio', '--timeout=0'],
    ]) {
      assert.equal(
        addressOf(() => configOf(...args)),
        undefined,
        args.join(' '),
      );
    }
  });

  it('form the message of the error', () => {
    assert.throws(() => configOf('--port=1', '--timeout=0'), {
      name: 'StartError',
      message: /^--port must be .*\n--timeout must be .*$/,
    });
  });
});

describe('the library', () => {
  it('takes values of their native types', () => {
    const config = configFromOptions(
      {
        dir,
        port: 0,
        maxSize: 5,
        toolset: ['files', 'all'],
        allowOrigin: ['https://a', 'https://b'],
        mcpLineBase: 1,
        timeout: undefined,
        paths: ['src/{a,b}/**', 'a,b.txt', '!x'],
      },
      {},
    );
    assert.equal(config.port, 0);
    assert.equal(config.maxSizeMb, 5);
    assert.deepEqual(config.toolsets, ['files', 'storage', 'edits', 'search', 'changes']);
    assert.deepEqual(config.allowOrigins, ['https://a', 'https://b']);
    assert.equal(config.mcpLineBase, 1);
    assert.equal(config.timeoutMs, 10_000);
    assert.deepEqual(config.paths, ['src/{a,b}/**', 'a,b.txt', '!x'], 'a list is not split again');
    assert.equal(configFromOptions({ dir, allowOrigin: 'https://a' }, {}).allowOrigins[0], 'https://a');
  });

  it('names its options in problems', () => {
    const problems = problemsOf(() => configFromOptions({ dir, port: 80, maxSize: 1.5 }, {}));
    assert.deepEqual(problems, [
      'maxSize must be between 1 and 100 MB; "1.5" is not accepted; expected a whole number',
      'port must be between 1024 and 65535, or 0; "80" is not accepted; expected a whole number; did you mean 8080?',
    ]);
  });

  it('refuses a list of paths that is empty or holds what is no pattern', () => {
    for (const [paths, problem] of [
      [[], /^paths: no value given; expected patterns /],
      [['src/**', ''], /; pattern 2 names nothing$/],
      [['a,b', '/etc'], /^paths: "a,b,\/etc" is not accepted; .*; pattern 2 begins with a slash$/],
    ] as const) {
      assert.match(problemsOf(() => configFromOptions({ dir, paths }, {})).join(), problem);
    }
  });
});

describe('--mcp-line-base', () => {
  for (const [args, base] of [
    [[], 0],
    [['--toolset=files'], 0],
    [['--toolset=files,edits'], 1],
    [['--toolset=all', '--read-only'], 1],
    [['--toolset=storage'], 1],
    [['--toolset=agent'], 1],
    [['--toolset=all', '--mcp-line-base=0'], 0],
    [['--mcp-line-base=1'], 1],
  ] as const) {
    it(`is ${String(base)} with ${args.length === 0 ? 'no flag' : args.join(' ')}`, () => {
      assert.equal(configOf(...args).mcpLineBase, base);
    });
  }
});
