/** The least that a server on Node can be: what its start and its memory are measured against. Arguments: -, port. */
import { createServer } from 'node:http';

const port = Number(process.argv[3]);
createServer((_request, response) => response.end('ok')).listen(port, '127.0.0.1', () => console.log('ready'));
