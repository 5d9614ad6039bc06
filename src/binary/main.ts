/**
 * Entry point of the single executable's bundle: both commands and Node in one file. Run under the name
 * `file-storage-backend`, through a link or a copy, it acts as that command.
 */
import { basename } from 'node:path';

const calledAs = basename(process.argv0).replace(/\.exe$/i, '');
void (calledAs === 'file-storage-backend' ? import('../storage-cli.js') : import('../cli.js'));
