"""A lock that is wrong: it reads and then writes. Two nodes that wait both read before one writes."""

import socket
import time

import own_lock


def ask(command):
    redis.sendall(command.encode() + b"\r\n")
    return redis.recv(100)


def start(_node, _nodes, servers):
    global redis
    redis = socket.create_connection(servers[0].split(":"))


def acquire(key):
    while ask(f"EXISTS {key}") == b":1\r\n":
        time.sleep(0.002)
    time.sleep(0.05)  # another node reads meanwhile, on a busy machine too
    ask(f"SET {key} mine")


own_lock.run(start, acquire, lambda key: ask(f"DEL {key}"))
