// The connection to the feed. The browser dials again by itself, and names the last event it has.
//
// on_event(name, data) for each event; on_state(live, since_ms) whenever that changes.

export function listen(url, on_event, on_state) {
  const source = new EventSource(url);
  let live = null;
  const tell = now => {
    if (now === live) return;
    live = now;
    on_state(live, Date.now());
  };
  for (const name of ['snapshot', 'change']) {
    source.addEventListener(name, message => {
      tell(true);
      on_event(name, JSON.parse(message.data));
    });
  }
  source.onopen = () => tell(true);
  source.onerror = () => {
    tell(false);
    // The answer was no feed (a master that is just starting, too many readers): not dialled again.
    if (source.readyState === EventSource.CLOSED) {
      setTimeout(() => listen(url, on_event, on_state), 2000);
    }
  };
}
