// The game server of the arena: a room that a worker starts. Players join and move by WebSocket
// (RFC 6455), which every browser supports. The server needs only Node.
//
//   GET /play?token=TOKEN   admits the player, and sends the positions of all players
//   {x, y}                  a message of a player: moves to x, y; each from 0 to 1
//
// When a player's connection ends, the player has left and the seat is free again. Bounds: the seats
// of the room, 125 bytes per move, one message per tick and player, 64 KiB of unread bytes per player.
'use strict';

const {createHash, createHmac, timingSafeEqual} = require('node:crypto');
const {createServer} = require('node:http');

const {FIXKEEP_ROOM_ID: room, FIXKEEP_SEAT_KEY: key, FIXKEEP_PORT: port} = process.env;
const sdk = `http://127.0.0.1:${process.env.AGONES_SDK_HTTP_PORT ?? 9358}`;
const tick_ms = 50;
const message_bytes = 125; // largest one-byte length
const unread_bytes = 64 * 1024;

const players = new Map(); // {name, x, y, socket} by token
let changed = false;

async function ask(path, body = {}) {
  const init = {method: 'POST', body: JSON.stringify(body), signal: AbortSignal.timeout(5000)};
  return (await fetch(sdk + path, {...init, headers: {'content-type': 'application/json'}})).json();
}

// Returns the player id in a seat token. Returns undefined if the token is forged, expired, or for
// another room.
function player_of(token) {
  const [claims, signature] = token.split('.');
  const wanted = createHmac('sha256', Buffer.from(key, 'hex')).update(claims).digest();
  const given = Buffer.from(signature ?? '', 'base64url');
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return undefined;
  const [version, ends_ms, of_room, ...name] = Buffer.from(claims, 'base64url').toString().split('\n');
  if (version === '2') name.shift(); // JSON: the seat's team, and more
  const fits = ['1', '2'].includes(version) && of_room === room && Number(ends_ms) > Date.now();
  return fits ? name.join('\n') : undefined;
}

// --- WebSocket ---
const opcode = {text: 1, close: 8, ping: 9, pong: 10};

function frame(code, payload) {
  const size = payload.length;
  const length = size <= message_bytes ? [size] : [126, size >> 8, size & 255]; // up to 64 KiB
  return Buffer.concat([Buffer.from([0x80 | code, ...length]), payload]);
}

// Calls `heard` with each whole frame of a client. Ends the connection at a frame that is too long.
function read_frames(socket, heard) {
  let rest = Buffer.alloc(0);
  socket.on('data', more => {
    rest = Buffer.concat([rest, more]);
    while (rest.length >= 2) {
      const size = rest[1] & 0x7f;
      if (!(rest[1] & 0x80) || size > message_bytes) return socket.destroy(); // not masked, or too long
      if (rest.length < 6 + size) return;
      const mask = rest.subarray(2, 6);
      heard(rest[0] & 0x0f, rest.subarray(6, 6 + size).map((byte, i) => byte ^ mask[i % 4]));
      rest = rest.subarray(6 + size);
    }
  });
}

function accept(request, socket) {
  const proof = `${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
  socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
    `Sec-WebSocket-Accept: ${createHash('sha1').update(proof).digest('base64')}\r\n\r\n`);
}

const refuse = (socket, status) => socket.end(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);

// --- the game ---
async function play(token, request, socket) {
  const name = player_of(token);
  // The worker answers true only if the player has a seat and is not connected yet.
  if (!name || (await ask('/alpha/player/connect', {playerID: name})).bool !== true) {
    return refuse(socket, '403 Forbidden');
  }
  const leave = () => {
    players.delete(token);
    changed = true;
    ask('/alpha/player/disconnect', {playerID: name}).catch(() => {});
  };
  if (!socket.writable) return leave(); // the client disconnected during the call to the worker
  socket.on('close', leave);
  accept(request, socket);
  const player = {name, x: Math.random(), y: Math.random(), socket};
  players.set(token, player);
  changed = true;
  read_frames(socket, (code, payload) => {
    if (code === opcode.text) return move(player, payload.toString());
    if (code === opcode.ping) return socket.write(frame(opcode.pong, payload));
    if (code === opcode.close) socket.end(frame(opcode.close, payload));
  });
}

function move(player, text) {
  let wanted;
  try { wanted = JSON.parse(text); } catch { /* refused below */ }
  if (![wanted?.x, wanted?.y].every(Number.isFinite)) return player.socket.destroy();
  const within = at => Math.min(Math.max(at, 0), 1);
  Object.assign(player, {x: within(wanted.x), y: within(wanted.y)});
  changed = true;
}

setInterval(() => {
  if (!changed) return;
  changed = false;
  const all = [...players.values()].map(({name, x, y}) => ({name, x, y}));
  const message = frame(opcode.text, Buffer.from(JSON.stringify({room, players: all})));
  for (const {socket} of players.values()) {
    if (socket.writable) socket.write(message);
    if (socket.writableLength > unread_bytes) socket.destroy();
  }
}, tick_ms);

// Returns undefined if the request target is not a valid URL, such as "//".
function url_of(request) {
  try { return new URL(request.url, 'http://room'); } catch { return undefined; }
}

const server = createServer((_, answer) => answer.writeHead(404).end('players come by WebSocket, to /play'));
server.on('upgrade', (request, socket) => {
  socket.on('error', () => socket.destroy()).on('end', () => socket.end());
  const url = url_of(request);
  const websocket = request.headers.upgrade.toLowerCase() === 'websocket' && request.headers['sec-websocket-key'];
  if (request.method !== 'GET' || url?.pathname !== '/play' || !websocket) return refuse(socket, '404 Not Found');
  play(url.searchParams.get('token') ?? '', request, socket).catch(() => refuse(socket, '503 Service Unavailable'));
});
process.on('SIGTERM', () => process.exit(0));
server.listen(Number(port), () => ask('/ready')); // from now on the room accepts players
