// What strangers may send to the servers of clients/arena, which studios copy: neither ends.
'use strict';

const assert = require('node:assert/strict');
const {spawn} = require('node:child_process');
const {createHmac} = require('node:crypto');
const {once} = require('node:events');
const {createServer} = require('node:http');
const {connect} = require('node:net');
const {test} = require('node:test');

// Returns the whole answer to `bytes`. If given, `then` is sent after the answer has begun.
async function answer_to(port, bytes, then) {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  socket.setEncoding('utf8').on('data', more => { text += more; });
  socket.write(bytes);
  if (then) await once(socket, 'data');
  socket.end(then);
  await once(socket, 'close');
  return text;
}
const request = (line, host = 'room', fields = '') =>
  `${line} HTTP/1.1\r\nHost: ${host}\r\n${fields || 'Connection: close\r\n'}\r\n`;
const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: AAAA\r\n';
const strange = ['GET //', 'GET ///', 'GET http://[', 'GET //@:99999/', 'POST //', 'DELETE //', 'OPTIONS *'];

function sign(claims) {
  const text = Buffer.from(claims).toString('base64url');
  return `${text}.${createHmac('sha256', Buffer.alloc(32)).update(text).digest('base64url')}`;
}

async function listening(server) {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server.address().port;
}

test('a room outlives targets that are none', async () => {
  const sdk = createServer((_, answer) => answer.end('{"bool":true}'));
  const sdk_port = await listening(sdk);
  const ready = once(sdk, 'request');
  const probe = createServer();
  const port = await listening(probe);
  probe.close();
  const room = spawn(process.execPath, ['clients/arena/room.js'], {
    env: {...process.env, FIXKEEP_ROOM_ID: 'w1-1', FIXKEEP_SEAT_KEY: '00'.repeat(32), FIXKEEP_PORT: port,
      AGONES_SDK_HTTP_PORT: sdk_port},
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  try {
    await ready;
    for (const line of strange) assert.match(await answer_to(port, request(line)), /^HTTP\/1.1 40[04] /, line);
    for (const line of strange) {
      assert.match(await answer_to(port, request(line, 'room', upgrade)), /^HTTP\/1.1 40[04] /, line);
    }
    for (const token of ['', '.', 'a.b.c', '%ff', '%00.%00']) {
      assert.match(await answer_to(port, request(`GET /play?token=${token}`, 'room', upgrade)), /^HTTP\/1.1 403 /, token);
    }
    const ann = sign(['1', String(Date.now() + 60_000), 'w1-1', 'ann'].join('\n'));
    for (const bytes of ['{', '\x81\x02{}', '\x81\xfe\xff\xff', '\x81\x82\0\0\0\0{}', '\x81\x81\0\0\0\0{']) {
      const told = await answer_to(port, request(`GET /play?token=${ann}`, 'room', upgrade), Buffer.from(bytes, 'latin1'));
      assert.match(told, /^HTTP\/1.1 101 /, bytes);
    }
    const bob = sign(['2', String(Date.now() + 60_000), 'w1-1', '{"team":"1"}', 'bob'].join('\n'));
    assert.match(await answer_to(port, request(`GET /play?token=${bob}`, 'room', upgrade), Buffer.from('{')), /^HTTP\/1.1 101 /);
    assert.equal(room.exitCode, null);
  } finally {
    room.kill('SIGKILL');
    sdk.closeAllConnections();
    sdk.close();
  }
});

test('the page outlives targets that are none, and obeys no page of another name', async () => {
  const play = spawn(process.execPath, ['clients/arena/play.js', '--port', '0'],
    {stdio: ['ignore', 'pipe', 'ignore']});
  const ended = once(play, 'exit');
  try {
    let said = '';
    for await (const more of play.stdout.setEncoding('utf8')) {
      said += more;
      if (/in two tabs/.test(said)) break;
    }
    const port = Number(/127\.0\.0\.1:(\d+)/.exec(said)[1]);
    const here = `127.0.0.1:${port}`;
    for (const line of strange) assert.match(await answer_to(port, request(line, here)), /^HTTP\/1.1 404 /, line);
    for (const host of ['evil.example', `evil.example:${port}`, '127.0.0.1', `127.0.0.1:${port}.evil.example`]) {
      assert.match(await answer_to(port, request('DELETE /masters/1', host)), /^HTTP\/1.1 421 /, host);
    }
    const {alive} = JSON.parse((await answer_to(port, request('GET /masters.json', here))).split('\r\n\r\n')[1]
      .match(/\{.*\}/s)[0]);
    assert.deepEqual(alive, [true, true, true]);
    assert.match(await answer_to(port, request('GET /', `localhost:${port}`)), /^HTTP\/1.1 200 /);
  } finally {
    play.kill('SIGTERM');
    await ended;
  }
});
