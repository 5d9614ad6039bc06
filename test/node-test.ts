/** `node --test` in a process of its own, with the loader of these tests. */
import { spawn } from 'node:child_process';

const loader = new URL('typescript.mjs', import.meta.url).href;

/** @param options of node @returns the exit code, 1 if a signal ended it */
export async function nodeTest(options: readonly string[], files: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, ['--import', loader, '--test', ...options, ...files], {
    stdio: 'inherit',
    // Servers would read the certificates that a machine names there, and say so.
    env: { ...process.env, NODE_EXTRA_CA_CERTS: '' },
  });
  // Ctrl-C reaches the child too, which then says what ran.
  process.on('SIGINT', () => undefined);
  process.once('SIGTERM', () => child.kill());
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => {
      resolve(code ?? 1);
    });
  });
}
