/** The commands of the documentation do what it says when pasted, and are no trap. */
import assert from 'node:assert/strict';
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { helpText } from '../../src/commands/help.js';
import { fileEditor } from '../../src/config/config.js';
import {
  codeSpans,
  fencedBlocks,
  matching,
  page,
  pages,
  runInEmptyFolder,
  shellBlocks,
  withQuickStart,
} from './newcomer.js';
import { servedSecrets } from './served-secrets.js';

const execute = promisify(execFile);
const lacks = (program: string): string | false =>
  spawnSync('sh', ['-c', `command -v ${program}`]).status !== 0 && `no ${program}`;
const skip = lacks('curl') || lacks('bash') || lacks('openssl');

describe('a command that serves secrets', () => {
  const found: readonly [string, string[]][] = [
    ['file-editor --dir=. --tls-key=server.key', ['server.key']],
    ['file-editor --dir . --tls-key keys/server.key', ['keys/server.key']],
    ['file-editor --dir=files --tokens=files/tokens.json', ['files/tokens.json']],
    ['file-editor --dir="$PWD" --dir=/srv 2> /srv/server.log', ['/srv/server.log']],
    ['file-editor --dir=. 2>>server.log &', ['server.log']],
    ['openssl req -keyout ca.key -out ca.pem\nfile-editor --dir=.', ['ca.key', 'ca.pem']],
    ['useradd --home-dir /srv/files files\nBASE_PATH=/srv/files file-storage-backend', ['/srv/files']],
    ['docker run -v /data/x:/data image --tls-key=/data/x/key.pem', ['/data/x/key.pem']],
  ];
  for (const [commands, secrets] of found) {
    it(`is found: ${JSON.stringify(commands)}`, () => assert.deepEqual(servedSecrets(commands), secrets));
  }

  for (const commands of [
    'file-editor --dir=served --tls-key=keys/server.key',
    'file-editor --dir=/srv/files --tls-key=/srv/files.key 2> /var/log/files.log',
    'file-editor --dir=../served --log-level=debug 2>&1 | less',
    'npm run build > build.log',
  ]) {
    it(`is not: ${JSON.stringify(commands)}`, () => assert.deepEqual(servedSecrets(commands), []));
  }
});

describe('the commands of the documentation', () => {
  for (const { name, text } of pages) {
    const blocks = shellBlocks(text);

    it(`put no key, token or log where it is served: ${name}`, () => {
      for (const commands of [...blocks, ...codeSpans(text)]) assert.deepEqual(servedSecrets(commands), [], commands);
    });

    if (blocks.length > 0) {
      it(`can be parsed by a shell: ${name}`, { skip: lacks('bash') }, () => {
        for (const commands of blocks) execFileSync('bash', ['-n'], { input: commands });
      });
    }

    it(`name flags that exist: ${name}`, () => {
      const help = helpText(fileEditor);
      const given = [...blocks, ...codeSpans(text)].flatMap(flagsGiven);
      assert.deepEqual(
        given.filter((flag) => !new RegExp(`${flag}(?![a-z-])`).test(help)),
        [],
      );
    });
  }

  it('that try TLS work in an empty folder, serve no key, and leave nothing', { skip }, async () => {
    const tried = shellBlocks(page('docs/operating.md')).find((block) => block.includes('tls-try'));
    assert.ok(tried !== undefined);
    const [before, health, end] = tried.split(/^(curl [^]*?\/health\n)/m);
    assert.ok(before !== undefined && health !== undefined && end !== undefined);
    const list = health.replace('curl ', 'curl -X POST ').replace('/health', '/list_files');
    const stranger = health.replace(/--cert \S+ --key \S+/, '').replace('curl ', '! curl --silent ');
    const { stdout, left } = await runInEmptyFolder(`${before}${health}${list}${stranger}${end}`);
    assert.match(stdout, /\{"status":"ok",/);
    assert.match(stdout, /\{"files":\[\],"total_count":0,/);
    assert.deepEqual(left, []);
  });

  it('that try tokens work in an empty folder, let in the token alone, and leave nothing', { skip }, async () => {
    const tried = shellBlocks(page('docs/operating.md')).find((block) => block.includes('token-try'));
    assert.ok(tried !== undefined);
    const stranger = 'curl --silent --output /dev/null --write-out "%{http_code}" http://127.0.0.1:8080/metrics\n';
    const { stdout, left } = await runInEmptyFolder(tried.replace(/^kill /m, `${stranger}kill `));
    assert.match(stdout, /\{"files":\[\],.*\}\s*401$/);
    assert.deepEqual(left, []);
  });

  it('that --help shows work in an empty folder, and leave nothing', { skip }, async () => {
    const [, tried = ''] = /^Try it:\n((?: {2}.*\n)+)/m.exec(helpText(fileEditor)) ?? [];
    const { stdout, left } = await runInEmptyFolder(tried);
    assert.match(stdout, /\{"files":\[\],"total_count":0,/);
    assert.deepEqual(left, []);
  });

  it('that complete flags in bash list all of them', { skip }, async () => {
    const [complete = ''] = shellBlocks(page('docs/troubleshooting.md'));
    const { stdout } = await runInEmptyFolder(
      complete.replace('complete -o default', 'compgen').replace(' file-editor\n', ''),
    );
    assert.deepEqual(
      stdout.trim().split('\n').sort(),
      [...helpText(fileEditor).matchAll(/^ {2}(--[a-z-]+)/gm)]
        .map(([, flag]) => flag)
        .concat('--version')
        .sort(),
    );
  });
});

describe('the scripts of the package', () => {
  const root = new URL('../../', import.meta.url);
  const read = (name: string): string => readFileSync(new URL(name, root), 'utf8');
  const { scripts } = JSON.parse(read('package.json')) as { readonly scripts: Readonly<Record<string, string>> };
  const prove = (...args: readonly string[]) =>
    spawnSync(process.execPath, [...process.execArgv, fileURLToPath(new URL('test/proofs/prove.ts', root)), ...args], {
      cwd: fileURLToPath(root),
      encoding: 'utf8',
    });
  const usage = prove();
  const proofs = [...usage.stderr.matchAll(/^ {2}(\w+)/gm)].map(([, name]) => name);

  it('are those that pages and .ci name, with their proofs and files of tests', () => {
    const exists = ([, script, proof, file]: RegExpExecArray): boolean =>
      file !== undefined
        ? existsSync(new URL(file, root))
        : script !== undefined && script in scripts && (script !== 'prove' || proofs.includes(proof));
    const named = [...pages.map(({ text }) => text), read('.ci/run'), read('.ci/release')].flatMap((text) => [
      ...text.matchAll(/\bnpm run ([\w:-]+)(?: -- ([\w-]+))?|\bnpm test -- (test\/[\w./-]+)/g),
    ]);
    const missing = named.filter((each) => !exists(each)).map(([command]) => command);
    assert.deepEqual(missing, []);
    assert.ok(named.length > 20);
  });

  it('refuse a proof that does not exist, and none, with the names of those that do', () => {
    assert.deepEqual([usage.status, prove('constructor').status], [2, 2]);
    assert.match(usage.stderr, /^usage: npm run prove -- NAME \[options\]\n {2}faults /);
    assert.equal(prove('fault').stderr, usage.stderr);
  });
});

/** The flags of a line that starts this program. */
function flagsGiven(commands: string): string[] {
  const starts = commands.replaceAll('\\\n', ' ').matchAll(/^(?:file-editor|file-storage-backend) ([^&|;)\n]*)/gm);
  return [...starts].flatMap(([, args = '']) => args.match(/(?<!\S)--[a-z-]+/g) ?? []);
}

describe('the calls in the README and in docs/getting-started.md', () => {
  it('are answered as they say by the server of npm start', { skip }, async () => {
    let compared = 0;
    for (const name of ['README.md', 'docs/getting-started.md']) {
      await withQuickStart(async (port) => {
        for (const [call, expected] of callsWithAnswers(page(name))) {
          const { stdout } = await execute('bash', ['-c', call.replaceAll(':8080', `:${port}`)]);
          assert.match(stdout, matching(expected), call);
          compared += 1;
        }
      });
    }
    assert.ok(compared > 4);
  });
});

describe('the calls for cmd in the README and in docs/getting-started.md', () => {
  it('need nothing that cmd lacks, and are answered by the server of npm start', { skip }, async () => {
    for (const name of ['README.md', 'docs/getting-started.md']) {
      const calls = fencedBlocks(page(name), 'bat').flatMap((block) => block.trimEnd().split('\n'));
      assert.ok(calls.length > 0);
      await withQuickStart(async (port) => {
        for (const call of calls) {
          // Without these, bash and the programs of Windows read a line alike.
          assert.doesNotMatch(call, /[$`'&|<>^%]|\\(?!")/);
          const { stdout } = await execute('bash', ['-c', call.replaceAll(':8080', `:${port}`)]);
          assert.match(stdout, /^\{"content":"Welcome to /);
        }
      });
    }
  });
});

/** Each with its answer; one with different answers the first and the second time is there twice. */
function callsWithAnswers(text: string): [string, string][] {
  const calls = shellBlocks(text)
    .join('\n')
    .matchAll(/^(curl (?:.*[^#\n]\n)+?)((?:# .*\n)+)/gm);
  return [...calls].flatMap(([, call = '', comments = '']) =>
    [...comments.matchAll(/^# (?:(200);.*|(?:\d+ )?(\{.*))$/gm)].map(
      ([, , answer = '{"success":true,…}']): [string, string] => [call, answer],
    ),
  );
}
