// Turns the events of a master into sentences.

const seats = count => count === 1 ? '1 seat' : `${count} seats`;

const sentences = {
  'match-asked': event => `A player of ${event.group} asked for ${seats(event.seats)}`,
  'match-answered': event =>
    event.room === '' ? 'A request was refused' : `A player got a seat in ${event.room}`,
  'lock-wanted': (event, node) => `${node} wants the lock of ${event.group}`,
  'lock-granted': (event, node) =>
    `${node} has the lock of ${event.group}, token ${event.counter}.m${event.master}`,
  'lock-left': (event, node) => `${node} gave the lock of ${event.group} back`,
  'fence-asked': event => `${event.worker} is asked to promise, for ${event.group}`,
  'fence-answered': event => `${event.worker} has promised`,
  'seats-asked': event =>
    `${event.worker} is asked for ${seats(event.seats)} in room ${event.room}`,
  'seats-answered': event => `${event.worker} answered about seats`,
  'room-ordered': (event, node) =>
    `${node} ordered a room of ${event.group} at ${event.worker}`,
  'order-answered': event =>
    event.accepted ? `${event.worker} starts the room` : `${event.worker} refused the order`
};

// Returns true for a refused request and for a refused order.
export const is_trouble = event =>
  (event.event === 'match-answered' && event.room === '') ||
  (event.event === 'order-answered' && !event.accepted);

// Returns the name of the event if this page has no sentence for it.
export function words(event, node) {
  const sentence = sentences[event.event];
  return sentence ? sentence(event, node) : event.event;
}

export function duration(ms) {
  if (ms < 10) return `${Math.round(ms * 10) / 10} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`;
  const minutes = Math.floor(ms / 60_000);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
