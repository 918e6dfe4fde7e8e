// The function using() of redlock 5 and of its fork: it holds a lock and extends it while a routine
// runs. The routine here ends when the node is told to release.
'use strict';
const {lost, run} = require('./own_lock.js');

const ttl = 2000;  // ms; using() extends the lock 500 ms before it expires

module.exports = (Redlock, Redis) => {
  const ends = new Map();  // key → ends the routine
  let redlock;
  run({
    start(servers) {
      const clients = servers.map(server => new Redis(Number(server.split(':')[1]), server.split(':')[0]));
      redlock = new Redlock(clients, {retryCount: -1, retryDelay: 50, retryJitter: 50});
      redlock.on('error', () => {});  // an attempt that failed; using() tries again
    },
    acquire: key => new Promise((granted, failed) => {
      redlock.using([key], ttl, signal => new Promise(end => {
        signal.addEventListener('abort', () => lost(key));
        ends.set(key, end);
        granted();
      })).catch(failed);
    }),
    release: key => ends.get(key)(),
  });
};
