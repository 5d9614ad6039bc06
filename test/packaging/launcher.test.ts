/** Programs that start from compiled code: a wrong one must never run. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { compiled } from '../../src/packaging/program.js';
import { withDirectory } from '../directory.js';

const launcher = fileURLToPath(new URL('../../src/packaging/launcher.cjs', import.meta.url));
const hello = "exports.said = 'hello → you'; console.log(/^hello →/.test(exports.said), exports.said);\n";

interface Installed {
  readonly run: () => string;
  readonly put: (part: 'code.cjs' | 'code.compiled', content: string | Buffer) => void;
}

/** A program as the build leaves it. */
async function withProgram(use: (program: Installed, built: ReturnType<typeof compiled>) => void): Promise<void> {
  await withDirectory({}, (directory) => {
    const built = compiled(hello);
    const put: Installed['put'] = (part, content) => {
      writeFileSync(join(directory, `program.${part}`), content);
    };
    copyFileSync(launcher, join(directory, 'program.cjs'));
    put('code.cjs', built.code);
    put('code.compiled', built.compiled);
    // Coverage is not collected: the launcher would leave the compiled form alone.
    const env = { ...process.env, NODE_V8_COVERAGE: '' };
    const run = (): string =>
      execFileSync(process.execPath, [join(directory, 'program.cjs')], { encoding: 'utf8', env });
    use({ run, put }, built);
    rmSync(join(directory, '.compiled'), { recursive: true, force: true });
    return Promise.resolve();
  });
}

describe('a program', () => {
  it('runs the compiled form of its code', () =>
    withProgram(({ run, put }, { code }) => {
      // Only the compiled form still says hello: V8 compares nothing but the length of the code.
      put('code.cjs', code.replace('console.log(', 'console.bug('));
      assert.equal(run(), 'true hello → you\n');
    }));

  it('runs its code if the compiled form is of other code of the same length', () =>
    withProgram(({ run, put }) => {
      const other = compiled(hello.replaceAll('hello', 'jello'));
      put('code.cjs', other.code);
      assert.equal(run(), 'true jello → you\n');
    }));

  it('runs its code if another Node has compiled it', () =>
    withProgram(({ run, put }, built) => {
      const label = built.compiled.toString('latin1').replace(/ v[\d.]+ (\w+)$/, ' v1.0.0 $1');
      put('code.compiled', Buffer.from(label, 'latin1'));
      assert.equal(run(), 'true hello → you\n');
    }));

  it('runs its code if the compiled form is empty or incomplete', () =>
    withProgram(({ run, put }, built) => {
      for (const form of [Buffer.alloc(0), built.compiled.subarray(0, 50)]) {
        put('code.compiled', form);
        assert.equal(run(), 'true hello → you\n', String(form.length));
      }
    }));
});
