# SPDX-License-Identifier: MIT
"""Makes one room of FIX Keep for each match of Amazon GameLift FlexMatch. Python 3.9 or later.

    MASTERS=https://m1.example,https://m2.example KEY=… MODE=duel SECRET=… fixkeep_flexmatch.py PORT

ATTRIBUTES, a JSON object, has the attributes of the mode, if it has any.

The program takes the events of FlexMatch over HTTP: from EventBridge (an API destination), or from
SNS. For each MatchmakingSucceeded it calls PUT /v1/matches/{matchId}. When the room is ready, it
prints the answer as one line of JSON, with the address and each player's seat token: give the
players their tokens. A repeated event gives the same room.

Who may send events: senders with SECRET as a bearer token (EventBridge), or as the password of
HTTP's basic authentication (SNS: https://fixkeep:SECRET@HOST). Put TLS before this program.
Thread rule: each event has a thread. Bounds: 256 KiB of an event; MOST_MATCHES under way, others
get 503, and the sender repeats them; LIMIT_S for a match; ANSWER_S for an answer of a master.
Errors: one line of JSON with "error", for a match that gets no room.
"""

import base64
import hmac
import http.server
import json
import os
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

EVENT_BYTES = 256 * 1024
MOST_MATCHES = 256
LIMIT_S = 120
ANSWER_S = 30  # more than WAIT_MS
WAIT_MS = 20_000
PAUSE_S = 1


class NoRoom(Exception):
    """A match gets no room. Another call would fail too."""


def order_of(detail, mode, attributes):
    """The body of PUT for the detail of a MatchmakingSucceeded."""
    teams = {}
    for player in detail["gameSessionInfo"]["players"]:
        teams.setdefault(player.get("team", "players"), []).append({"player_id": player["playerId"]})
    return {
        "mode": mode,
        "attributes": attributes,
        "teams": [{"name": name, "players": teams[name]} for name in sorted(teams)],
        "metadata": {"tickets": [ticket["ticketId"] for ticket in detail.get("tickets", [])]},
        "wait_ms": WAIT_MS,
    }


def put(master, key, match_id, order):
    """Status and body of one call. Raises OSError if there is no answer."""
    target = f"{master}/v1/matches/{urllib.parse.quote(match_id, safe='')}"
    headers = {"Content-Type": "application/json"}
    if key:
        headers["Authorization"] = f"Bearer {key}"
    request = urllib.request.Request(target, json.dumps(order).encode(), headers, method="PUT")
    try:
        with urllib.request.urlopen(request, timeout=ANSWER_S) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, {"detail": error.read(4096).decode("utf-8", "replace")}


def room_of(masters, key, match_id, order):
    """The answer with the room. Asks the masters in turn: the call may be repeated at any of them."""
    end = time.monotonic() + LIMIT_S
    last, tries = "no master was asked", 0
    while time.monotonic() < end:
        try:
            status, answer = put(masters[tries % len(masters)], key, match_id, order)
        except (OSError, ValueError) as error:
            status, answer = 0, {"detail": str(error)}
        if status == 200:
            return answer
        tries += 1
        if status == 202:  # the room still starts: the master has waited for WAIT_MS
            continue
        last = answer.get("detail", f"status {status}")
        if 400 <= status < 500 and status not in (408, 429):
            raise NoRoom(last)
        time.sleep(PAUSE_S)
    raise NoRoom(last)


class Adapter:
    """Takes events. `deliver` gets the answer of each match, or an object with "error"."""

    def __init__(self, masters, key, mode, attributes, deliver):
        self.masters, self.key, self.deliver = masters, key, deliver
        self.mode, self.attributes = mode, attributes
        self.free = threading.BoundedSemaphore(MOST_MATCHES)

    def take(self, event):
        """False if too many matches are under way. Raises KeyError or TypeError for another shape."""
        detail = event["detail"]
        if detail["type"] != "MatchmakingSucceeded":
            return True
        match_id, order = detail["matchId"], order_of(detail, self.mode, self.attributes)
        if not self.free.acquire(blocking=False):
            return False
        threading.Thread(target=self.make, args=(match_id, order), daemon=True).start()
        return True

    def make(self, match_id, order):
        try:
            self.deliver(room_of(self.masters, self.key, match_id, order))
        except NoRoom as error:
            self.deliver({"match_id": match_id, "error": str(error)})
        finally:
            self.free.release()


class Handler(http.server.BaseHTTPRequestHandler):
    timeout = 30
    adapter = None
    secret = ""

    def do_POST(self):
        length = self.headers.get("Content-Length", "")
        if not self.may_send():
            return self.send_error(401)
        if not length.isdigit() or int(length) > EVENT_BYTES:
            return self.send_error(413)
        try:
            body = json.loads(self.rfile.read(int(length)))
            taken = self.take(body)
        except (KeyError, TypeError, ValueError):
            return self.send_error(400, "no event of FlexMatch")
        if not taken:
            return self.send_error(503, "too many matches are under way")
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def take(self, body):
        kind = self.headers.get("x-amz-sns-message-type", "")
        if kind == "SubscriptionConfirmation":
            return confirm(body["SubscribeURL"])
        return self.adapter.take(json.loads(body["Message"]) if kind == "Notification" else body)

    def may_send(self):
        scheme, _, given = self.headers.get("Authorization", "").partition(" ")
        if scheme == "Basic":
            try:
                given = base64.b64decode(given).decode().partition(":")[2]
            except ValueError:
                return False
        return hmac.compare_digest(given.encode(), self.secret.encode())

    def log_message(self, *_):
        pass


def confirm(url):
    """SNS wants its subscription confirmed. Only addresses of Amazon are called."""
    parts = urllib.parse.urlsplit(url)
    if parts.scheme != "https" or not (parts.hostname or "").endswith(".amazonaws.com"):
        raise ValueError("not an address of SNS")
    with urllib.request.urlopen(url, timeout=10):
        return True


def main():
    settings = {name: os.environ.get(name, "") for name in ("MASTERS", "KEY", "MODE", "SECRET")}
    missing = [name for name in ("MASTERS", "MODE", "SECRET") if not settings[name]]
    if missing or len(sys.argv) != 2:
        sys.exit(f"set {', '.join(missing) or 'a port'}; see the head of this file")
    lock = threading.Lock()

    def deliver(answer):
        with lock:
            print(json.dumps(answer), flush=True)

    Handler.secret = settings["SECRET"]
    masters = settings["MASTERS"].rstrip("/").split(",")
    attributes = json.loads(os.environ.get("ATTRIBUTES", "{}"))
    Handler.adapter = Adapter(masters, settings["KEY"], settings["MODE"], attributes, deliver)
    http.server.ThreadingHTTPServer(("", int(sys.argv[1])), Handler).serve_forever()


if __name__ == "__main__":
    main()
