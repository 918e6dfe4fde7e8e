#!/usr/bin/env python3
"""Stands between a worker and its engine, and kills the worker at one step of a start.

Usage: engine_relay.py LISTEN ENGINE ORDERS

LISTEN and ENGINE are Unix sockets. ORDERS is a file with one line, "WHEN PID REGEX": the process is
killed at the next request whose line fits, "before" the engine hears of it, or "after" the engine
has carried it out and before the worker hears of that. The file is removed when it has happened.
"""

import os
import re
import signal
import socket
import sys
import threading


def order_for(line):
    """Returns when to kill whom at this request; nothing: not at all."""
    try:
        with open(sys.argv[3], encoding="utf-8") as file:
            when, pid, pattern = file.read().strip().split(" ", 2)
    except (FileNotFoundError, ValueError):
        return None
    return (when, int(pid)) if re.search(pattern, line) else None


def kill(pid):
    os.kill(pid, signal.SIGKILL)
    os.remove(sys.argv[3])


def relay(worker):
    engine = socket.socket(socket.AF_UNIX)
    engine.connect(sys.argv[2])
    pending = []  # whom to kill instead of handing on the next answer

    def answers():
        try:
            while data := engine.recv(65536):
                if pending:
                    kill(pending.pop())
                    break
                worker.sendall(data)
            worker.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass  # the worker is gone

    threading.Thread(target=answers, daemon=True).start()
    try:
        while data := worker.recv(65536):
            # The worker has one request under way on a connection, and its head comes at once.
            order = order_for(data.split(b"\r\n", 1)[0].decode(errors="replace"))
            if order and order[0] == "before":
                kill(order[1])
                break
            if order:
                pending.append(order[1])
            engine.sendall(data)
        engine.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass  # either is gone


listener = socket.socket(socket.AF_UNIX)
listener.bind(sys.argv[1])
listener.listen(64)
while True:
    threading.Thread(target=relay, args=(listener.accept()[0],), daemon=True).start()
