"""Rooms for many matches that were made elsewhere, while replies are lost and masters die.

Usage: matches.py PROGRAMS [MATCHES [SEED]]

Starts a cluster of three masters and asks for each match at any of them, up to five times, by way of a
proxy that cuts a third of the replies at any byte. Meanwhile one master after the other is killed and
started again, stopped for two seconds, or out of its clients' reach. In the end each match has to have
one room, the same at every master, each of its players a seat in it, and no other room may be there.
Ends with "N passed, N failed".
"""

import collections
import http.client
import json
import os
import pathlib
import random
import re
import signal
import socket
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "clients"))
sys.dont_write_bytecode = True

import cluster

THREADS = 16
LIMIT_S = 300
CALLS = 5


class Proxy:
    """Hands requests on to a master, and cuts some of the replies."""

    def __init__(self, master, random_numbers):
        host, port = master.removeprefix("http://").split(":")
        self.target, self.random = (host, int(port)), random_numbers
        self.cut_off, self.faulty = False, True
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.address = self.listener.getsockname()
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        with client:
            try:
                if not self.cut_off:
                    self.hand_on(client)
            except OSError:
                pass

    def hand_on(self, client):
        request = read_message(client)
        with socket.create_connection(self.target, timeout=5) as master:
            master.settimeout(30)
            master.sendall(request)
            reply = read_message(master)
        if self.faulty and self.random.random() < 0.33:
            reply = reply[: self.random.randrange(len(reply) + 1)]
        client.sendall(reply)


def read_message(connection):
    """Head and body, whose length is in the head."""
    text = b""
    while b"\r\n\r\n" not in text:
        more = connection.recv(65536)
        if not more:
            raise OSError("closed")
        text += more
    head, body = text.split(b"\r\n\r\n", 1)
    length = re.search(rb"(?i)content-length: *(\d+)", head)
    left = int(length[1]) - len(body) if length else 0
    while left > 0:
        more = connection.recv(65536)
        if not more:
            raise OSError("closed")
        text, left = text + more, left - len(more)
    return text


def order_of(match):
    def team(name, players):
        return {"name": name, "players": [{"player_id": f"{match}-{each}"} for each in players]}

    return {
        "mode": "duel",
        "attributes": {"region": "eu", "version": "1", "skill": 1000},
        "teams": [team("red", ["ann", "bob"]), team("blue", ["cid", "dan"])],
        "metadata": {"map": "harbour"},
        "wait_ms": 4000,
    }


def ask(address, method, match, body):
    """Status and body; None: no whole answer."""
    connection = http.client.HTTPConnection(*address, timeout=20)
    try:
        head = {"Content-Type": "application/json", "Connection": "close"}
        connection.request(method, f"/v1/matches/{match}", body, head)
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
    except (OSError, ValueError, http.client.HTTPException):
        return None
    finally:
        connection.close()


def lasting(answer):
    """What never changes in the answers of a match."""
    seats = [(each["player_id"], each["team"]) for each in answer["players"]]
    return answer["room_id"], answer["address"], answer["port"], tuple(seats)


class Trial:
    def __init__(self, masters, seed):
        self.random = random.Random(seed)
        self.proxies = [Proxy(each, self.random) for each in masters]
        self.answers, self.wrong = {}, []
        self.calls = collections.Counter()
        self.lock = threading.Lock()

    def make(self, matches):
        """Asks for each match: until it has its room, and then again."""
        for match in matches:
            body = json.dumps(order_of(match))
            again = self.random.randrange(CALLS)
            end = time.monotonic() + 120
            while time.monotonic() < end:
                got = ask(self.random.choice(self.proxies).address, "PUT", match, body)
                self.note(match, got)
                if got is not None and got[0] == 200:
                    again -= 1
                    if again < 0:
                        break
                elif got is None or got[0] >= 400:
                    time.sleep(0.1)

    def note(self, match, got):
        with self.lock:
            self.calls["no whole answer" if got is None else got[0]] += 1
            if got is None or got[0] != 200:
                return
            kept = lasting(got[1])
            if self.answers.setdefault(match, kept) != kept:
                self.wrong.append(f"{match}: {kept}, and before {self.answers[match]}")

    def judge(self, matches):
        """After all faults: each match at each master, and all of its players in its room."""
        for match in matches:
            for proxy in self.proxies:
                got = ask(proxy.address, "PUT", match, json.dumps(order_of(match)))
                self.note(match, got)
                if got is None or got[0] != 200:
                    self.wrong.append(f"{match}: {got}")
            if got is not None and got[0] == 200:
                self.enter(match, got[1])
        rooms = {kept[0] for kept in self.answers.values()}
        if len(rooms) != len(matches):
            self.wrong.append(f"{len(rooms)} rooms for {len(matches)} matches")

    def enter(self, match, answer):
        for each in answer["players"]:
            with socket.create_connection((answer["address"], answer["port"]), timeout=20) as room:
                room.sendall(f"JOIN {each['seat_token']}\n".encode())
                said = room.makefile().readline()
            if not said.startswith(f"WELCOME {each['player_id']} {answer['room_id']}"):
                self.wrong.append(f"{match}: the room says {said!r}")


def command_of(process):
    with open(f"/proc/{process}/cmdline", "rb") as file:
        return file.read().decode().split("\0")[:-1]


class Masters:
    """The masters' processes, one of which at a time has a fault."""

    def __init__(self, process, proxies):
        children = subprocess.run(["pgrep", "-P", str(process.pid)], capture_output=True, text=True).stdout.split()
        found = [int(each) for each in children if command_of(each)[0].endswith("fixkeep-master")]
        self.processes = sorted(found, key=lambda each: command_of(each))
        self.proxies, self.started = proxies, []
        self.faults = collections.Counter()

    def trouble(self, over):
        turn = 0
        while not over.wait(1.0):
            at = turn % len(self.processes)
            kind = ["killed", "stopped", "cut off"][turn // len(self.processes) % 3]
            self.faults[kind] += 1
            getattr(self, kind.replace(" ", "_"))(at)
            turn += 1

    def killed(self, at):
        process = self.processes[at]
        command, folder = command_of(process), os.readlink(f"/proc/{process}/cwd")
        os.kill(process, signal.SIGKILL)
        time.sleep(0.5)
        new = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.started.append(new)
        self.processes[at] = new.pid
        time.sleep(1.5)

    def stopped(self, at):
        os.kill(self.processes[at], signal.SIGSTOP)
        time.sleep(2)
        os.kill(self.processes[at], signal.SIGCONT)

    def cut_off(self, at):
        self.proxies[at].cut_off = True
        time.sleep(2)
        self.proxies[at].cut_off = False

    def end(self):
        for each in self.started:
            each.terminate()
            each.wait()


def games_of(folder):
    """How many games this cluster runs."""
    found = subprocess.run(["pgrep", "-f", "fixkeep-demo-game --port"], capture_output=True, text=True).stdout
    count = 0
    for process in found.split():
        try:
            with open(f"/proc/{process}/environ", "rb") as environment:
                count += folder.encode() in environment.read()
        except OSError:
            pass  # it has ended
    return count


def run(trial, masters, matches):
    over = threading.Event()
    faults = threading.Thread(target=masters.trouble, args=(over,), daemon=True)
    faults.start()
    workers = [threading.Thread(target=trial.make, args=(matches[i::THREADS],), daemon=True) for i in range(THREADS)]
    for each in workers:
        each.start()
    for each in workers:
        each.join()
    over.set()
    faults.join()
    for proxy in trial.proxies:
        proxy.faulty = False
    time.sleep(5)  # the last master is ready again
    trial.judge(matches)


def main():
    programs = sys.argv[1]
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    options = ["--masters", "3", "--workers", "12", "--boot-ms", "100", "--capacity", "4", "--reservation-ms", "600000"]
    with cluster.running(programs, LIMIT_S, *options) as of:
        trial = Trial(of.masters, seed)
        masters = Masters(of.process, trial.proxies)
        try:
            run(trial, masters, [f"match-{i}" for i in range(count)])
            games = games_of(of.folder)
        finally:
            masters.end()
    print(f"calls: {dict(trial.calls)}; masters: {dict(masters.faults)}; games that run: {games}")
    if games != count:
        trial.wrong.append(f"{games} games for {count} matches")
    for each in trial.wrong[:20]:
        print(each)
    print(f"{0 if trial.wrong else 1} passed, {1 if trial.wrong else 0} failed")
    sys.exit(1 if trial.wrong else 0)


main()
