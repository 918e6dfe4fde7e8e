"""Stands between two masters and writes down how long the one that is dialled was silent.

Usage: silences.py LISTEN-PORT TO-PORT FILE

Appends a line to FILE whenever bytes come from TO-PORT: the milliseconds since the bytes before. A
link that has nothing to say sends a heartbeat every 250 ms, so what is longer is how late one was,
the lateness of this program included. Serves one link after the other, until it is ended.
"""

import select
import socket
import sys
import time


def pass_on(ours, theirs, told):
    """Until one of them closes."""
    last = None
    while True:
        for source in select.select([ours, theirs], [], [])[0]:
            data = source.recv(1 << 16)
            if not data:
                return
            (ours if source is theirs else theirs).sendall(data)
            if source is theirs:
                now = time.monotonic()
                if last is not None:
                    told.write(f"{(now - last) * 1000:.1f}\n")
                last = now


def main():
    listen_port, to_port, path = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    listener = socket.create_server(("127.0.0.1", listen_port))
    with open(path, "a", buffering=1, encoding="utf-8") as told:
        while True:
            ours, _ = listener.accept()
            try:
                with ours, socket.create_connection(("127.0.0.1", to_port)) as theirs:
                    pass_on(ours, theirs, told)
            except OSError:
                pass  # a master that is not there yet is dialled again


main()
