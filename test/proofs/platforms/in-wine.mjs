// Preloaded by the rooms of the suite in Wine.
import { Socket } from 'node:net';
import fc from 'fast-check';

// Wine refuses to set after how long a connection is kept alive: libuv then fails to connect, and with it every fetch.
// On Windows both work.
Socket.prototype.setKeepAlive = function () {
  return this;
};

// Linux makes all runs. Interrupted properties hold.
fc.configureGlobal({ interruptAfterTimeLimit: 200 });
