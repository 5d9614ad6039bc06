import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { configFromArguments, configFromOptions } from '../../src/config/config.js';
import { platform } from '../../src/core/platform.js';
import { instead } from '../faults.js';
import { needs } from '../needs.js';
import { dir, problemOf, problemsOf, root } from './config-scene.js';

const isLinux = process.platform === 'linux';

describe('--dir', () => {
  it('is resolved to its real path once', { skip: needs.links }, () => {
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

  it('defaults to BASE_PATH', () => {
    assert.equal(configFromArguments([], { BASE_PATH: dir }).directory, dir);
    assert.equal(configFromArguments([`--dir=${dir}`], { BASE_PATH: 'relative' }).directory, dir);
  });

  const expected = 'expected an existing directory that this process may read and write';
  it('is required', () => {
    for (const env of [{}, { BASE_PATH: '' }]) {
      const problems = problemsOf(() => configFromArguments([], env));
      assert.deepEqual(problems, [`--dir argument is required; ${expected}, here or as an absolute path in BASE_PATH`]);
    }
    assert.match(problemsOf(() => configFromOptions({}, {})).join(), /^dir argument is required; expected/);
  });

  it('refuses a relative BASE_PATH', () => {
    const problems = problemsOf(() => configFromArguments([], { BASE_PATH: 'served' }));
    const whole = JSON.stringify(join(process.cwd(), 'served'));
    assert.deepEqual(problems, [`BASE_PATH: "served" is not an absolute path; ${expected}; did you mean ${whole}?`]);
  });

  it('suggests a similarly named directory next to a missing one', () => {
    mkdirSync(join(root, 'documents'));
    const problem = problemsOf(() => configFromArguments([`--dir=${join(root, 'docments')}`], {})).join();
    assert.ok(problem.endsWith(`did you mean ${JSON.stringify(join(root, 'documents'))}?`), problem);
  });

  it('refuses what does not exist or is no directory', () => {
    const file = join(root, 'file');
    writeFileSync(file, '');
    const missing = join(root, 'missing');
    const belowFile = platform.name === 'win32' ? 'does not exist' : 'cannot be reached (ENOTDIR)';
    const refusals = [
      [missing, 'does not exist'],
      [file, 'is not a directory'],
      [join(file, 'below'), belowFile],
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

  it('refuses a link that leads to itself', { skip: needs.links }, () => {
    const path = join(root, 'loop');
    symlinkSync('loop', path);
    const problems = problemsOf(() => configFromArguments([`--dir=${path}`], {}));
    assert.deepEqual(problems, [`--dir: ${JSON.stringify(path)} cannot be reached (ELOOP); ${expected}`]);
  });

  it('says where a missing relative path leads, and that the shell has not expanded ~', () => {
    const about = (path: string): string => problemsOf(() => configFromArguments([`--dir=${path}`], {})).join();
    const whole = JSON.stringify(join(process.cwd(), 'no/such'));
    assert.equal(about('no/../no/such'), `--dir: "no/../no/such" does not exist (resolved to ${whole}); ${expected}`);
    for (const path of ['~', '~/files'])
      assert.match(about(path), /does not exist \(.*not expanded ~ here: write \$HOME instead\); /);
    assert.match(about('~files'), /does not exist \(resolved to /);
    assert.ok(about('x/'.repeat(5000)).length < 300);
  });

  it(
    'is refused if /proc belongs to other processes, because every file is opened through it',
    { skip: !isLinux && 'no /proc' },
    () => {
      instead('readlinkSync', () => root);
      assert.match(problemOf(), /cannot be kept track of, since \/proc\/\d+\/fd does not show/);
    },
  );

  it('must have a value, and cannot be given twice', () => {
    for (const args of [['--dir'], ['--dir='], ['--dir', '--read-only']]) {
      assert.match(
        problemsOf(() => configFromArguments(args, {})).join(),
        /^--dir argument is required; no value given; expected/,
      );
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
    const skip = what.endsWith('link') && needs.links;
    it(`that is ${what} prevents the start, except with --read-only`, { skip }, () => {
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

  const needsRoot = isLinux && process.getuid?.() === 0 ? false : 'needs root to mount a directory';
  it('that is a mount point prevents the start, even on the same device', { skip: needsRoot }, () => {
    const served = mkdtempSync(join(root, 'mounted-'));
    const reserved = join(served, '.file-editor');
    mkdirSync(reserved);
    const mounts = [
      ['--bind', mkdtempSync(join(root, 'volume-'))],
      ['-t', 'tmpfs', 'tmpfs'],
    ];
    for (const what of mounts) {
      execFileSync('mount', [...what, reserved]);
      try {
        const problems = problemsOf(() => configFromArguments([`--dir=${served}`], {}));
        assert.match(
          problems.join(),
          /which is a mount of its own, .*; unmount it, or start with --read-only; expected/,
        );
        assert.equal(configFromArguments([`--dir=${served}`, '--read-only'], {}).directory, served);
      } finally {
        execFileSync('umount', [reserved]);
      }
    }
    assert.equal(configFromArguments([`--dir=${served}`], {}).directory, served);
  });

  it('that is a directory is fine, and none is created', () => {
    const served = mkdtempSync(join(root, 'fine-'));
    assert.equal(configFromArguments([`--dir=${served}`], {}).directory, served);
    assert.deepEqual(readdirSync(served), []);
    mkdirSync(join(served, '.file-editor'), { mode: 0o700 });
    assert.equal(configFromArguments([`--dir=${served}`], {}).directory, served);
  });
});
