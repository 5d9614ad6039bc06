import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { chunkSize } from '../../workers/text/kernel.js';
import { hashOf } from '../../workers/text/text-file.js';
import { withDirectory } from '../directory.js';

/** The reference implementation's own test values (xxHash, cli/xsum_sanity_check.c). */
const sanity = {
  0: '2d06800538d394c2',
  1: 'c44bdff4074eecdb',
  6: '27b56a84cd2d7325',
  12: 'a713daf0dfbb77e7',
  24: 'a3fe70bf9d3510eb',
  48: '397da259ecba1f11',
  80: 'bcdefbbb2c47c90a',
  195: 'cd94217ee362ec3a',
  403: 'cdeb804d65c6dea4',
  512: '617e49599013cb6b',
  2048: 'dd59e2c3a5f038e0',
  2240: '6e73a90539cf2948',
  2367: 'cb37aeb9e5d361ed',
};

function sanityBytes(length: number): Buffer {
  let generator = 2_654_435_761n;
  const next = (): number => {
    const byte = Number(generator >> 56n);
    generator = BigInt.asUintN(64, generator * 11_400_714_785_074_694_797n);
    return byte;
  };
  return Buffer.from(Array.from({ length }, next));
}

/** Hashes of the files in a directory, by name; undefined if the program is not installed. */
function xxhsum(directory: string, names: readonly string[]): string[] | undefined {
  try {
    const lines = execFileSync('xxhsum', ['-H3', ...names], { cwd: directory, stdio: 'pipe' })
      .toString()
      .trim();
    // Its versions differ in the text around the digits.
    return lines.split('\n').map((line) => /\b[0-9a-f]{16}\b/.exec(line)?.[0] ?? line);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

describe('the hash of a text', () => {
  for (const [length, hash] of Object.entries(sanity)) {
    it(`of ${length} bytes is the published one`, () => {
      assert.equal(hashOf(sanityBytes(Number(length))), hash);
    });
  }

  it('equals the output of xxhsum -H3 for every length to 1100 and around chunk ends', (t) =>
    withDirectory({}, (directory) => {
      const around = [1, 2, 3].flatMap((chunks) =>
        [-65, -64, -1, 0, 1, 63, 64, 65].map((more) => chunks * chunkSize + more),
      );
      const lengths = [...Array(1101).keys(), ...around, 1_000_003];
      const texts = lengths.map((length) => randomBytes(length));
      const names = texts.map((_, index) => String(index));
      for (const [index, text] of texts.entries()) writeFileSync(join(directory, String(index)), text);
      const expected = xxhsum(directory, names);
      if (expected === undefined) {
        t.skip('xxhsum is not installed (Debian: xxhash)');
        return;
      }
      for (const [index, text] of texts.entries()) assert.equal(hashOf(text), expected[index], `${text.length} bytes`);
    }));

  it('differs if one byte does', () => {
    for (const length of [1, 5, 16, 100, 200, 1000, chunkSize + 1]) {
      const text = randomBytes(length);
      const hash = hashOf(text);
      const at = Math.floor(length / 2);
      text[at] = (text[at] ?? 0) ^ 1;
      assert.notEqual(hashOf(text), hash);
    }
  });
});
