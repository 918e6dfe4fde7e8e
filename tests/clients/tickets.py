"""Whether a ticket of each client keeps its age when the master that made it is killed.

Usage: tickets.py PROGRAMS DRIVERS CLIENT …

Two players of each client, 200 points apart, in a mode that lets them meet after WIDENS_S. One asks
by a ticket. The other is an app that has started again: it goes on, at another master, with a ticket
that was made before. Master 1 makes all tickets, and is killed after KILLED_S. So a ticket that
begins anew is seated too late. Prints a line for each client; ends with "N passed, N failed".
"""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request

import cluster
import commands

LIMIT_S = 120
KILLED_S, WIDENS_S = 4, 9
SLACK_S = 3.5  # less than KILLED_S, the age that would be lost
RULES = {"wait_ms": 30000, "distance": [{"attribute": "rating", "steps": [
    {"after_ms": 0, "most": 50}, {"after_ms": WIDENS_S * 1000, "most": 400}]}]}  # fmt: skip


def wait_for_line(path, words):
    for _ in range(200):
        with open(path, encoding="utf-8") as log:
            if words in log.read():
                return
        time.sleep(0.1)
    sys.exit(f"{path} does not say: {words}")


def set_rules(of):
    masters = range(len(of.masters))
    for master in masters:
        with open(of.file(master, "json"), encoding="utf-8") as source:
            config = json.load(source)
        config["modes"][0]["rules"] = RULES
        with open(of.file(master, "json"), "w", encoding="utf-8") as target:
            json.dump(config, target)
        of.signal(master, signal.SIGHUP)
    for master in masters:
        wait_for_line(of.file(master, "log"), "modes in effect")


def request_of(client, player, rating):
    return {"player_id": f"{client}-{player}", "mode": "duel",
            "attributes": {"region": client, "rating": rating}}  # fmt: skip


def make_ticket(master, request):
    call = urllib.request.Request(master + "/v1/tickets", json.dumps(request).encode(),
                                  {"Content-Type": "application/json"})  # fmt: skip
    with urllib.request.urlopen(call, timeout=10) as answer:
        return json.load(answer)["ticket"]


class Player:
    """One call of a driver, at these masters in their order."""

    def __init__(self, command, masters, **how):
        call = {"masters": masters, "wanted": {}, "limit_ms": 40000, "keep_order": True, "calls": 1,
                "ticket": True, **how}  # fmt: skip
        self.process = subprocess.Popen(
            command, env={**os.environ, "FIXKEEP_CALL": json.dumps(call)},
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)  # fmt: skip

    def wait(self):
        try:
            output, errors = self.process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            output, errors = self.process.communicate()
        self.ended = time.monotonic()
        lines = [line for line in output.splitlines() if line.startswith("{")]
        if not lines:
            raise ValueError(f"it printed {output} {errors}")
        self.told = json.loads(lines[0])
        if self.told["outcome"] != "seat":
            raise ValueError(f"no seat: {self.told}")


class Pair:
    def __init__(self, client, command, masters):
        self.client = client
        saved = make_ticket(masters[0], request_of(client, "resumed", 1200))
        self.began = time.monotonic()
        asks = {"wanted": request_of(client, "asks", 1000)}
        self.players = [Player(command, masters, **asks), Player(command, masters[1:], resume=saved)]

    def judge(self):
        """The room of both, and after how many seconds."""
        for player in self.players:
            player.wait()
        rooms = {player.told["seat"]["room_id"] for player in self.players}
        took = max(player.ended for player in self.players) - self.began
        if len(rooms) != 1:
            raise ValueError(f"they are in the rooms {rooms}")
        if not WIDENS_S - 1 <= took <= WIDENS_S + SLACK_S:
            raise ValueError(f"it took {took:.1f} s")
        # The first player's process may start late, so only the resumed ticket's age is known.
        for player, least_s in zip(self.players, (0, WIDENS_S - 1)):
            self._judge_news(player.told["told"], least_s)
        return rooms.pop(), took

    @staticmethod
    def _judge_news(news, least_s):
        states = [one["state"] for one in news]
        if states not in (["waiting", "matched", "ready"], ["waiting", "ready"]):
            raise ValueError(f"they heard {states}")
        if len({one["ticket"] for one in news}) != 1:
            raise ValueError("the ticket is another one")
        if any(one["waited_ms"] < 1000 * least_s for one in news if one["state"] == "matched"):
            raise ValueError(f"it has another age: {news}")


def main():
    programs, drivers, clients = sys.argv[1], sys.argv[2], sys.argv[3:]
    here, failed = os.path.dirname(os.path.abspath(__file__)), 0
    with cluster.running(programs, LIMIT_S, "--masters", "3", "--workers", "1", "--boot-ms", "500",
                         "--capacity", "2") as of:  # fmt: skip
        set_rules(of)
        pairs = [Pair(client, commands.driver(client, here, drivers), of.masters)
                 for client in clients]  # fmt: skip
        time.sleep(KILLED_S)
        of.signal(0, signal.SIGKILL)
        for pair in pairs:
            try:
                room, took = pair.judge()
                print(f"{pair.client}: two tickets end in {room} after {took:.1f} s")
            except ValueError as error:
                failed += 1
                print(f"{pair.client} FAILED: {error}")
    print(f"{len(clients) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


main()
