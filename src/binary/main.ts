/**
 * The single executable, whose bundle this is the head of: the commands in one file, Node included. It is
 * `file-storage-backend` if it is called so, by a link or a copy of that name.
 */
import { basename } from 'node:path';

const calledAs = basename(process.argv0).replace(/\.exe$/i, '');
void (calledAs === 'file-storage-backend' ? import('../storage-cli.js') : import('../cli.js'));
