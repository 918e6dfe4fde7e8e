"""Speaks the protocol of docs/own-lock.md for a lock in Python.

    import own_lock

    def acquire(key):   # blocks until this node holds the key; returns a fencing token or None,
                       # or (token, True) if the client has to fence before it works
    def release(key):
    own_lock.run(start, acquire, release)      # start(node_id, node_ids, servers) is called first

Each key has a thread of its own, so acquire() may block. A lock that finds out that it no longer holds
a key calls own_lock.lost(key).
"""

import json
import sys
import threading

_output = threading.Lock()
_node = None


def send(to, body):
    with _output:
        print(json.dumps({"src": _node, "dest": to, "body": body}), flush=True)


def lost(key):
    send("c" + _node[1:], {"type": "lost", "key": key})


def run(start, acquire, release):
    global _node
    for line in sys.stdin:
        message = json.loads(line)
        body = message["body"]

        def reply(answer, message=message, body=body):
            send(message["src"], {**answer, "in_reply_to": body["msg_id"]})

        def serve(body=body, reply=reply):
            try:
                if body["type"] == "acquire":
                    token = acquire(body["key"])
                    token, fence = token if isinstance(token, tuple) else (token, False)
                    about = {"needs_fence": fence, **({} if token is None else {"token": token})}
                    reply({"type": "acquired", "key": body["key"], **about})
                else:
                    release(body["key"])
                    reply({"type": "released", "key": body["key"]})
            except Exception as mistake:  # a failed call is an answer, not the end of the node
                print(repr(mistake), file=sys.stderr, flush=True)
                reply({"type": "error", "code": 13, "text": repr(mistake)})

        if body["type"] == "init":
            _node = body["node_id"]
            start(_node, body["node_ids"], body["servers"])
            reply({"type": "init_ok"})
        elif body["type"] in ("acquire", "release"):
            threading.Thread(target=serve, daemon=True).start()
