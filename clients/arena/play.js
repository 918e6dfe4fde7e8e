// Starts three masters and a worker with rooms from room.js, and serves the page of the game until
// Ctrl-C. The page can kill a master to show the effect.
//
// Usage: scripts/play.sh [--port N] [--tls]
//
//   --port N   the port of the page; 0: any free port
//   --tls      everything by TLS, with a certificate that this script makes: the page and masters by
//              https://, rooms by wss://. The browser asks whether you trust the certificate.
'use strict';

const {execFileSync, spawn} = require('node:child_process');
const {mkdtempSync, readFileSync, rmSync, writeFileSync} = require('node:fs');
const {createServer: http_server} = require('node:http');
const {createServer: https_server} = require('node:https');
const {createServer} = require('node:net');
const {tmpdir} = require('node:os');
const {join, resolve} = require('node:path');

const programs = 'build/release/bin';
const stop_limit_ms = 10_000;
const folder = mkdtempSync(join(tmpdir(), 'fixkeep-arena-'));
const cluster = {id: 'arena', secret: 'a-secret-of-this-machine-alone'};
const nodes = [];

// Chooses a port that no connection gets between this look and the start of the node: Linux gives
// connections ports from 32768 on.
function free_port(tries = 100) {
  const port = 10_000 + Math.floor(Math.random() * 10_000);
  return new Promise((done, failed) => {
    const server = createServer();
    server.on('error', error => { tries > 1 ? done(free_port(tries - 1)) : failed(error); });
    server.listen(port, '127.0.0.1', () => server.close(() => done(port)));
  });
}

function make_certificate() {
  const tls = {certificate: join(folder, 'tls.pem'), key: join(folder, 'tls.key')};
  execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '30',
    '-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1,DNS:localhost',
    '-keyout', tls.key, '-out', tls.certificate], {stdio: 'ignore'});
  return tls;
}

function start(kind, name, config) {
  const file = join(folder, `${name}.json`);
  writeFileSync(file, JSON.stringify({cluster, ...config}), {mode: 0o600});
  const child = spawn(`${programs}/fixkeep-${kind}`, ['--config', file], {stdio: ['ignore', 'ignore', 'pipe']});
  child.stderr.pipe(process.stderr, {end: false});
  child.ended = new Promise(done => { child.on('exit', done); });
  nodes.push(child);
  return child;
}

const files = {
  '/': ['clients/arena/index.html', 'text/html; charset=utf-8'],
  '/arena.css': ['clients/arena/arena.css', 'text/css; charset=utf-8'],
  '/page.js': ['clients/arena/page.js', 'text/javascript; charset=utf-8'],
  '/client.js': ['clients/js/index.js', 'text/javascript; charset=utf-8'],
};

// Returns '' if the request target is not a valid path, such as "//".
function path_of(request) {
  try { return new URL(request.url, 'http://page').pathname; } catch { return ''; }
}

// Rejects other host names (DNS rebinding): a page of another site could otherwise kill masters.
function is_ours({headers: {host}, socket: {localPort}}) {
  return [`127.0.0.1:${localPort}`, `localhost:${localPort}`].includes(host?.toLowerCase());
}

function serve(masters, port, tls) {
  const lives = master => master.child.exitCode === null && master.child.signalCode === null;
  const answer_page = (request, answer) => {
    if (!is_ours(request)) return answer.writeHead(421).end();
    const pathname = path_of(request);
    const file = files[pathname];
    const killed = masters[Number(pathname.match(/^\/masters\/([1-9])$/)?.[1]) - 1];
    if (request.method === 'GET' && file) {
      answer.writeHead(200, {'content-type': file[1]}).end(readFileSync(file[0]));
    } else if (request.method === 'GET' && pathname === '/masters.json') {
      const told = {masters: masters.map(({url}) => url), alive: masters.map(lives)};
      answer.writeHead(200, {'content-type': 'application/json'}).end(JSON.stringify(told));
    } else if (request.method === 'DELETE' && killed) {
      // A page of another origin cannot send DELETE: the browser's preflight request gets 404.
      killed.child.kill('SIGKILL');
      killed.child.ended.then(() => answer.writeHead(204).end());
    } else {
      answer.writeHead(404).end();
    }
  };
  const server = tls ? https_server({cert: readFileSync(tls.certificate), key: readFileSync(tls.key)}, answer_page)
    : http_server(answer_page);
  return new Promise((done, failed) => {
    server.on('error', failed).listen(port, '127.0.0.1', () => done(server));
  });
}

async function main() {
  const at = process.argv.indexOf('--port');
  const tls = process.argv.includes('--tls') ? make_certificate() : undefined;
  const scheme = tls ? 'https' : 'http';
  const masters = [];
  const server = await serve(masters, at < 0 ? 8000 : Number(process.argv[at + 1]), tls);
  const page = server.address().port;
  for (let id = 1; id <= 3; ++id) masters.push({id, mesh: await free_port(), http: await free_port()});
  const mesh = masters.map(({id, mesh: port}) => ({id, address: `127.0.0.1:${port}`}));
  for (const master of masters) {
    master.url = `${scheme}://127.0.0.1:${master.http}`;
    master.child = start('master', `m${master.id}`, {
      master: {id: master.id, zone: 'a'},
      http: {port: master.http, tls, allowed_origins: ['127.0.0.1', 'localhost'].map(host => `${scheme}://${host}:${page}`)},
      mesh: {listen: `127.0.0.1:${master.mesh}`, masters: mesh},
      modes: [{name: 'arena', capacity: 8}],
      log: {level: 'warning'},
    });
  }
  start('worker', 'worker', {
    worker: {id: 'w1', zone: 'a', address: '127.0.0.1', state_folder: join(folder, 'state')},
    masters: mesh,
    rooms: {limit: 10, tls, ports: {first: 21000, last: 21099}},
    games: [{mode: 'arena', command: [process.execPath, resolve('clients/arena/room.js')], ports: tls ? ['wss'] : []}],
    log: {level: 'warning'},
  });
  if (tls) console.log(`The certificate is in ${tls.certificate}.`);
  console.log(`Play at ${scheme}://127.0.0.1:${page}/ in two tabs. Ctrl-C ends it all.`);
  await new Promise(done => { process.on('SIGINT', done).on('SIGTERM', done); });
  server.close();
}

main().catch(error => {
  console.error(error.message);
  process.exitCode = 1;
}).then(async () => {
  for (const node of nodes) {
    node.kill('SIGTERM');
    const late = setTimeout(() => node.kill('SIGKILL'), stop_limit_ms);
    if (node.exitCode === null && node.signalCode === null) await node.ended;
    clearTimeout(late);
  }
  rmSync(folder, {recursive: true});
  process.exit();
});
