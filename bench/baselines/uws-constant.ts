/**
 * The ceiling of the HTTP library: receives each request in full and always answers with the same bytes. Nothing that
 * touches the file system can be faster. Arguments: directory (unused), port, size of the answer in bytes.
 */
import uws from 'uWebSockets.js';

const [, port, bytes] = process.argv.slice(2);
const body = Buffer.from(JSON.stringify({ content: 'x'.repeat(Math.max(0, Number(bytes) - 14)) }));

uws
  .App()
  .any('/*', (response) => {
    response.onAborted(() => undefined);
    response.onData((_chunk, isLast) => {
      if (!isLast) return;
      response.cork(() => response.writeHeader('Content-Type', 'application/json').end(body));
    });
  })
  .listen('127.0.0.1', Number(port), (socket) => {
    if (!socket) throw new Error(`port ${String(port)} is in use`);
    console.log('ready');
  });
