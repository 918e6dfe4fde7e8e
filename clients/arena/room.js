// The game server of the arena: a room that a worker starts. Players join by server-sent events and
// move by POST. Every browser supports both, and the server needs only Node.
//
//   GET  /play?token=TOKEN      admits the player, and streams the positions of all players
//   POST /move {token, x, y}    moves the player to x, y; each from 0 to 1
//
// When a player's stream ends, the player has left and the seat is free again. Bounds: the seats of
// the room, 1 KB per move, one message per tick and player, 64 KiB of unread bytes per stream.
'use strict';

const {createHmac, timingSafeEqual} = require('node:crypto');
const {createServer} = require('node:http');

const {FIXKEEP_ROOM_ID: room, FIXKEEP_SEAT_KEY: key, FIXKEEP_PORT: port} = process.env;
const sdk = `http://127.0.0.1:${process.env.AGONES_SDK_HTTP_PORT ?? 9358}`;
const tick_ms = 50;
const move_bytes = 1024;
const unread_bytes = 64 * 1024;
const foreign_page = {'access-control-allow-origin': '*', 'cache-control': 'no-store'};

const players = new Map(); // {name, x, y, stream} by token
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
  const fits = version === '1' && of_room === room && Number(ends_ms) > Date.now();
  return fits ? name.join('\n') : undefined;
}

function refuse(answer, status, why) {
  answer.writeHead(status, {...foreign_page, 'content-type': 'text/plain'}).end(why);
}

async function play(token, answer) {
  const name = player_of(token);
  // The worker answers true only if the player has a seat and is not connected yet.
  if (!name || (await ask('/alpha/player/connect', {playerID: name})).bool !== true) {
    return refuse(answer, 403, 'no seat for this token');
  }
  const leave = () => {
    players.delete(token);
    changed = true;
    ask('/alpha/player/disconnect', {playerID: name}).catch(() => {});
  };
  if (answer.destroyed) return leave(); // the client disconnected during the call to the worker
  answer.writeHead(200, {...foreign_page, 'content-type': 'text/event-stream'});
  players.set(token, {name, x: Math.random(), y: Math.random(), stream: answer});
  changed = true;
  answer.on('close', leave);
}

function move(request, answer) {
  let text = '';
  request.setEncoding('utf8').on('data', more => {
    text += more;
    if (text.length > move_bytes) request.destroy();
  }).on('end', () => {
    let wanted = {};
    try { wanted = JSON.parse(text); } catch { /* refused below: no player has this token */ }
    const player = players.get(wanted?.token);
    if (!player || ![wanted.x, wanted.y].every(Number.isFinite)) {
      return refuse(answer, 403, 'a move is {token, x, y} of a player who is here');
    }
    const within = at => Math.min(Math.max(at, 0), 1);
    Object.assign(player, {x: within(wanted.x), y: within(wanted.y)});
    changed = true;
    answer.writeHead(204, foreign_page).end();
  });
}

setInterval(() => {
  if (!changed) return;
  changed = false;
  const all = [...players.values()].map(({name, x, y}) => ({name, x, y}));
  for (const {stream} of players.values()) {
    stream.write(`data: ${JSON.stringify({room, players: all})}\n\n`);
    if (stream.writableLength > unread_bytes) stream.destroy();
  }
}, tick_ms);

// Returns undefined if the request target is not a valid URL, such as "//".
function url_of(request) {
  try { return new URL(request.url, 'http://room'); } catch { return undefined; }
}

const server = createServer((request, answer) => {
  const url = url_of(request);
  if (!url) return refuse(answer, 400, 'the target is no path');
  if (request.method === 'POST' && url.pathname === '/move') return move(request, answer);
  if (request.method !== 'GET' || url.pathname !== '/play') return refuse(answer, 404, 'nothing here');
  play(url.searchParams.get('token') ?? '', answer).catch(() => {
    if (answer.headersSent) return answer.destroy();
    refuse(answer, 503, 'no worker');
  });
});
process.on('SIGTERM', () => process.exit(0));
server.listen(Number(port), () => ask('/ready')); // from now on the room accepts players
