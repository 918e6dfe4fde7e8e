// npm's redis-semaphore: Mutex, which refreshes its lease, at the first server.
'use strict';
const Redis = require('ioredis');
const {Mutex} = require('redis-semaphore');
const {lost, run} = require('./own_lock.js');

const mutexes = new Map();
let redis;

run({
  start([server]) {
    redis = new Redis(Number(server.split(':')[1]), server.split(':')[0]);
  },
  async acquire(key) {
    const mutex = new Mutex(redis, key, {lockTimeout: 1000, acquireTimeout: 60_000, onLockLost: () => lost(key)});
    await mutex.acquire();
    mutexes.set(key, mutex);
  },
  release: key => mutexes.get(key).release(),
});
