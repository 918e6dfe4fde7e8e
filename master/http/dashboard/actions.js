// The operator's actions: drain a room, close a room, read the output of a game, drain a worker.
// The page asks for a confirmation before an action that can end a game or stop a worker.

const get = id => document.getElementById(id);

// Returns the text of the answer. Throws an error with the problem's text if the call fails.
async function call(path, method) {
  const answer = await fetch(`v1/${path}`, {method});
  const text = await answer.text();
  if (answer.ok) return text;
  let words = `${answer.status} ${answer.statusText}`;
  try {
    const problem = JSON.parse(text);
    words = `${problem.title}: ${problem.detail}`;
  } catch { /* The answer is from a proxy, not from the master. */ }
  throw new Error(words);
}

function tell(place, text, bad = false) {
  place.textContent = text;
  place.className = bad ? 'bad' : 'soft';
}

// Asks the operator. Resolves to true if the operator agrees.
function agreed(question, verb) {
  const dialog = get('ask');
  get('question').textContent = question;
  get('agree').textContent = verb;
  dialog.returnValue = '';
  dialog.showModal();
  return new Promise(done => {
    dialog.addEventListener('close', () => done(dialog.returnValue === 'yes'), {once: true});
  });
}

async function act(place, path, done, method = 'POST') {
  tell(place, '…');
  try {
    const text = await call(path, method);
    tell(place, done);
    return text;
  } catch (error) {
    tell(place, error.message, true);
    return null;
  }
}

// `room()` returns the selected room.
export function offer_room_actions(room) {
  const place = get('room_done');
  const path = () => `rooms/${encodeURIComponent(room().room_id)}`;
  get('drain_room').addEventListener('click', async () => {
    await act(place, `${path()}/drain`, 'It takes no more players, and closes when it is empty.');
  });
  get('close_room').addEventListener('click', async () => {
    const {occupied, room_id} = room();
    const to = path();
    const players = occupied === null ? 'an unknown number of players' :
      occupied === 1 ? 'the player who is' : `the ${occupied} players who are`;
    const question = occupied === 0 ? `Close ${room_id}? Nobody plays there.` :
      `Close ${room_id}, and end the game of ${players} there?`;
    if (await agreed(question, 'Close it')) await act(place, `${to}/close`, 'It closes.');
  });
  get('read_log').addEventListener('click', async () => {
    const name = room().room_id;
    const text = await act(place, `${path()}/log`, '', 'GET');
    if (text === null) return;
    get('log_name').textContent = `What ${name} wrote last`;
    get('log_text').textContent = text || 'It has written nothing yet.';
    get('log').showModal();
    get('log_text').scrollTop = get('log_text').scrollHeight;
  });
}

// Each row of the table of workers has one button. Every change builds all rows again.
export function offer_worker_actions(table) {
  table.addEventListener('click', async event => {
    const {worker, wanted} = event.target.dataset;
    if (!worker) return;
    const place = get('workers_done');
    const path = `workers/${encodeURIComponent(worker)}/${wanted}`;
    if (wanted === 'resume') return act(place, path, `${worker} takes orders again.`);
    if (await agreed(`Drain ${worker}? It starts no rooms, and those that it has close when they ` +
        'are empty.', 'Drain it')) {
      await act(place, path, `${worker} drains.`);
    }
  });
}

export function worker_button(worker) {
  const button = document.createElement('button');
  const drained = worker.paused.length >= worker.modes.length && worker.modes.length > 0 &&
    worker.paused.every(each => each.cause === 'drained');
  button.type = 'button';
  button.dataset.worker = worker.worker;
  button.dataset.wanted = drained ? 'resume' : 'drain';
  button.textContent = drained ? 'Resume' : 'Drain';
  button.setAttribute('aria-label', `${button.textContent} ${worker.worker}`);
  return button;
}
