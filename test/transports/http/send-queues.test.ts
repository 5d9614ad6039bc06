import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { readSendQueues, StuckQueue } from '../../../src/transports/http/send-queues.js';

const queues = (entries: Record<string, number>): ReadonlyMap<string, number> => new Map(Object.entries(entries));

describe('the send queue of a stuck answer', () => {
  it('has moved whenever its byte count changes', () => {
    const stuck = new StuckQueue(0xbeef);
    assert.equal(stuck.hasMoved(queues({ '0100007F:BEEF': 500, '0100007F:0BEE': 9 })), false, 'the first look');
    assert.equal(stuck.hasMoved(queues({ '0100007F:BEEF': 500, '0100007F:0BEE': 8 })), false, 'that of another moved');
    assert.equal(stuck.hasMoved(queues({ '0100007F:BEEF': 499 })), true);
    assert.equal(stuck.hasMoved(queues({ '0100007F:BEEF': 499 })), false);
    assert.equal(stuck.hasMoved(queues({ '0100007F:BEEF': 600 })), true, 'it was filled up behind what was taken');
  });

  it('excludes later ones and empty ones if the port of the client is unknown', () => {
    const stuck = new StuckQueue(undefined);
    assert.equal(stuck.hasMoved(queues({ 'A:0001': 500, 'A:0002': 500 })), false);
    assert.equal(stuck.hasMoved(queues({ 'A:0001': 500, 'A:0002': 400, 'A:0003': 500 })), true, 'the second may be it');
    assert.equal(
      stuck.hasMoved(queues({ 'A:0001': 500, 'A:0003': 400 })),
      false,
      'the second was taken, the third new',
    );
    assert.equal(stuck.hasMoved(queues({ 'A:0001': 500, 'A:0002': 300, 'A:0003': 300 })), false, 'neither is it');
    assert.equal(stuck.hasMoved(queues({ 'A:0001': 400, 'A:0002': 300 })), true);
  });

  it('is looked up again after none was left', () => {
    const stuck = new StuckQueue(1);
    assert.equal(stuck.hasMoved(queues({})), false);
    assert.equal(stuck.hasMoved(queues({ 'A:0001': 500 })), false);
    assert.equal(stuck.hasMoved(queues({ 'A:0001': 400 })), true);
  });
});

describe('the queues of a port', () => {
  const skip = process.platform !== 'linux' && 'only Linux tells them';
  for (const host of ['127.0.0.1', '::1']) {
    it(`list only queues that hold bytes, keyed by client (${host})`, { skip }, async () => {
      const server = createServer().listen(0, host);
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      const sockets: Socket[] = [];
      const send = async (bytes: number): Promise<Socket> => {
        const client = connect({ port, host }).pause();
        const [accepted] = (await once(server, 'connection')) as [Socket];
        accepted.write(Buffer.alloc(bytes));
        sockets.push(client, accepted);
        return client;
      };
      try {
        // More than the receive buffer of a client, less than the send buffer of the server.
        const client = await send(1_000_000);
        await send(100);
        const stuck = new StuckQueue(client.localPort);
        const found = await readSendQueues(port);
        assert.equal(found.size, 1, 'the second client has taken all');
        assert.equal(stuck.hasMoved(found), false);
        let moved = false;
        for (let pieces = 0; pieces < 8 && !moved; pieces++) {
          client.resume();
          await once(client, 'data');
          client.pause();
          moved = stuck.hasMoved(await readSendQueues(port));
        }
        assert.ok(moved);
      } finally {
        for (const socket of sockets) socket.destroy();
        server.close();
      }
    });
  }
});
