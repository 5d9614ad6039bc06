// Preloaded by the rooms of the suite in Wine, which refuses to set after how long a connection is kept alive: libuv
// then fails to connect, and with it every fetch. On Windows both work.
const { Socket } = require('node:net');

Socket.prototype.setKeepAlive = function () {
  return this;
};
