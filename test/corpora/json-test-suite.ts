/** The documents of JSONTestSuite (github.com/nst/JSONTestSuite, commit 1ef36fa, MIT: see the folder), all 318. */
import { readFileSync } from 'node:fs';

interface Data {
  readonly name: string;
  /** Repeated this many times before the rest. */
  readonly each?: string;
  readonly times?: number;
  readonly base64: string;
}

export interface JsonCase {
  /** The first letter says what parsers must do: `y` accept, `n` refuse, `i` either. */
  readonly name: string;
  readonly bytes: Buffer;
}

export function loadJsonCases(): JsonCase[] {
  const file = new URL('json-test-suite/cases.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as Data[]).map(({ name, each = '', times = 0, base64 }) => {
    const run = Array.from({ length: times }, () => Buffer.from(each, 'base64'));
    return { name, bytes: Buffer.concat([...run, Buffer.from(base64, 'base64')]) };
  });
}
