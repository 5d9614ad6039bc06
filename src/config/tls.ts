/**
 * Checks the contents of the PEM files for TLS (spec 1.1) and finds all problems. Loaded only if a server has such
 * files. Runs before anything listens, because uWebSockets.js does not say what is wrong with a file.
 */
import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { quoted } from './arguments.js';
import { bytesIn, Unusable, type GivenFile, type TlsFiles } from './given-files.js';
import { StartError } from './start-error.js';

/** What a TLS server needs. */
interface TlsMaterial {
  readonly cert: Buffer;
  readonly key: Buffer;
  readonly ca: Buffer | undefined;
  /** When the certificate expires, in milliseconds since 1970. */
  readonly notAfter: number;
  /** Warnings that do not prevent a start. One sentence each. */
  readonly warnings: readonly string[];
}

/** Much more than any certificate chain needs, in bytes. */
const longest = 1_048_576;
const dayMs = 86_400_000;
/** How long before a certificate expires to warn, in days. */
const warnDays = 14;

const expected = {
  cert: "expected a PEM file with the server's certificate first, then those that lead from it to a root",
  key: 'expected a PEM file with the private key of the certificate, without a passphrase',
  ca: "expected a PEM file with the certificates of those who sign clients' certificates",
} as const;
type Role = keyof typeof expected;

/** The problems of these files, one line each. A file that was not given is no problem. */
export function tlsProblems(files: Partial<TlsFiles>): readonly string[] {
  return read(files).problems;
}

/** @throws StartError with all problems of the files */
export function loadTls(files: TlsFiles): TlsMaterial {
  const { problems, cert, key, ca } = read(files);
  const [leaf] = cert?.certificates ?? [];
  if (problems.length > 0 || cert === undefined || key === undefined || leaf === undefined) {
    throw new StartError(problems);
  }
  const shown = [...(ca?.certificates ?? []).map((each) => [files.ca, each] as const), [files.cert, leaf] as const];
  const warnings = shown.flatMap(([file, each]) => (file === undefined ? [] : warningsOf(file, each)));
  return { cert: cert.bytes, key: key.bytes, ca: ca?.bytes, notAfter: Date.parse(leaf.validTo), warnings };
}

interface Certificates {
  readonly bytes: Buffer;
  readonly certificates: readonly X509Certificate[];
}

interface Found {
  readonly problems: readonly string[];
  readonly cert: Certificates | undefined;
  readonly key: { readonly bytes: Buffer; readonly key: KeyObject } | undefined;
  readonly ca: Certificates | undefined;
}

function read(files: Partial<TlsFiles>): Found {
  const problems: string[] = [];
  const noting = <Result>(role: Role, work: (file: GivenFile) => Result): Result | undefined => {
    const file = files[role];
    if (file === undefined) return undefined;
    try {
      return work(file);
    } catch (error) {
      if (!(error instanceof Unusable)) throw error;
      problems.push(`${file.label}: ${quoted(file.path)} ${error.message}; ${expected[role]}`);
      return undefined;
    }
  };
  const cert = noting('cert', readCertificates);
  const key = noting('key', readKey);
  const ca = noting('ca', readCertificates);
  if (cert !== undefined && key !== undefined) {
    noting('key', () => {
      if (cert.certificates[0]?.checkPrivateKey(key.key) === true) return;
      throw new Unusable(`does not belong to the first certificate in ${quoted(files.cert?.path ?? '')}`);
    });
  }
  // Everything that only the TLS library refuses, such as keys that are too short.
  if (problems.length === 0) {
    noting('cert', () => {
      context({ cert: cert?.bytes, key: key?.bytes });
    });
    noting('ca', () => {
      context({ ca: ca?.bytes });
    });
  }
  return { problems, cert, key, ca };
}

const pemCertificate = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

function readCertificates(file: GivenFile): Certificates {
  const bytes = bytesIn(file, longest);
  const blocks = bytes.toString('latin1').match(pemCertificate) ?? [];
  if (blocks.length === 0) throw new Unusable(`holds no certificate in PEM form${instead(bytes)}`);
  const certificates = blocks.map((block, index) => {
    try {
      return new X509Certificate(block);
    } catch (error) {
      throw new Unusable(`holds a certificate, number ${String(index + 1)}, that cannot be read (${reasonOf(error)})`);
    }
  });
  return { bytes, certificates };
}

function readKey(file: GivenFile): { bytes: Buffer; key: KeyObject } {
  const bytes = bytesIn(file, longest);
  try {
    return { bytes, key: createPrivateKey(bytes) };
  } catch (error) {
    const encrypted = /ENCRYPTED/.test(bytes.toString('latin1'));
    throw new Unusable(
      encrypted ? 'is encrypted' : `holds no private key in PEM form that can be read${instead(bytes)}`,
      { cause: error },
    );
  }
}

/** What was probably given by mistake. */
function instead(bytes: Buffer): string {
  const [, label] = /-----BEGIN ([A-Z0-9 ]{1,40})-----/.exec(bytes.toString('latin1')) ?? [];
  if (label !== undefined) return ` (but a ${label.toLowerCase()})`;
  if (bytes[0] === 0x30) return ' (it looks like DER: convert it with openssl)';
  return bytes.length === 0 ? ' (it is empty)' : '';
}

function context(parts: Record<string, Buffer | undefined>): void {
  try {
    createSecureContext({ ...parts, minVersion: 'TLSv1.2' });
  } catch (error) {
    throw new Unusable(`cannot be used (${reasonOf(error)})`);
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message.replaceAll('\n', ' ') : String(error);
}

function warningsOf({ label, path }: GivenFile, { validFrom, validTo }: X509Certificate): string[] {
  const shown = `the certificate in ${label} (${path})`;
  const days = (Date.parse(validTo) - Date.now()) / dayMs;
  if (days < 0) return [`${shown} expired on ${validTo}: clients will refuse it`];
  if (Date.parse(validFrom) > Date.now()) return [`${shown} is not valid before ${validFrom}: clients will refuse it`];
  return days > warnDays ? [] : [`${shown} expires on ${validTo}, in less than ${String(Math.ceil(days))} days`];
}
