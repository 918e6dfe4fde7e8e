// Draws the report data in the page. The user can also choose a file or drop a file on the page.
/* global show_locks, show_own_locks, show_pools, show_replay, show_runs, show_theory,
   make */
'use strict';

const schema = 1;  // the newest schema that this page can read

function draw_of(data) {
  if (typeof data !== 'object' || data === null) return null;
  if (Array.isArray(data.locks)) return show_locks;
  if (Array.isArray(data.own_locks)) return show_own_locks;
  if (data.theory) return show_theory;
  if (Array.isArray(data.replays)) return show_replay;
  if (Array.isArray(data)) return data[0]?.wait_s ? show_replay : null;
  if (!Array.isArray(data.runs)) return null;
  if (data.runs.length === 0) return place => make('h1', place, '', 'No run was finished.');
  return data.runs.some(run => run.pool) ? show_pools : show_runs;
}

function complain(text) {
  const trouble = document.getElementById('trouble');
  trouble.textContent = text;
  trouble.hidden = text === '';
}

let shown = '';
function show(text, name) {
  let data;
  try {
    data = JSON.parse(text);
  } catch (mistake) {
    return complain(`${name} is no JSON: ${mistake.message}`);
  }
  const draw = draw_of(data);
  if (!draw) return complain(`${name} is no report of FIX Keep: it has no "runs", "locks", "own_locks", "theory" or "replays".`);
  if ((data.schema ?? schema) > schema) {
    return complain(`${name} has schema ${data.schema}; this page reads up to ${schema}. Use the page of a newer version.`);
  }
  const place = document.getElementById('report');
  place.replaceChildren();
  try {
    draw(place, data);
  } catch (mistake) {
    if (shown && shown !== text) show(shown, 'the report');  // restores the earlier report
    return complain(`${name} cannot be drawn: ${mistake.message}`);
  }
  shown = text;
  document.title = `FIX Keep: ${place.querySelector('h1').textContent}`;
  complain('');
}

const open = async file => file && show(await file.text(), file.name);
document.getElementById('file').addEventListener('change', event => open(event.target.files[0]));
document.addEventListener('dragover', event => event.preventDefault());
document.addEventListener('drop', event => {
  event.preventDefault();
  open(event.dataTransfer.files[0]);
});
// A canvas does not change its colours by itself. A change of the colour scheme redraws the page.
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => show(shown, 'the report'));
show(document.getElementById('data').textContent, 'the report');
