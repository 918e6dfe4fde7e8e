"""Each adapter of clients/adapters gives a match of its matchmaker a room of a real cluster, which this
program starts. The matchmaker's part is its interface, by its documents (drivers/).

Usage: adapters.py PROGRAMS FOLDER      the folder has what scripts/clients.sh has built

The first of the masters that an adapter is given is one that is down. Ends with "N passed, N failed".
"""

import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request

import cluster

TREE = pathlib.Path(__file__).resolve().parents[2]
ATTRIBUTES = json.dumps({"region": "eu", "version": "1", "skill": 1000})
SECRET = "a-secret-of-the-test"


def join(player, address, port, token):
    """What the game of the room says to the player."""
    with socket.create_connection((address, int(port)), timeout=20) as room:
        room.sendall(f"JOIN {token}\n".encode())
        said = room.makefile().readline().strip()
    if not said.startswith(f"WELCOME {player} "):
        raise ValueError(f"the room said: {said}")


def run(command, **options):
    ran = subprocess.run(command, capture_output=True, text=True, timeout=120, **options)
    if ran.returncode != 0:
        raise ValueError(f"{command}: {ran.stdout}{ran.stderr}")
    return ran.stdout


def try_unity(environment, folder):
    said = [run(["mono", f"{folder}/unity-adapter.exe", "unity-1", "una", "udo"], env=environment) for _ in range(2)]
    if not re.fullmatch(r"[0-9.]+:[0-9]+\n", said[0]) or said[0] != said[1]:
        raise ValueError(f"not one room: {said}")
    other = run(["mono", f"{folder}/unity-adapter.exe", "unity-1", "ugo"], env=environment)
    if "match-differs" not in other:
        raise ValueError(f"another match with this id: {other}")


def try_nakama(environment, folder):
    package = pathlib.Path(folder, "nakama")
    shutil.rmtree(package, ignore_errors=True)
    shutil.copytree(TREE / "clients/adapters/nakama", package)
    shutil.copy(TREE / "tests/clients/drivers/nakama/fleet_test.go", package)
    stand_in = TREE / "tests/clients/drivers/nakama"
    run(["go", "mod", "edit", "-replace", f"github.com/heroiclabs/nakama-common={stand_in}"], cwd=package)
    run(["go", "vet", "./..."], cwd=package, env=environment)
    said = run(["go", "test", "-count=1", "-v", "./..."], cwd=package, env=environment)
    players = re.findall(r"^JOIN (\S+) (\S+) (\d+) (\S+)$", said, re.MULTILINE)
    if sorted(each[0] for each in players) != ["ann", "bob", "cid"]:
        raise ValueError(f"other players: {said}")
    for each in players:
        join(*each)


def free_port():
    with socket.socket() as at:
        at.bind(("127.0.0.1", 0))
        return at.getsockname()[1]


def event(match_id, players):
    """A MatchmakingSucceeded of a standalone configuration."""
    told = [{"playerId": player, "team": team} for player, team in players]
    return {
        "version": "0", "source": "aws.gamelift", "detail-type": "GameLift Matchmaking Event",
        "detail": {
            "type": "MatchmakingSucceeded", "matchId": match_id, "gameSessionInfo": {"players": told},
            "tickets": [{"ticketId": "t1", "players": told}],
        },
    }  # fmt: skip


def post(port, body, headers):
    request = urllib.request.Request(f"http://127.0.0.1:{port}/", body.encode(), headers)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


def try_events(port, output):
    bearer = {"Authorization": f"Bearer {SECRET}"}
    basic = {"Authorization": "Basic Zml4a2VlcDphLXNlY3JldC1vZi10aGUtdGVzdA=="}  # fixkeep:SECRET
    one = json.dumps(event("flex-1", [("fay", "red"), ("fio", "blue")]))
    sns = json.dumps({"Type": "Notification", "Message": one})
    notification = {**basic, "x-amz-sns-message-type": "Notification"}
    subscription = {**basic, "x-amz-sns-message-type": "SubscriptionConfirmation"}
    elsewhere = json.dumps({"SubscribeURL": "https://sns.us-east-1.amazonaws.com.evil.example/"})
    searching = json.dumps({"detail": {"type": "MatchmakingSearching"}})
    for wanted, body, headers in [
        (401, one, {}), (401, one, {"Authorization": "Bearer wrong"}), (400, "[]", bearer), (400, "no", bearer),
        (400, elsewhere, subscription), (200, searching, bearer), (200, one, bearer), (200, sns, notification),
    ]:  # fmt: skip
        got = post(port, body, headers)
        if got != wanted:
            raise ValueError(f"{got}, not {wanted}: {body[:60]} {headers}")
    answers = [json.loads(output.readline()) for _ in range(2)]
    if any("error" in each for each in answers):
        raise ValueError(f"no room: {answers}")
    if answers[0]["room_id"] != answers[1]["room_id"]:
        raise ValueError(f"a repeated event gave another room: {answers}")
    teams = {each["player_id"]: each["team"] for each in answers[1]["players"]}
    if teams != {"fay": "red", "fio": "blue"}:
        raise ValueError(f"other teams: {teams}")
    for each in answers[1]["players"]:
        join(each["player_id"], answers[1]["address"], answers[1]["port"], each["seat_token"])
    post(port, json.dumps(event("flex-1", [("fox", "red")])), bearer)
    if "differs" not in json.loads(output.readline())["error"]:
        raise ValueError("another match with this id got a room")


def try_flexmatch(environment, _folder):
    port = free_port()
    environment = {**environment, "MODE": "duel", "SECRET": SECRET}
    program = str(TREE / "clients/adapters/flexmatch/fixkeep_flexmatch.py")
    adapter = subprocess.Popen(["python3", program, str(port)], stdout=subprocess.PIPE, text=True, env=environment)
    try:
        for _ in range(200):
            if socket.socket().connect_ex(("127.0.0.1", port)) == 0:
                break
            signal.sigtimedwait([], 0.05)
        try_events(port, adapter.stdout)
    finally:
        adapter.terminate()
        adapter.wait()


def main():
    programs, folder = sys.argv[1:]
    down = socket.socket()
    down.bind(("127.0.0.1", 0))
    failed = 0
    adapters = {"unity-matchmaker": try_unity, "nakama": try_nakama, "flexmatch": try_flexmatch}
    options = ["--masters", "2", "--workers", "1", "--boot-ms", "200", "--capacity", "8"]
    with cluster.running(programs, 500, *options) as of:
        masters = [f"http://127.0.0.1:{down.getsockname()[1]}", *of.masters]
        environment = {**os.environ, "GOPROXY": "off", "MASTERS": ",".join(masters), "ATTRIBUTES": ATTRIBUTES}
        for name, attempt in adapters.items():
            try:
                attempt(environment, folder)
                print(f"{name}: passed")
            except (OSError, ValueError, KeyError, subprocess.TimeoutExpired) as error:
                failed += 1
                print(f"{name} FAILED: {error}")
    print(f"{len(adapters) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


main()
