import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { TlsFiles } from '../../src/config/given-files.js';
import { StartError } from '../../src/config/start-error.js';
import { loadTls, tlsProblems } from '../../src/config/tls.js';
import { certificates, pem, withoutOpenssl } from '../certificates.js';

const made = certificates();

describe('the PEM files of TLS', { skip: made === undefined && withoutOpenssl }, () => {
  if (made === undefined) return;
  let folder = '';
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'tls-'));
  });
  after(() => {
    rmSync(folder, { recursive: true });
  });
  const { server, authority, client, stranger, expired, early, encryptedKey, der, weak } = made;

  function files({ cert = server.cert, key = server.key, ca }: { cert?: string; key?: string; ca?: string }): TlsFiles {
    return {
      cert: { label: '--tls-cert', path: cert },
      key: { label: '--tls-key', path: key },
      ...(ca === undefined ? {} : { ca: { label: '--tls-ca', path: ca } }),
    };
  }

  /** A file with this text. */
  function written(name: string, text: string | Buffer): string {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  }

  it('are accepted if they belong together', () => {
    for (const right of [
      files({}),
      files({ ca: authority.cert }),
      files(stranger),
      files({ ...client, ca: server.cert }),
    ]) {
      assert.deepEqual(tlsProblems(right), []);
      assert.deepEqual(loadTls(right).warnings, []);
    }
    assert.deepEqual(tlsProblems({}), []);
  });

  it('may hold a whole chain, the certificate of the server first', () => {
    const chain = written('chain.pem', `${pem(server.cert)}\n${pem(authority.cert)}`);
    assert.deepEqual(tlsProblems(files({ cert: chain })), []);
    const reversed = written('reversed.pem', `${pem(authority.cert)}\n${pem(server.cert)}`);
    assert.match(
      tlsProblems(files({ cert: reversed })).join('\n'),
      /^--tls-key: .* does not belong to the first certificate in ".*reversed.pem"; expected /,
    );
  });

  const wrong: readonly (readonly [string, () => Parameters<typeof files>[0], RegExp])[] = [
    [
      'a missing certificate',
      () => ({ cert: '/no/such/file' }),
      /^--tls-cert: "\/no\/such\/file" does not exist; expected a PEM file with the server's certificate first/,
    ],
    [
      'a missing key',
      () => ({ key: '/no/such/file' }),
      /^--tls-key: .* does not exist; expected a PEM file with the private key/,
    ],
    [
      'a missing authority',
      () => ({ ca: '/no/such/file' }),
      /^--tls-ca: .* does not exist; expected a PEM file with the certificates of those who sign/,
    ],
    [
      'a path through a file',
      () => ({ cert: `${server.cert}/x` }),
      /^--tls-cert: .* is not readable for this process \(ENOTDIR\)/,
    ],
    ['a directory', () => ({ cert: folder }), /^--tls-cert: .* is a directory/],
    ['a device', () => ({ key: '/dev/null' }), /^--tls-key: .* is not a regular file/],
    ['an empty file', () => ({ cert: written('empty', '') }), /holds no certificate in PEM form \(it is empty\)/],
    ['a file too large for one', () => ({ cert: written('large', Buffer.alloc(1_048_577)) }), /is larger than 1 MB/],
    ['another text', () => ({ cert: written('text', 'hello') }), /holds no certificate in PEM form;/],
    [
      'a key as the certificate',
      () => ({ cert: server.key }),
      /holds no certificate in PEM form \(but a private key\)/,
    ],
    [
      'a certificate as the key',
      () => ({ key: server.cert }),
      /^--tls-key: .* holds no private key in PEM form that can be read \(but a certificate\)/,
    ],
    ['DER', () => ({ cert: der }), /it looks like DER: convert it with openssl/],
    [
      'an encrypted key',
      () => ({ key: encryptedKey }),
      /^--tls-key: .* is encrypted; expected .* without a passphrase/,
    ],
    [
      'the key of another',
      () => ({ key: client.key }),
      /^--tls-key: ".*client.key" does not belong to the first certificate in ".*server.pem"/,
    ],
    [
      'a broken certificate',
      () => ({ cert: written('broken.pem', pem(server.cert).replace(/\n[A-Za-z0-9+]{4}/, '\nAAAA')) }),
      /holds a certificate, number 1, that cannot be read \(/,
    ],
    [
      'a broken authority',
      () => ({
        ca: written('broken-ca.pem', `${pem(authority.cert)}${pem(server.cert).replace(/(.{30}\n).*\n/, '$1')}`),
      }),
      /^--tls-ca: .* number 2, that cannot be read \(/,
    ],
    ['a key that is too short', () => weak, /^--tls-cert: .* cannot be used \(.*too small/],
  ];
  for (const [name, given, problem] of wrong) {
    it(`are refused: ${name}`, () => {
      const problems = tlsProblems(files(given()));
      assert.equal(problems.length, 1, problems.join('\n'));
      assert.match(problems.join(), problem);
      assert.throws(
        () => loadTls(files(given())),
        (error) => error instanceof StartError && problem.test(error.problems.join()),
      );
    });
  }

  it('are all checked before anything is reported', () => {
    mkdirSync(join(folder, 'empty folder'));
    const problems = tlsProblems(files({ cert: join(folder, 'empty folder'), key: server.cert, ca: server.key }));
    assert.deepEqual(
      problems.map((problem) => problem.slice(0, problem.indexOf(':'))),
      ['--tls-cert', '--tls-key', '--tls-ca'],
    );
  });

  it('are used with a warning if they are out of date', () => {
    const [warning, ...others] = loadTls(files(expired)).warnings;
    assert.match(
      warning ?? '',
      /the certificate in --tls-cert \(.*expired.pem\) expired on Feb +1 00:00:00 2020 GMT: clients will refuse it/,
    );
    assert.deepEqual(others, []);
    assert.match(loadTls(files(early)).warnings.join(), /is not valid before Jan +1 00:00:00 2090 GMT/);
    assert.match(loadTls(files({ ca: expired.cert })).warnings.join(), /the certificate in --tls-ca .* expired on/);
    assert.equal(loadTls(files(expired)).notAfter, Date.UTC(2020, 1, 1));
  });
});
