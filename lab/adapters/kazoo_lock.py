"""kazoo, the client of ZooKeeper in Python: Lock, which lives as long as the session."""

import own_lock
from kazoo.client import KazooClient, KazooState

client = None
locks = {}


def start(_node, _nodes, servers):
    global client
    client = KazooClient(hosts=",".join(servers), timeout=2.0)
    client.add_listener(on_state)
    client.start()


def on_state(state):
    if state == KazooState.CONNECTED:
        return
    for key in list(locks):  # the session may have ended: the lock with it
        locks.pop(key)
        own_lock.lost(key)


def acquire(key):
    lock = client.Lock("/own-lock/" + key)
    lock.acquire()
    locks[key] = lock


def release(key):
    lock = locks.pop(key, None)
    if lock:
        lock.release()


own_lock.run(start, acquire, release)
