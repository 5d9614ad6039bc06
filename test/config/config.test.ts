import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { helpText } from '../../src/commands/help.js';
import { readArguments } from '../../src/config/arguments.js';
import { fileEditor } from '../../src/config/commands.js';
import {
  ArgumentsError,
  configFromArguments,
  configFromOptions,
  withoutOperations,
  type Config,
} from '../../src/config/config.js';
import { allFlags, flags } from '../../src/config/flags.js';
import { camelCase, type Options } from '../../src/config/options.js';
import { StartError } from '../../src/config/start-error.js';
import { operations, type Operation } from '../../src/operations.js';

let root = '';
let dir = '';
before(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'config-')));
  dir = join(root, 'served');
  mkdirSync(dir);
});
after(() => {
  rmSync(root, { recursive: true });
});

/** The configuration of a command line that also names the directory. */
function configOf(...args: string[]): Config {
  return configFromArguments([`--dir=${dir}`, ...args], {});
}

function problemsOf(read: () => Config): readonly string[] {
  try {
    read();
  } catch (error) {
    if (error instanceof StartError) return error.problems;
    throw error;
  }
  assert.fail('nothing was refused');
}

/** The one problem of a command line. */
function problemOf(...args: string[]): string {
  const problems = problemsOf(() => configOf(...args));
  assert.equal(problems.length, 1, problems.join('\n'));
  return problems.join('');
}

interface FlagCase {
  readonly member: keyof Config;
  readonly fallback: unknown;
  /** Text, and the value that it means. */
  readonly good: readonly (readonly [string, unknown])[];
  readonly bad: readonly string[];
  readonly accepted: RegExp;
  readonly with?: readonly string[];
}

const cases: Readonly<
  Record<Exclude<keyof typeof flags, 'dir' | 'reusePort' | 'readOnly' | 'tlsCert' | 'tlsKey' | 'tlsCa'>, FlagCase>
> = {
  transport: {
    member: 'transport',
    fallback: 'http',
    good: [
      ['http', 'http'],
      ['stdio', 'stdio'],
    ],
    bad: ['HTTP', 'tcp', 'http,stdio'],
    accepted: /http or stdio$/,
  },
  host: {
    member: 'host',
    fallback: '127.0.0.1',
    good: [
      ['localhost', 'localhost'],
      ['LocalHost', 'localhost'],
      ['0.0.0.0', '0.0.0.0'],
      ['::', '::'],
      ['::1', '::1'],
      ['0:0:0:0:0:0:0:1', '::1'],
      ['127.1.2.3', '127.1.2.3'],
    ],
    // 192.0.2.0/24 and 2001:db8::/32 are for documentation: no machine has such an address.
    bad: ['example.com', '192.0.2.1', '2001:db8::1', '127.0.0.1:80', '[::1]', '127.1', 'http://127.0.0.1', '*'],
    accepted: /an address of this machine, localhost, 0\.0\.0\.0 or ::$/,
  },
  port: {
    member: 'port',
    fallback: 8080,
    good: [
      ['1024', 1024],
      ['65535', 65535],
    ],
    bad: [
      '0',
      '80',
      '1023',
      '65536',
      '8080.0',
      '1e4',
      '-8080',
      '+8080',
      ' 8080',
      '0x1F90',
      'http',
      '99999999999999999999',
    ],
    accepted: /a whole number from 1024 to 65535$/,
  },
  maxSize: {
    member: 'maxSizeMb',
    fallback: 10,
    good: [
      ['1', 1],
      ['100', 100],
    ],
    bad: ['0', '101', '1.5', '10MB'],
    accepted: /a whole number from 1 to 100$/,
  },
  timeout: {
    member: 'timeoutMs',
    fallback: 10_000,
    good: [
      ['1', 1000],
      ['300', 300_000],
    ],
    bad: ['0', '301', '10s'],
    accepted: /a whole number from 1 to 300$/,
  },
  maxLines: {
    member: 'maxLines',
    fallback: undefined,
    good: [
      ['1', 1],
      ['10000000', 10_000_000],
    ],
    bad: ['0', '10000001', '1,000'],
    accepted: /a whole number from 1 to 10000000$/,
  },
  maxConcurrent: {
    member: 'maxConcurrent',
    fallback: undefined,
    good: [
      ['1', 1],
      ['100', 100],
    ],
    bad: ['0', '101', 'off'],
    accepted: /a whole number from 1 to 100$/,
  },
  maxQueue: {
    member: 'maxQueue',
    fallback: 20,
    good: [
      ['0', 0],
      ['10000', 10_000],
    ],
    bad: ['-1', '10001'],
    accepted: /a whole number from 0 to 10000$/,
    with: ['--max-concurrent=1'],
  },
  toolset: {
    member: 'toolsets',
    fallback: ['files'],
    good: [
      ['files', ['files']],
      ['storage', ['storage']],
      ['storage,files', ['files', 'storage']],
      ['all', ['files', 'storage', 'edits']],
      ['edits', ['edits']],
      ['files,all', ['files', 'storage', 'edits']],
      ['files, files', ['files']],
    ],
    bad: ['none', 'files,', ',', 'Files', 'edit', 'files all'],
    accepted: /files, storage, edits or all; several separated by commas$/,
  },
  names: {
    member: 'names',
    fallback: 'portable',
    good: [
      ['portable', 'portable'],
      ['unicode', 'unicode'],
    ],
    bad: ['any'],
    accepted: /portable or unicode$/,
  },
  mcpMaxChars: {
    member: 'mcpMaxChars',
    fallback: 0,
    good: [
      ['0', 0],
      ['1000', 1000],
      ['100000000', 100_000_000],
    ],
    bad: ['1', '999', '100000001'],
    accepted: /a whole number from 1000 to 100000000, or 0$/,
  },
  mcpLineBase: {
    member: 'mcpLineBase',
    fallback: 0,
    good: [
      ['0', 0],
      ['1', 1],
    ],
    bad: ['2', '00', 'one'],
    accepted: /0 or 1$/,
  },
  durability: {
    member: 'durability',
    fallback: 'full',
    good: [
      ['full', 'full'],
      ['file', 'file'],
      ['none', 'none'],
    ],
    bad: ['fsync'],
    accepted: /full or file or none$/,
  },
  workers: {
    member: 'workers',
    fallback: flags.workers.fallback,
    good: [
      ['1', 1],
      ['64', 64],
    ],
    bad: ['0', '65', 'auto'],
    accepted: /a whole number from 1 to 64$/,
  },
  cacheMb: {
    member: 'cacheMb',
    fallback: 64,
    good: [
      ['0', 0],
      ['4096', 4096],
    ],
    bad: ['4097', '-1'],
    accepted: /a whole number from 0 to 4096$/,
  },
  allowOrigin: {
    member: 'allowOrigins',
    fallback: [],
    good: [
      ['https://a.example', ['https://a.example']],
      ['http://localhost:3000,https://b', ['http://localhost:3000', 'https://b']],
      ['HTTPS://A.Example:443', ['https://a.example']],
      ['http://[::1]:5173', ['http://[::1]:5173']],
      ['chrome-extension://abcdef', ['chrome-extension://abcdef']],
    ],
    bad: [
      '*',
      'null',
      'https://*.example',
      'a.example',
      '//a',
      'https://a/',
      'https://a/b',
      'https://a?b',
      'https://a#b',
      'https://u:p@a',
      'https://',
      'file:///',
      'http://a:99999',
      'https://a,',
      'https://a b',
    ],
    accepted: /an origin such as https:\/\/app\.example\.com:3000, without a path and without \*/,
  },
  logLevel: {
    member: 'logLevel',
    fallback: 'info',
    good: ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'].map((level) => [level, level] as const),
    bad: ['verbose', 'INFO', '3'],
    accepted: /trace or debug or .* or silent$/,
  },
};

for (const [key, { member, fallback, good, bad, accepted, with: others = [] }] of Object.entries(cases)) {
  const flag = allFlags.find(({ name }) => camelCase(name) === key);
  assert.ok(flag);
  const name = `--${flag.name}`;

  describe(name, () => {
    it(`is ${String(fallback)} by default`, () => {
      assert.deepEqual(configOf()[member], fallback);
    });

    for (const [text, value] of good) {
      it(`takes ${text}, behind = and as the next argument`, () => {
        assert.deepEqual(configOf(...others, `${name}=${text}`)[member], value);
        assert.deepEqual(configOf(...others, name, text)[member], value);
      });
      it(`takes ${text} as the option ${key}`, () => {
        const options: Options = { dir, maxConcurrent: 1, [key]: text };
        assert.deepEqual(configFromOptions(options, {})[member], value);
      });
    }

    for (const text of bad) {
      it(`refuses ${JSON.stringify(text)}`, () => {
        const problem = problemOf(...others, `${name}=${text}`);
        assert.ok(problem.startsWith(`${name}: ${JSON.stringify(text)} is not accepted; expected `), problem);
        assert.match(problem.replace(/; did you mean .*$/, ''), accepted);
      });
    }

    it('refuses to be without a value', () => {
      for (const args of [[`${name}=`], [name]]) {
        const problem = problemOf(...others, ...args);
        assert.ok(problem.startsWith(`${name}: no value given; expected `), problem);
        assert.match(problem, accepted);
      }
    });

    it('refuses to be given twice', () => {
      const [[text] = ['']] = good;
      const problem = problemOf(...others, `${name}=${text}`, `${name}=${text}`);
      assert.equal(problem, `${name}: given 2 times (${name}="${text}", ${name}="${text}"); accepted once`);
    });
  });
}

describe('--tls-cert, --tls-key and --tls-ca', () => {
  const file = (label: string, name: string): object => ({ label, path: join(process.cwd(), name) });

  it('are paths of files that are looked at later, from the folder of the process', () => {
    assert.equal(configOf().tls, undefined);
    const { tls } = configOf('--tls-cert=a.pem', '--tls-key', 'b/../b.pem');
    assert.deepEqual(tls, { cert: file('--tls-cert', 'a.pem'), key: file('--tls-key', 'b.pem'), ca: undefined });
    const options = configFromOptions({ dir, tlsCert: 'a.pem', tlsKey: 'b.pem', tlsCa: 'c.pem' }, {});
    const given = { cert: file('tlsCert', 'a.pem'), key: file('tlsKey', 'b.pem'), ca: file('tlsCa', 'c.pem') };
    assert.deepEqual(options.tls, given);
  });

  for (const [args, problems] of [
    [['--tls-cert=a'], ['--tls-cert: "a" means nothing alone; accepted together with --tls-key']],
    [['--tls-key=a'], ['--tls-key: "a" means nothing alone; accepted together with --tls-cert']],
    [['--tls-ca=a'], ['--tls-ca: "a" means nothing alone; accepted together with --tls-cert and --tls-key']],
    [
      ['--tls-ca=a', '--tls-key=b'],
      [
        '--tls-key: "b" means nothing alone; accepted together with --tls-cert',
        '--tls-ca: "a" means nothing alone; accepted together with --tls-cert and --tls-key',
      ],
    ],
    [
      ['--tls-cert=a', '--tls-key=b', '--transport=stdio'],
      [
        '--tls-cert: "a" means nothing with stdio; accepted with --transport=http',
        '--tls-key: "b" means nothing with stdio; accepted with --transport=http',
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

describe('flags without a value', () => {
  for (const [name, member] of [
    ['--read-only', 'readOnly'],
    ['--reuse-port', 'reusePort'],
  ] as const) {
    it(`${name} is off by default, and on where it is given`, () => {
      assert.equal(configOf()[member], false);
      assert.equal(configOf(name)[member], true);
      assert.equal(configFromOptions({ dir, [member]: true }, {})[member], true);
      assert.equal(configFromOptions({ dir, [member]: false }, {})[member], false);
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

    it(`${name} takes nothing that follows it`, () => {
      assert.equal(problemOf(name, 'on'), '"on": unknown argument; accepted are the flags that --help lists');
    });

    it(`${name} refuses to be given twice`, () => {
      assert.equal(problemOf(name, name), `${name}: given 2 times (${name}, ${name}); accepted once`);
    });
  }
});

describe('a value that is not accepted', () => {
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
    it(`is answered with the nearest one that is: ${slip}`, () => {
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
    it(`is answered with the range alone where none is near: ${slip}`, () => {
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

    it(`${name} refuses each of its values, beside other problems`, () => {
      assert.deepEqual(
        problemsOf(() => configOf('--port=80', `${name}=a`, `${name}=b`)),
        [
          `${name}: "a" is not accepted; expected no value`,
          `${name}: "b" is not accepted; expected no value`,
          '--port: "80" is not accepted; expected a whole number from 1024 to 65535; did you mean 8080?',
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
    [['--', '-h'], undefined],
  ] as const) {
    it(`${args.join(' ')} ask for ${String(information)}`, () => {
      assert.equal(readArguments(args).information, information);
    });
  }
});

describe('the limits', () => {
  it('in megabytes are 1,048,576 bytes each', () => {
    assert.equal(configOf('--max-size=3').maxBytes, 3 * 1_048_576);
  });

  it('are also given by --max-file-size', () => {
    assert.equal(configOf('--max-file-size=7').maxSizeMb, 7);
    assert.equal(configFromOptions({ dir, maxFileSize: 7 }, {}).maxSizeMb, 7);
    assert.match(problemOf('--max-file-size=0'), /^--max-file-size: "0" is not accepted; expected a whole number/);
  });

  it('are refused if both names are given', () => {
    assert.equal(
      problemOf('--max-size=5', '--max-file-size', '5'),
      '--max-size: given 2 times (--max-size="5", --max-file-size="5"); accepted once',
    );
  });
});

describe('--host', () => {
  it('takes each address of this machine', () => {
    for (const { address } of Object.values(networkInterfaces()).flatMap((each) => each ?? [])) {
      assert.equal(configOf(`--host=${address}`).host, address.toLowerCase());
    }
  });
});

describe('--dir', () => {
  it('is resolved to its real path, once', () => {
    symlinkSync(dir, join(root, 'link'));
    assert.equal(configFromArguments([`--dir=${join(root, 'link')}/`], {}).directory, dir);
  });

  it('may be relative to the current directory', () => {
    const previous = process.cwd();
    process.chdir(root);
    try {
      assert.equal(configFromArguments(['--dir=served'], {}).directory, dir);
    } finally {
      process.chdir(previous);
    }
  });

  it('is taken from BASE_PATH where it is not given', () => {
    assert.equal(configFromArguments([], { BASE_PATH: dir }).directory, dir);
    assert.equal(configFromArguments([`--dir=${dir}`], { BASE_PATH: 'relative' }).directory, dir);
  });

  const expected = 'expected an existing directory that this process may read and write';
  it('is required', () => {
    for (const env of [{}, { BASE_PATH: '' }]) {
      const problems = problemsOf(() => configFromArguments([], env));
      assert.deepEqual(problems, [`--dir: missing; ${expected}, here or as an absolute path in BASE_PATH`]);
    }
    assert.match(problemsOf(() => configFromOptions({}, {})).join(), /^dir: missing/);
  });

  it('refuses a BASE_PATH that is relative', () => {
    const problems = problemsOf(() => configFromArguments([], { BASE_PATH: 'served' }));
    const whole = JSON.stringify(join(process.cwd(), 'served'));
    assert.deepEqual(problems, [`BASE_PATH: "served" is not an absolute path; ${expected}; did you mean ${whole}?`]);
  });

  it('suggests the directory beside a missing one whose name is almost the same', () => {
    mkdirSync(join(root, 'documents'));
    const problem = problemsOf(() => configFromArguments([`--dir=${join(root, 'docments')}`], {})).join();
    assert.ok(problem.endsWith(`did you mean ${JSON.stringify(join(root, 'documents'))}?`), problem);
  });

  it('refuses what does not exist or is no directory', () => {
    const file = join(root, 'file');
    writeFileSync(file, '');
    const missing = join(root, 'missing');
    symlinkSync('loop', join(root, 'loop'));
    const refusals = [
      [missing, 'does not exist'],
      [file, 'is not a directory'],
      [join(file, 'below'), 'cannot be reached (ENOTDIR)'],
      [join(root, 'loop'), 'cannot be reached (ELOOP)'],
      [join(root, 'a\0b'), 'cannot be reached (ERR_INVALID_ARG_VALUE)'],
    ] as const;
    for (const [path, reason] of refusals) {
      const problems = problemsOf(() => configFromArguments([`--dir=${path}`], {}));
      assert.deepEqual(problems, [`--dir: ${JSON.stringify(path)} ${reason}; ${expected}`]);
    }
    const problems = problemsOf(() => configFromArguments([], { BASE_PATH: missing }));
    assert.deepEqual(problems, [`BASE_PATH: ${JSON.stringify(missing)} does not exist; ${expected}`]);
    assert.throws(() => readdirSync(missing), 'it was created');
  });

  it('tells where a relative path leads that does not exist, and that the shell has not replaced ~', () => {
    const about = (path: string): string => problemsOf(() => configFromArguments([`--dir=${path}`], {})).join();
    const whole = JSON.stringify(join(process.cwd(), 'no/such'));
    assert.equal(about('no/../no/such'), `--dir: "no/../no/such" does not exist (it means ${whole}); ${expected}`);
    for (const path of ['~', '~/files'])
      assert.match(about(path), /does not exist \(.*not expanded ~ here: write \$HOME instead\); /);
    assert.match(about('~files'), /does not exist \(it means /);
    assert.ok(about('x/'.repeat(5000)).length < 300);
  });

  it('refuses to be without a value, or given twice', () => {
    for (const args of [['--dir'], ['--dir='], ['--dir', '--read-only']]) {
      assert.match(problemsOf(() => configFromArguments(args, {})).join(), /^--dir: no value given; expected/);
    }
    assert.match(problemOf(`--dir=${dir}`), /^--dir: given 2 times/);
  });
});

describe('the reserved directory', () => {
  const obstacles: readonly [string, (path: string) => void, string][] = [
    [
      'a file',
      (path) => {
        writeFileSync(path, '');
      },
      'is not a directory',
    ],
    [
      'a link',
      (path) => {
        symlinkSync(dir, path);
      },
      'is a link',
    ],
    [
      'a dangling link',
      (path) => {
        symlinkSync('nowhere', path);
      },
      'is a link',
    ],
  ];
  for (const [what, make, reason] of obstacles) {
    it(`that is ${what} stops the start, except with --read-only`, () => {
      const served = mkdtempSync(join(root, 'obstacle-'));
      make(join(served, '.file-editor'));
      const problems = problemsOf(() => configFromArguments([`--dir=${served}`], {}));
      assert.equal(problems.length, 1);
      assert.ok(
        problems[0]?.includes(
          `holds .file-editor, which ${reason}; run as its owner, or remove it if no server uses it, or start with --read-only`,
        ),
      );
      assert.equal(configFromArguments([`--dir=${served}`, '--read-only'], {}).directory, served);
    });
  }

  it('that is a directory is fine, and none is made', () => {
    const served = mkdtempSync(join(root, 'fine-'));
    assert.equal(configFromArguments([`--dir=${served}`], {}).directory, served);
    assert.deepEqual(readdirSync(served), []);
    mkdirSync(join(served, '.file-editor'), { mode: 0o700 });
    assert.equal(configFromArguments([`--dir=${served}`], {}).directory, served);
  });
});

describe('combinations', () => {
  for (const [flag, value] of [
    ['host', '"127.0.0.1"'],
    ['port', '"9000"'],
    ['allow-origin', '"https://a"'],
  ] as const) {
    it(`--${flag} means nothing on stdio`, () => {
      assert.equal(
        problemOf('--transport=stdio', `--${flag}=${value.replaceAll('"', '')}`),
        `--${flag}: ${value} means nothing with stdio; accepted with --transport=http`,
      );
    });
  }

  it('--reuse-port means nothing on stdio', () => {
    assert.match(problemOf('--reuse-port', '--transport=stdio'), /^--reuse-port: means nothing with stdio/);
  });

  it('--max-queue means nothing without --max-concurrent', () => {
    assert.equal(
      problemOf('--max-queue=5'),
      '--max-queue: "5" means nothing alone; accepted together with --max-concurrent',
    );
    assert.match(
      problemsOf(() => configFromOptions({ dir, maxQueue: 5 }, {})).join(),
      /^maxQueue: "5" .* with maxConcurrent$/,
    );
  });

  it('a toolset of which --read-only leaves nothing is refused', () => {
    const read = operations.get('read_file');
    assert.ok(read);
    const table: Operation[] = [read, { ...read, name: 'edit_file', writes: true }];
    assert.deepEqual(withoutOperations(['files', 'all'], table), []);
    assert.deepEqual(withoutOperations(['files', 'all'], table.slice(1)), ['files', 'all']);
    assert.deepEqual(withoutOperations(['edits'], table), ['edits']);
  });
});

describe('what is no flag', () => {
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
    [['--', '--port=80'], '"--": is not accepted; leave it out, so that what follows it is read as flags'],
    [[''], '"": unknown argument; accepted are the flags that --help lists'],
    [['--__proto__=1'], '"--__proto__=1": unknown flag; accepted are the flags that --help lists'],
  ];
  for (const [args, problem] of strange) {
    it(`${JSON.stringify(args)} is refused`, () => {
      assert.equal(problemOf(...args), problem);
    });
  }

  it('is perhaps the directory, if it is one', () => {
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

  it('is shown on one line, and not at length', () => {
    const problem = problemOf(`--log-level=a\n${'x'.repeat(10_000)}`);
    assert.ok(!problem.includes('\n') && problem.length < 300, problem);
  });
});

describe('a negative number', () => {
  it('is a value, not a flag', () => {
    assert.match(problemOf('--port', '-5'), /^--port: "-5" is not accepted/);
  });
});

describe('all problems', () => {
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
      '--port: "80"',
      '--port: "81"',
      '--port: given 2 times',
      '--timeout: no value',
      '--read-only: "yes"',
      '--max-queue: "5"',
      '"extra"',
      '--host: "x"',
      '--dir: missing',
    ]) {
      assert.ok(
        problems.some((problem) => problem.startsWith(start)),
        `${start} is missing in\n${problems.join('\n')}`,
      );
    }
    assert.equal(problems.length, 10, problems.join('\n'));
  });

  /** Where HTTP would be served in spite of the problems. */
  function addressOf(read: () => Config): unknown {
    try {
      read();
    } catch (error) {
      if (error instanceof ArgumentsError) return error.address;
      throw error;
    }
    assert.fail('nothing was refused');
  }

  it('leave the address certain where nothing is wrong with it', () => {
    const usual = { host: '127.0.0.1', port: 8080, reusePort: false, tls: undefined };
    const certain: readonly [string[], object][] = [
      [['--timeout=0'], usual],
      [['--xyzzy'], usual],
      [
        ['--timeout=0', '--transport=http', '--port=9000', '--host=::1', '--reuse-port'],
        { host: '::1', port: 9000, reusePort: true, tls: undefined },
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
      { ...usual, port: 0 },
    );
  });

  it('leave no address to try where it is wrong or doubtful, or on stdio', () => {
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

  it('are the message of the error', () => {
    assert.throws(() => configOf('--port=1', '--timeout=0'), {
      name: 'StartError',
      message: /^--port: .*\n--timeout: .*$/,
    });
  });
});

describe('the library', () => {
  it('takes values of their own types', () => {
    const config = configFromOptions(
      {
        dir,
        port: 0,
        maxSize: 5,
        toolset: ['files', 'all'],
        allowOrigin: ['https://a', 'https://b'],
        mcpLineBase: 1,
        timeout: undefined,
      },
      {},
    );
    assert.equal(config.port, 0);
    assert.equal(config.maxSizeMb, 5);
    assert.deepEqual(config.toolsets, ['files', 'storage', 'edits']);
    assert.deepEqual(config.allowOrigins, ['https://a', 'https://b']);
    assert.equal(config.mcpLineBase, 1);
    assert.equal(config.timeoutMs, 10_000);
    assert.equal(configFromOptions({ dir, allowOrigin: 'https://a' }, {}).allowOrigins[0], 'https://a');
  });

  it('names its options in problems', () => {
    const problems = problemsOf(() => configFromOptions({ dir, port: 80, maxSize: 1.5 }, {}));
    assert.deepEqual(problems, [
      'maxSize: "1.5" is not accepted; expected a whole number from 1 to 100',
      'port: "80" is not accepted; expected a whole number from 1024 to 65535, or 0; did you mean 8080?',
    ]);
  });
});

describe('the table of flags', () => {
  it('has its rows under their names in camelCase', () => {
    for (const [key, { name }] of Object.entries(flags)) assert.equal(camelCase(name), key);
  });

  it('is tested row by row above', () => {
    assert.deepEqual(
      Object.keys(flags).sort(),
      [...Object.keys(cases), 'dir', 'reusePort', 'readOnly', 'tlsCert', 'tlsKey', 'tlsCa'].sort(),
    );
  });

  it('is all in the help, which fits a screen of 80 × 40', () => {
    const lines = helpText(fileEditor).trimEnd().split('\n');
    assert.ok(lines.length <= 40, String(lines.length));
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
