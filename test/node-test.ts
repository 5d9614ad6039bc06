/** Runs `node --test` in its own process, with the loader of these tests. */
import { spawn } from 'node:child_process';

const loader = new URL('typescript.mjs', import.meta.url).href;

/** @param options of node @returns the exit code, 1 if a signal ended it */
export async function nodeTest(options: readonly string[], files: readonly string[]): Promise<number> {
  // Tells at its end what failed, where a log that is cut still has it; the default without a terminal does not.
  const reporter = options.some((option) => option.startsWith('--test-reporter')) ? [] : ['--test-reporter=spec'];
  const child = spawn(process.execPath, ['--import', loader, '--test', ...reporter, ...options, ...files], {
    stdio: 'inherit',
    // A server would read the certificates named there, and log it.
    env: { ...process.env, NODE_EXTRA_CA_CERTS: '' },
  });
  // Ctrl-C reaches the child too, which then reports what ran.
  process.on('SIGINT', () => undefined);
  process.once('SIGTERM', () => child.kill());
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => {
      resolve(code ?? 1);
    });
  });
}
