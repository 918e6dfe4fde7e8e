// Speaks the protocol of docs/own-lock.md for a lock in JavaScript.
//
//   const {run, lost} = require('./own_lock.js');
//   run({start, acquire, release});
//
// start(servers, node) is called first, with the addresses "host:port" of the servers and this node's
// name. acquire(key) resolves when this node holds the key, to a fencing token or to undefined.
// release(key) ends the hold. A lock that finds out that it no longer holds a key calls lost(key).
'use strict';

let self = '';

const send = (to, body) => process.stdout.write(`${JSON.stringify({src: self, dest: to, body})}\n`);
const lost = key => send(`c${self.slice(1)}`, {type: 'lost', key});

async function serve({start, acquire, release}, {src, body}) {
  const reply = answer => send(src, {...answer, in_reply_to: body.msg_id});
  try {
    if (body.type === 'init') {
      self = body.node_id;
      await start(body.servers, self);
      reply({type: 'init_ok'});
    } else if (body.type === 'acquire') {
      const token = await acquire(body.key);
      reply({type: 'acquired', key: body.key, token});
    } else if (body.type === 'release') {
      await release(body.key);
      reply({type: 'released', key: body.key});
    }
  } catch (mistake) {
    process.stderr.write(`${mistake.stack}\n`);
    reply({type: 'error', code: 13, text: String(mistake)});
  }
}

function run(lock) {
  const lines = require('node:readline').createInterface({input: process.stdin});
  lines.on('line', line => serve(lock, JSON.parse(line)));
  lines.on('close', () => process.exit(0));
}

module.exports = {lost, run};
