/** The byte sequences of utf8tests (github.com/flenniken/utf8tests, commit 52cbdf8, MIT: see the folder), all 216. */
import { readFileSync } from 'node:fs';

export interface Utf8Case {
  readonly id: string;
  readonly valid: boolean;
  readonly bytes: Buffer;
}

export function loadUtf8Cases(): Utf8Case[] {
  const lines = readFileSync(new URL('utf8tests/utf8tests.txt', import.meta.url), 'latin1').split('\n');
  return lines.flatMap((line) => {
    const [, id = '', kind = '', value = ''] = /^([\d.]+):(valid|valid hex|invalid hex):(.*)$/.exec(line) ?? [];
    if (id === '') return [];
    // The bytes of an invalid sequence are followed by the output of decoders.
    const [hex = ''] = value.split(':');
    const bytes = kind === 'valid' ? Buffer.from(value, 'latin1') : Buffer.from(hex.replaceAll(' ', ''), 'hex');
    return [{ id, valid: kind !== 'invalid hex', bytes }];
  });
}
