"""Asks a game server what only the game itself can answer, as its own clients do.

Usage: game_query.py teeworlds|freeciv|text HOST PORT      prints the answer in a line

teeworlds: the query of its server browser over UDP, a token first. freeciv: the first packet of a
client that joins, and what the server says to it. text: the first bytes that it sends. Each step has
five seconds.
"""

import socket
import struct
import sys
import zlib

LIMIT_S = 5
PACKED_FROM = 16 * 1024 + 1  # of Freeciv


def teeworlds(host, port):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        asking.settimeout(LIMIT_S)
        asking.connect((host, port))
        ours = b"test"
        asking.send(b"\x04\x00\x00\xff\xff\xff\xff\x05" + ours + bytes(508))
        theirs = asking.recv(2048)[8:12]
        asking.send(b"\x21" + theirs + ours + b"\xff\xff\xff\xffgie3\x01")
        info = asking.recv(2048)
    version, name, _, map_name, kind, *_ = info[info.index(b"inf3") + 5 :].split(b"\0", 5)
    return b" ".join((b"version", version, b"name", name, b"map", map_name, b"kind", kind)).decode()


def exactly(connection, count):
    data = b""
    while len(data) < count:
        piece = connection.recv(count - len(data))
        if not piece:
            raise SystemExit(f"the server hung up after {len(data)} of {count} bytes")
        data += piece
    return data


def freeciv(host, port):
    join = b"\x04test\0+Freeciv-3.0-network\0\0" + struct.pack(">III", 3, 0, 0)
    with socket.create_connection((host, port), LIMIT_S) as connection:
        connection.sendall(struct.pack(">H", len(join) + 2) + join)
        # What the server has to say comes packed: its length is told in two forms.
        (length,) = struct.unpack(">H", exactly(connection, 2))
        if length == 0xFFFF:
            packed = exactly(connection, struct.unpack(">I", exactly(connection, 4))[0] - 6)
        else:
            packed = exactly(connection, length - PACKED_FROM - 2)
    packets = zlib.decompress(packed)
    while packets:
        (length,) = struct.unpack(">H", packets[:2])
        if packets[2] == 5:  # the answer to who joins: whether, and a text
            return f"joined {packets[3] != 0}: " + packets[4:].split(b"\0", 1)[0].decode()
        packets = packets[length:]
    raise SystemExit("the server does not say whether one has joined")


def text(host, port):
    with socket.create_connection((host, port), LIMIT_S) as connection:
        return connection.recv(100).decode().strip() or "nothing"


asks = {"teeworlds": teeworlds, "freeciv": freeciv, "text": text}
print(asks[sys.argv[1]](sys.argv[2], int(sys.argv[3])))
