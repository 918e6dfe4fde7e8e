// The connection to the feed. After a break the browser reconnects and sends the id of the last
// event that it received.
//
// Calls on_event(name, data) for each event. Calls on_state(live, since_ms) when the connection
// starts or breaks.

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
    // The answer was an error: the master is still starting, or has too many readers of the feed.
    // The browser does not reconnect after an error.
    if (source.readyState === EventSource.CLOSED) {
      setTimeout(() => listen(url, on_event, on_state), 2000);
    }
  };
}
