// The playlist: a lesson for each lock scenario, made from the scenario's file. The file's first
// comment is the text, the file name is the title. A scenario with `hole without RULE` has a
// second lesson, without RULE.
/* global by_id, drawing, scenarios */
/* exported playlist, show_script */
'use strict';

const playlist = (() => {
  const lesson_of = ({id, text}) => {
    const word = name => text.match(new RegExp(`^${name} (.*)$`, 'm'))?.[1];
    const lock = word('strategy') ?? 'multiphase';
    const lines = text.trimEnd().split('\n');
    const begins = lines.findIndex(line => !line.startsWith('#'));
    const name = id.replace(`${lock.replaceAll('-', '_')}_`, '').replaceAll('_', ' ');
    return {id, lock, lines, begins, script: text, rule: word('hole without')?.trim() ?? '',
      title: name[0].toUpperCase() + name.slice(1),
      text: lines.slice(0, begins).map(line => line.slice(1).trim()).join(' ')};
  };
  return scenarios.map(lesson_of).flatMap(lesson => [{...lesson, plan: `scenario=${lesson.id}`},
    ...lesson.rule ? [{...lesson, left_out: true, plan: `scenario=${lesson.id}&left_out=yes`}] : []])
    .map(lesson => ({...lesson, title: lesson.left_out ? `${lesson.title}: without the rule ${lesson.rule}` : lesson.title}))
    .toSorted((a, b) => a.lock === b.lock ? 0 : a.lock === 'multiphase' ? -1 : b.lock === 'multiphase' ? 1 : a.lock < b.lock ? -1 : 1);
})();

// Shows the lines of a scenario, and marks the line of the present step.
const show_script = {
  build(place, {lines, begins}) {
    const list = drawing.make('ol', place, 'script');
    list.start = begins + 1;
    for (const line of lines.slice(begins)) {
      const at = line.indexOf('#');
      const item = drawing.make('li', list);
      drawing.make('code', item, '', (at < 0 ? line : line.slice(0, at)).trimEnd());
      if (at >= 0) drawing.make('span', item, 'soft', line.slice(at + 1).trim());
    }
  },

  mark({begins}, line) {
    const list = by_id('lesson').querySelector('.script');
    [...list.children].forEach((item, index) => {
      const number = begins + index + 1;
      item.classList.toggle('now', number === line);
      item.classList.toggle('done', number <= line);
    });
    const item = list.querySelector('.now');
    if (!item || item === list.seen) return;
    list.seen = item;
    list.scrollTop = item.offsetTop - list.offsetTop - list.clientHeight / 2;
  },
};
