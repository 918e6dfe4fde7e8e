"""A lock of FIX Keep itself: fixkeep-lock-node, which runs the lock of a master.

    fixkeep_lock.py STRATEGY [OPTION OF fixkeep-lock-node …]

The nodes talk to each other over sockets of their own, so the faults delay and cut do not reach them.
"""

import json
import os
import pathlib
import queue
import subprocess
import sys
import threading

import own_lock

program = pathlib.Path(__file__).parents[2] / "build/release/bin/fixkeep-lock-node"
first_port = 20000 + os.getppid() % 1000 * 10  # the parent is the same for all nodes
granted = {}  # key -> a queue for the answer of the lock
held = set()
node = None


def start(name, names, servers):
    global node
    peers = ",".join(f"{each[1:]}=127.0.0.1:{first_port + int(each[1:])}" for each in names)
    options = ["--servers", ",".join(servers)] if servers else []
    command = [program, "--strategy", sys.argv[1], "--self", name[1:], "--peers", peers, *options, "--wait-ms", "60000"]
    node = subprocess.Popen([*command, *sys.argv[2:]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    ready = threading.Event()
    threading.Thread(target=listen, args=(ready,), daemon=True).start()
    ready.wait(20)


def listen(ready):
    for line in node.stdout:
        event = json.loads(line)
        if event.get("event") == "ready":
            ready.set()
        elif event.get("event") == "granted":
            granted[event["key"]].put(event)
        elif event.get("event") == "lost" and event["key"] in held:
            held.discard(event["key"])
            own_lock.lost(event["key"])
        elif event.get("event") == "lost":
            granted[event["key"]].put(event)


def say(**command):
    node.stdin.write(json.dumps(command) + "\n")
    node.stdin.flush()


def acquire(key):
    granted[key] = queue.Queue()
    say(do="acquire", key=key)
    event = granted[key].get()
    if event["event"] == "lost":
        raise RuntimeError("the wait has ended: " + event["reason"])
    held.add(key)
    counter, master = event["token"]
    return counter * 65536 + master, event["needs_fence"]


def release(key):
    if key in held:
        held.discard(key)
        say(do="release", key=key, bytes="")


own_lock.run(start, acquire, release)
