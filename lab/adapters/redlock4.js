// npm's redlock 4.2.0: lock() and unlock(). It does not extend locks, so the lease here is longer than a
// hold.
'use strict';
const Redis = require('ioredis');
const Redlock = require('redlock-4');
const {run} = require('./own_lock.js');

const ttl = 5000;  // ms
const locks = new Map();
let redlock;

run({
  start(servers) {
    const clients = servers.map(server => new Redis(Number(server.split(':')[1]), server.split(':')[0]));
    redlock = new Redlock(clients, {retryCount: -1, retryDelay: 50, retryJitter: 50});
  },
  async acquire(key) {
    locks.set(key, await redlock.lock(key, ttl));
  },
  release: key => locks.get(key).unlock().catch(() => {}),  // it had expired
});
