/** The install links in the documents: those that the configuration makes, and each starts the server. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { installLinks, withInstallLinks } from '../../src/packaging/clients/install-links.js';
import { npxArguments } from '../../src/packaging/clients/server.js';
import { withDirectory } from '../directory.js';
import { cli } from '../fronts/server-process.js';
import { offered } from '../operations/offered.js';
import { decoded, linksIn, toolsThatWork, type Start } from './installed.js';

const pages = {
  'README.md': installLinks.filter((link) => link.startsWith('https:')),
  'docs/mcp.md': installLinks,
};

/** The package is not published: the built command stands for the arguments of npx that fetch it, and nothing else. */
function asBuilt({ command, args }: Start): Start {
  const fetched = [...npxArguments, 'file-editing-server@latest'];
  assert.deepEqual([command, ...args.slice(0, fetched.length)], ['npx', ...fetched]);
  return { command: process.execPath, args: [cli, ...args.slice(fetched.length)] };
}

for (const [name, expected] of Object.entries(pages)) {
  const page = readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');

  describe(`the install links in ${name}`, () => {
    it('are those of the configuration; npm run build:listings writes them', () => {
      assert.deepEqual(linksIn(page).sort(), [...expected].sort());
      assert.equal(withInstallLinks(page), page);
    });

    for (const link of linksIn(page)) {
      it(`start the server for the directory of the editor: ${link.replace(/\?.*/, '')}`, () =>
        withDirectory({}, async (directory) => {
          const served = join(directory, 'a project, ünïcode');
          mkdirSync(served);
          const { name: server, start } = decoded(link);
          assert.equal(server, 'files');
          assert.deepEqual(await toolsThatWork(asBuilt(start(served)), served, { cwd: directory }), offered(['agent']));
        }));
    }
  });
}

it('an install link that is older is replaced in its page', () => {
  const page =
    'See [one](vscode:mcp/install?old), and\n[two]: https://cursor.com/en/install-mcp?name=x\n[x]: vscode:mcp\n';
  const [, , , vscode = ''] = installLinks;
  const [cursor = ''] = installLinks;
  assert.equal(withInstallLinks(page), `See [one](${vscode}), and\n[two]: ${cursor}\n[x]: vscode:mcp\n`);
});
