/**
 * The head of the single executable's bundle: the commands in one file, Node included. It acts as
 * `file-storage-backend` if that is its name, by a link or a copy.
 */
import { basename } from 'node:path';

const calledAs = basename(process.argv0).replace(/\.exe$/i, '');
void (calledAs === 'file-storage-backend' ? import('../storage-cli.js') : import('../cli.js'));
