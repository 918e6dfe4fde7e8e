// A client that oazapfts has generated from docs/openapi.yaml plays a match at a real cluster: what the
// document says is enough to write a client by. scripts/openapi.sh generates and compiles it.
'use strict';

const assert = require('node:assert/strict');
const {connect} = require('node:net');
const {resolve} = require('node:path');
const {after, before, describe, test} = require('node:test');
const {Cluster, wait_limit_ms} = require('../support/cluster.js');

// The first line of what the room says to a player who shows a token; the connection stays.
function join(host, port, token) {
  return new Promise((done, failed) => {
    const socket = connect(port, host, () => socket.write(`JOIN ${token}\n`));
    socket.setEncoding('utf8').setTimeout(wait_limit_ms, () => socket.destroy(new Error('no word')));
    let said = '';
    socket.on('error', failed).on('data', text => {
      said += text;
      if (said.includes('\n')) done({said: said.split('\n')[0], socket});
    });
  });
}

describe('a client that was generated from the document', () => {
  let cluster, client;
  before(async () => {
    client = await import(resolve('build/openapi/generated/player.mjs'));
    cluster = await Cluster.start('--masters', '2', '--workers', '1', '--boot-ms', '0');
  });
  after(async () => { await cluster?.stop(); });

  test('plays a match, with a party and with whom it meets at another master', async () => {
    const [first, second] = cluster.masters;
    const ann = await client.findMatch(first, 'ann', ['bob']);
    const cid = await client.findMatch(second, 'cid', []);
    assert.equal(cid.room, ann.room);
    const open = [];
    try {
      for (const [player, token] of [['ann', ann.token], ['bob', ann.party[0]], ['cid', cid.token]]) {
        const {said, socket} = await join(ann.host, ann.port, token);
        open.push(socket);
        assert.equal(said, `WELCOME ${player} ${ann.room}`);
      }
    } finally {
      for (const socket of open) socket.destroy();
    }
  });

  test('is told what is wrong with a request', async () => {
    assert.equal(await client.refusalOf(cluster.masters[0]), '400 urn:fixkeep:error:unknown-mode');
  });
});
