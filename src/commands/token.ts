/** `file-editor token NAME`: makes a token for the file of `--tokens` (spec 16). */
import { createHash, randomBytes } from 'node:crypto';
import { isTokenName, tokenNameRule } from '../access/tokens-bundle.js';
import { quoted } from '../config/arguments.js';
import { platform } from '../core/platform.js';
import { exitWith, print } from './exit.js';

/** 256 bits: impossible to guess. */
const tokenBytes = 32;

const readAgain = platform.canSendSighup ? 'at SIGHUP' : 'within 5 s of a change';

const usage = 'expected file-editor token NAME, such as file-editor token agent-7';

const help = `Usage: file-editor token NAME

Makes a new token. On stdout: the token, which is shown only now, and on the next
line the member for the file of --tokens, which holds only its hash.
`;

/** Print a new token and its member for the file on stdout, one line each, and on stderr what they are for. */
export function makeToken(args: readonly string[]): void {
  const [name, ...others] = args;
  if (name === undefined || others.length > 0)
    exitWith([`token: ${name === undefined ? 'a name is missing' : 'takes one name'}; ${usage}`]);
  if (name === '--help' || name === '-h') {
    print(1, help);
    return;
  }
  if (name.startsWith('-') || !isTokenName(name))
    exitWith([`token: the name ${quoted(name)} must be ${tokenNameRule}, and may not begin with -; ${usage}`]);
  const token = randomBytes(tokenBytes).toString('base64url');
  const sha256 = createHash('sha256').update(token).digest('hex');
  print(2, `The token of ${name}, which is shown only now, and the member for the list "tokens" of the file:\n`);
  print(1, `${token}\n${JSON.stringify({ name, sha256, access: 'write' })}\n`);
  print(
    2,
    `To allow less, write "access": "read", or add "paths": ["src/**"]. A running server reads the file again ${readAgain}.\n`,
  );
}
