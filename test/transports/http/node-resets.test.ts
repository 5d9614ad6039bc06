/** Connections of node:http that are reset immediately after their request. */
import assert from 'node:assert/strict';
import { readdirSync, readlinkSync } from 'node:fs';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { eventually } from '../../reliability/server.js';
import { read, request, withServer } from './harness.js';

const sockets = (): number =>
  readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith('socket:');
    } catch {
      return false;
    }
  }).length;

const clients = 50;

describe(
  'clients that send a request and leave immediately',
  { skip: process.platform !== 'linux' && 'no /proc' },
  () => {
    it('leave no socket open while their calls wait, and the calls still run (node)', async () => {
      const answers: (() => void)[] = [];
      const outcome = (): Promise<typeof read> =>
        new Promise((resolve) => {
          answers.push(() => {
            resolve(read);
          });
        });
      await withServer(
        'node',
        async ({ port }) => {
          const before = sockets();
          for (let client = 0; client < clients; client++) {
            const socket = connect(port, '127.0.0.1', () => {
              socket.write(request('/read_file', JSON.stringify({ name: 'a.txt' })));
              socket.resetAndDestroy();
            });
            socket.on('error', () => undefined);
          }
          assert.ok(await eventually(() => answers.length > 0));
          assert.ok(await eventually(() => sockets() <= before), `${String(sockets())} instead of ${String(before)}`);
          for (const answer of answers) answer();
        },
        { outcome },
      );
    });
  },
);
