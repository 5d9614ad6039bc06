/**
 * `npm test`: the suite, or only what is named.
 *
 *   npm test [-- FILES] [-- OPTIONS of node --test]
 *
 * With `--coverage`, which `npm run coverage` gives, it runs what adds to the coverage, and fails where a room is covered
 * less than it must be. It takes half as long again, and the memory of servers cannot be measured.
 */
import { readdirSync } from 'node:fs';
import { nodeTest } from './node-test.js';
import { translate } from './translation.mjs';

/** Faults, load, documents, and a second MCP client. */
const addsNoCoverage = /^test\/(?:reliability\/|docs\/|fronts\/(?:mcp-client2|mcp-sizes|line-readers))/;

const given = process.argv.slice(2);
const collects = given.includes('--coverage');
const options = given.filter((argument) => argument.startsWith('--') && argument !== '--coverage');
const suite = filesIn('test', '.test.ts').sort().reverse();
const named = given.filter((argument) => !argument.startsWith('--'));

if (named.length === 0) {
  await translate(['src', 'workers', 'bench', 'test'].flatMap((folder) => filesIn(folder, '.ts')));
}
process.exitCode = await nodeTest(
  ['--test-timeout=300000', '--test-concurrency=3', ...options],
  named.length > 0 ? named : suite.filter((file) => !collects || !addsNoCoverage.test(file)),
);
if (collects && process.exitCode === 0) await import('./coverage.js');

function filesIn(folder: string, ending: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((file) => `${folder}/${file.replaceAll('\\', '/')}`)
    .filter((file) => file.endsWith(ending));
}
