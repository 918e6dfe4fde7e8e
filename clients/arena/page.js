// A player's page: requests a seat from the masters, sends the seat token to the room, and plays.
// It requests a new seat if the room ends or the connection breaks.

import { MatchClient, MatchError } from "./client.js";

const field = document.getElementById("field");
const state = document.getElementById("state");
const step = 0.04;
const margin_px = 36; // a margin inside the field's edge, for the players' names
const name = new URLSearchParams(location.search).get("name") || `p${crypto.randomUUID().slice(0, 4)}`;
const { masters } = await (await fetch("masters.json")).json();
const client = new MatchClient(masters);
const dots = new Map(); // dots by player
let room; // the WebSocket to the room
let me = { x: 0.5, y: 0.5 };
let moved = false;

const hue_of = (text) => [...text].reduce((sum, c) => (sum * 31 + c.codePointAt(0)) % 360, 7);

const along = (at) => `calc(${margin_px}px + ${at} * (100% - ${2 * margin_px}px))`;
const from_along = (px, length_px) => (px - margin_px) / (length_px - 2 * margin_px);

function show({ room, players }) {
  state.textContent = `You are ${name}, in room ${room}, where ${players.length} play.`;
  for (const [player, dot] of dots) {
    if (players.some((each) => each.name === player)) continue;
    dot.remove();
    dots.delete(player);
  }
  for (const { name: player, x, y } of players) {
    if (!dots.has(player)) {
      const dot = document.createElement("div");
      dot.className = player === name ? "player me" : "player";
      dot.style.background = `hsl(${hue_of(player)} 70% 50%)`;
      dot.append(Object.assign(document.createElement("span"), { textContent: player }));
      field.append(dot);
      dots.set(player, dot);
    }
    Object.assign(dots.get(player).style, { left: along(x), top: along(y) });
    dots.get(player).dataset.at = `${x.toFixed(3)} ${y.toFixed(3)}`;
    if (player === name && !moved) me = { x, y };
  }
}

async function play() {
  const seat = await client.findSeat({ player_id: name, mode: "arena" });
  const address = seat.url ?? `ws://${seat.address}:${seat.port}`;
  room = new WebSocket(`${address}/play?token=${seat.seat_token}`);
  room.onmessage = (event) => show(JSON.parse(event.data));
  await new Promise((ended) => { room.onclose = ended; });
}

function go(x, y) {
  if (room?.readyState !== WebSocket.OPEN) return;
  moved = true;
  me = { x: Math.min(Math.max(x, 0), 1), y: Math.min(Math.max(y, 0), 1) };
  room.send(JSON.stringify(me));
}

const ways = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] };
addEventListener("keydown", (event) => {
  const way = ways[event.key];
  if (!way) return;
  event.preventDefault();
  go(me.x + way[0], me.y + way[1]);
});
field.addEventListener("pointerdown", (event) => {
  const box = field.getBoundingClientRect();
  go(from_along(event.clientX - box.left, box.width), from_along(event.clientY - box.top, box.height));
});

async function show_masters() {
  const { alive } = await (await fetch("masters.json")).json();
  document.getElementById("masters").replaceChildren(...alive.map((lives, i) => {
    const row = document.createElement("li");
    const text = Object.assign(document.createElement("span"), { textContent: `master ${i + 1}` });
    text.className = lives ? "" : "dead";
    row.append(text);
    if (lives) {
      const button = Object.assign(document.createElement("button"), { textContent: "Kill" });
      button.setAttribute("aria-label", `Kill master ${i + 1}`);
      button.onclick = () => fetch(`masters/${i + 1}`, { method: "DELETE" }).then(show_masters);
      row.append(button);
    }
    return row;
  }));
}

await show_masters();
setInterval(() => show_masters().catch(() => {}), 2000);
for (;;) {
  try {
    await play();
    state.textContent = "The room is gone. Asks for another seat …";
  } catch (error) {
    if (!(error instanceof MatchError)) throw error;
    state.textContent = `There is no seat: ${error.message}. Asks again …`;
  }
  await new Promise((done) => setTimeout(done, 1000));
}
