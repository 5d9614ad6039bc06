import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inPath } from './in-path.js';
import type { Place } from './program.js';

/** The path of nginx, a Debian package; undefined if it is not installed. */
export const nginxCommand = inPath('nginx');

/**
 * Write the configuration of a server for one directory, tuned as the nginx manual advises for static files.
 * @param folder where nginx may keep its own files
 */
export function nginxArguments({ directory, port }: Place, folder: string): readonly string[] {
  const own = join(folder, 'nginx');
  mkdirSync(own, { recursive: true });
  const configuration = join(own, 'nginx.conf');
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((each) => `${each}_temp_path ${own}/${each};`);
  writeFileSync(
    configuration,
    `${process.getuid?.() === 0 ? 'user root;' : ''}
daemon off;
worker_processes auto;
pid ${own}/pid;
error_log stderr error;
events {}
http {
  ${paths.join(' ')}
  access_log off;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 1000000000;
  server { listen 127.0.0.1:${String(port)}; root ${directory}; }
}
`,
  );
  return ['-e', 'stderr', '-c', configuration];
}
