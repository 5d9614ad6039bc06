import { execFileSync } from 'node:child_process';

export function makeFifo(path: string): void {
  execFileSync('mkfifo', [path]);
}
