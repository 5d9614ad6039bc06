import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Matches the package folder of a bundled file. */
const packagePath = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/;

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
}

/**
 * The licences of the bundled packages, all of which must accompany copies.
 * @param inputs paths of bundled files, from the root of this package
 * @throws if a package has no licence
 */
export async function noticesOf(root: string, inputs: Iterable<string>): Promise<string> {
  const packages = new Set<string>();
  for (const input of inputs) {
    const [found] = packagePath.exec(input) ?? [];
    if (found !== undefined) packages.add(found);
  }
  const notices = await Promise.all([...packages].sort().map((folder) => noticeOf(join(root, folder))));
  return ['This package contains parts of the following ones.\n', ...notices].join(`\n${'-'.repeat(80)}\n\n`);
}

async function noticeOf(folder: string): Promise<string> {
  const { name, version, license = '' } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest;
  const file = (await readdir(folder)).find((each) => /^licen[cs]e/i.test(each));
  if (file === undefined && license === '') throw new Error(`${name} is bundled and has no licence`);
  const text = file === undefined ? '' : `\n${await readFile(join(folder, file), 'utf8')}`;
  return `${name} ${version}: ${license}\n${text}`;
}
