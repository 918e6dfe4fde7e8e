"""Shows tokens, good and bad, to the door of each client, beside a worker that has a script.

Usage: doors.py DRIVERS CLIENT …

A driver takes the environment of a game and FIXKEEP_TOKENS, a list of JSON. For each token it
prints {"player": …, "team": …}, null where it refuses or there is none, and in the end {"left": …}, whether ann could leave.
Ends with "N passed, N failed".
"""

import base64
import hmac
import http.server
import json
import os
import subprocess
import sys
import threading
import time

import commands

KEY = bytes(range(32))
ROOM = "w1-9e30e0571df56853-64"
LATER = int(time.time() * 1000) + 3_600_000
SDK_TOKEN = "token-of-the-sdk"
DRIVER_S = 90


def base64url(content):
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def signed(text, key=KEY):
    claims = base64url(text if isinstance(text, bytes) else text.encode())
    return claims + "." + base64url(hmac.digest(key, claims.encode(), "sha256"))


def token(player, room=ROOM, ends=LATER, version="1"):
    return signed(f"{version}\n{ends}\n{room}\n{player}")


def other_letter(text, at, by):
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    at %= len(text)
    return text[:at] + letters[letters.index(text[at]) ^ by] + text[at + 1 :]


def with_facts(player, facts, version="2"):
    return signed(f"{version}\n{LATER}\n{ROOM}\n{facts}\n{player}")


ANN = token("ann")
# The teams that the tokens of some cases name.
TEAMS = {"a_seat_in_a_team": "rot \"1\"\n", "a_match_of_one_team_with_more": "1"}
# What is shown, who comes in, and whether the worker is asked.
CASES = [
    ("a_token_of_this_room", ANN, "ann", True),
    ("a_name_of_any_letters", token('Zoë "q"\\\t'), 'Zoë "q"\\\t', True),
    ("a_name_of_two_lines", token("two\nlines"), "two\nlines", True),
    ("another_length_of_base64", token("anna"), "anna", True),
    ("a_third_length_of_base64", token("annab"), "annab", True),
    ("a_seat_in_a_team", with_facts("ann", json.dumps({"team": 'rot "1"\n'})), "ann", True),
    ("a_match_of_one_team_with_more", with_facts("two\nlines", '{"match_id":"m","team":"1","new":[1]}'),
     "two\nlines", True),
    ("a_seat_without_a_team", with_facts("ann", '{"match_id":"m"}'), "ann", True),
    ("the_worker_says_false", token("false"), None, True),
    ("the_worker_says_true_as_a_text", token("text"), None, True),
    ("the_worker_says_one", token("one"), None, True),
    ("the_worker_says_no_json", token("rubbish"), None, True),
    ("the_worker_says_500_with_true", token("500"), None, True),
    ("the_worker_says_nothing", token("silent"), None, True),
    ("the_worker_closes", token("closes"), None, True),
    ("a_signature_of_another_key", signed(f"1\n{LATER}\n{ROOM}\nann", bytes(32)), None, False),
    ("a_signature_that_differs", other_letter(ANN, -3, 1), None, False),
    ("a_signature_in_another_spelling", other_letter(ANN, -1, 1), None, False),
    ("a_signature_that_goes_on", ANN + "A", None, False),
    ("a_signature_with_padding", ANN + "=", None, False),
    ("a_signature_of_nothing", ANN.split(".")[0] + ".", None, False),
    ("claims_that_differ", other_letter(ANN, 5, 1), None, False),
    ("no_dot", ANN.replace(".", ""), None, False),
    ("two_dots", ANN + ".x", None, False),
    ("nothing", "", None, False),
    ("a_dot", ".", None, False),
    ("another_room", token("ann", room="w1-9e30e0571df56853-65"), None, False),
    ("a_room_that_begins_likewise", token("ann", room=ROOM + "5"), None, False),
    ("an_end_that_is_over", token("ann", ends=LATER - 7_200_000), None, False),
    ("an_end_that_is_no_number", token("ann", ends="never"), None, False),
    ("an_end_that_is_missing", token("ann", ends=""), None, False),
    ("another_version", token("ann", version="3"), None, False),
    ("another_version_with_facts", with_facts("ann", "{}", version="3"), None, False),
    ("facts_without_a_player", token('{"team":"1"}', version="2"), None, False),
    ("facts_of_no_player", with_facts("", '{"team":"1"}'), None, False),
    ("no_player", token(""), None, False),
    ("too_few_lines", signed(f"1\n{LATER}\n{ROOM}"), None, False),
    ("one_line", signed("1"), None, False),
    ("no_lines", signed(""), None, False),
    ("a_token_without_end", token("a" * 6000), None, False),
]


class Worker(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        asked = (self.path, json.loads(body), self.headers.get("Authorization"))
        self.server.asked.append(asked)
        player = asked[1]["playerID"]
        answers = {"false": '{"bool":false}', "text": '{"bool":"true"}', "one": '{"bool":1}',
                   "rubbish": "true"}  # fmt: skip
        if player == "silent":
            return self.server.over.wait(20)
        if player == "closes":
            return None
        text = answers.get(player, '{"bool":true}').encode()
        self.send_response(500 if player == "500" else 200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        return self.wfile.write(text)

    def log_message(self, *_):
        pass


# JSON may carry a lone surrogate, and a text of Python keeps it. The others' texts cannot, or their
# readers of JSON refuse it.
LONE_SURROGATES = [("a_lone_surrogate_in_the_claims", "\ud800.x", None, False),
                   ("a_lone_surrogate_in_the_signature", "x.\udfff", None, False)]  # fmt: skip


def cases_of(client):
    return CASES + LONE_SURROGATES if client == "python" else CASES


def failures_of(client, drivers, here):
    cases = cases_of(client)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Worker) as worker:
        worker.asked, worker.over, worker.daemon_threads = [], threading.Event(), True
        worker.block_on_close = False
        threading.Thread(target=worker.serve_forever, daemon=True).start()
        environment = {
            **os.environ, "FIXKEEP_ROOM_ID": ROOM, "FIXKEEP_SEAT_KEY": KEY.hex(),
            "AGONES_SDK_HTTP_PORT": str(worker.server_address[1]), "FIXKEEP_SDK_TOKEN": SDK_TOKEN,
            "FIXKEEP_TOKENS": json.dumps([shown for _, shown, _, _ in cases]),
        }  # fmt: skip
        command = commands.program(client, "door", here, drivers)
        ran = subprocess.run(command, env=environment, capture_output=True, text=True,
                             timeout=DRIVER_S)  # fmt: skip
        worker.over.set()
        worker.shutdown()
    told = [json.loads(line) for line in ran.stdout.splitlines() if line.startswith("{")]
    if len(told) != len(cases) + 1:
        return [f"printed {len(told)} lines: {ran.stdout[-500:]} {ran.stderr[-1000:]}"]
    bad = [f"{name}: let in {line['player']!r}, not {player!r}"
           for (name, _, player, _), line in zip(cases, told)
           if line["player"] != player]  # fmt: skip
    bad += [f"{name}: in team {line.get('team')!r}"
            for (name, *_), line in zip(cases, told) if line.get("team") != TEAMS.get(name)]  # fmt: skip
    connects = [
        ("/alpha/player/connect", {"playerID": line_player(shown)}, "Bearer " + SDK_TOKEN)
        for _, shown, _, asks in cases if asks
    ]  # fmt: skip
    leaves = [("/alpha/player/disconnect", {"playerID": "ann"}, "Bearer " + SDK_TOKEN)]
    if worker.asked != connects + leaves:
        bad.append(f"the worker was asked {worker.asked}")
    if told[-1] != {"left": True}:
        bad.append("ann could not leave")
    return bad


def line_player(shown):
    claims = shown.split(".")[0]
    version, _, _, rest = base64.urlsafe_b64decode(claims + "==").decode().split("\n", 3)
    return rest.split("\n", 1)[1] if version == "2" else rest


def main():
    here, drivers = os.path.dirname(os.path.abspath(__file__)), sys.argv[1]
    passed = failed = 0
    for client in sys.argv[2:]:
        bad = failures_of(client, drivers, here)
        for text in bad:
            print(f"{client} FAILED door: {text}")
        print(f"{client}: the door, {len(cases_of(client))} tokens", flush=True)
        passed, failed = passed + len(cases_of(client)) - min(len(bad), len(cases_of(client))), failed + len(bad)
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed or not passed else 0)


main()
