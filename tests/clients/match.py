"""Each client plays a match against a real cluster, which it starts: all of them in one room.

Usage: match.py PROGRAMS DRIVERS CLIENT …

The first of the masters that a client is given is one that is down. Prints a line for each client
and ends with "N passed, N failed".
"""

import json
import os
import socket
import subprocess
import sys

import cluster
import commands

START_S = 60


def play(command, masters, player):
    """The connection to the room, which has let the player in, and the room."""
    wanted = {"player_id": player, "mode": "duel", "wait_ms": 20000,
              "attributes": {"region": "eu", "version": "1", "skill": 1000}}  # fmt: skip
    call = {"masters": masters, "wanted": wanted, "limit_ms": 60000, "keep_order": True, "calls": 1}
    ran = subprocess.run(command, env={**os.environ, "FIXKEEP_CALL": json.dumps(call)},
                         capture_output=True, text=True, timeout=90)  # fmt: skip
    lines = [line for line in ran.stdout.splitlines() if line.startswith("{")]
    told = json.loads(lines[0]) if lines else {"outcome": ran.stdout + ran.stderr}
    if told["outcome"] != "seat":
        raise ValueError(f"no seat: {told}")
    seat = told["seat"]
    room = socket.create_connection((seat["address"], int(seat["port"])), timeout=20)
    room.sendall(f"JOIN {seat['seat_token']}\n".encode())
    welcome = room.makefile().readline().strip()
    if welcome != f"WELCOME {player} {seat['room_id']}":
        raise ValueError(f"the room said: {welcome}")
    return room, seat["room_id"]


def main():
    programs, drivers, clients = sys.argv[1], sys.argv[2], sys.argv[3:]
    here = os.path.dirname(os.path.abspath(__file__))
    down = socket.socket()
    down.bind(("127.0.0.1", 0))
    open_rooms, rooms, failed = [], set(), 0
    with cluster.running(programs, START_S + 90 * len(clients), "--masters", "2", "--workers", "1",
                         "--boot-ms", "0", "--capacity", "8") as of:  # fmt: skip
        masters = [f"http://127.0.0.1:{down.getsockname()[1]}", *of.masters]
        for client in clients:
            try:
                connection, room = play(commands.driver(client, here, drivers), masters, client)
                open_rooms.append(connection)
                rooms.add(room)
                print(f"{client}: plays in {room}")
            except (OSError, ValueError, subprocess.TimeoutExpired) as error:
                failed += 1
                print(f"{client} FAILED: {error}")
    if len(rooms) > 1:
        failed += 1
        print(f"they are in {len(rooms)} rooms, and all of them fit into one")
    print(f"{len(clients) - min(failed, len(clients))} passed, {failed} failed")
    sys.exit(1 if failed else 0)


main()
