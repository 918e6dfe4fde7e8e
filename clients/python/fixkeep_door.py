# SPDX-License-Identifier: MIT
"""Lets players into a room: for a game server in Python 3.9 or later, without dependencies.

    door = Door.of_environment()
    door = Door.of_fleet()        # instead, in a server of an Agones fleet, when its first player comes
    player = door.admit(token)    # what the player shows; None: refuse
    team = door.facts_of(token).get("team")
    door.leave(player)            # gives the seat back

A player is let in whose token is of this room and has not ended (docs/api.md, "Seat tokens"), and
of whom the worker then says true. Whatever else happens, such as no answer within five seconds, is
a no.

Thread rule: any thread; admit and leave block. Bounds: 4096 letters of a token, five seconds.
"""

import base64
import hmac
import http.client
import json
import os
import time
import urllib.request

TOKEN_LETTERS = 4096
ANSWER_S = 5
ANSWER_BYTES = 4096
SERVER_BYTES = 1024 * 1024  # of a game server with all its annotations
ASK_AGAIN_S = 0.1


class Door:
    def __init__(self, room, key, sdk_port, sdk_token=""):
        self._room, self._key = room, key
        self._url = f"http://127.0.0.1:{sdk_port}/alpha/player/"
        self._headers = {"Content-Type": "application/json"}
        if sdk_token:
            self._headers["Authorization"] = "Bearer " + sdk_token

    @classmethod
    def of_environment(cls):
        """With what the worker has put into the environment of the game."""
        return cls(
            os.environ["FIXKEEP_ROOM_ID"],
            bytes.fromhex(os.environ["FIXKEEP_SEAT_KEY"]),
            int(os.environ["AGONES_SDK_HTTP_PORT"]),
            os.environ.get("FIXKEEP_SDK_TOKEN", ""),
        )

    @classmethod
    def of_fleet(cls, wait_s=30):
        """With what the annotations of an Agones server say, whose own SDK is beside the game.

        A player may come 50 ms before them, and after an outage of the Kubernetes API they may be
        late by seconds. Asks until they are there; a TimeoutError says that they were not.
        """
        port = int(os.environ.get("AGONES_SDK_HTTP_PORT", "9358"))
        ends = time.monotonic() + wait_s
        while True:
            found = _annotations(f"http://127.0.0.1:{port}/gameserver")
            room, key = found.get("fixkeep/room-id"), found.get("fixkeep/seat-key")
            if room and key:
                return cls(room, bytes.fromhex(key), port)
            if time.monotonic() > ends:
                raise TimeoutError("the annotations of this server name no room")
            time.sleep(ASK_AGAIN_S)

    def admit(self, token):
        player = self.player_of(token)
        return player if player and self._ask("connect", player) else None

    def leave(self, player):
        return self._ask("disconnect", player)

    def player_of(self, token):
        """To whom this room's token was given; None if it is none. The worker is not asked."""
        return self._read(token)[0]

    def facts_of(self, token):
        """What this room's token says of the seat, such as {"team": "1"}; {} if it says nothing."""
        return self._read(token)[1]

    def _read(self, token):
        """The player and the facts of the seat."""
        nobody = None, {}
        try:
            claims, _, signature = token[: TOKEN_LETTERS + 1].partition(".")
            wanted = base64.urlsafe_b64encode(hmac.digest(self._key, claims.encode(), "sha256"))
            # A lone surrogate, which JSON may carry, has no bytes: encode() raises a ValueError.
            right = hmac.compare_digest(wanted.rstrip(b"="), signature.encode())
            if not right or len(token) > TOKEN_LETTERS:
                return nobody
            text = base64.urlsafe_b64decode(claims + "=" * (-len(claims) % 4)).decode()
            version, ends_ms, room, player = text.split("\n", 3)
            facts = "{}"
            if version == "2":
                facts, player = player.split("\n", 1)
            fits = player and room == self._room and int(ends_ms) > time.time() * 1000
            return (player, json.loads(facts)) if fits and version in ("1", "2") else nobody
        except ValueError:
            return nobody

    def _ask(self, what, player):
        body = json.dumps({"playerID": player}).encode()
        request = urllib.request.Request(self._url + what, body, self._headers)
        try:
            with _DIRECTLY.open(request, timeout=ANSWER_S) as answer:
                found = json.loads(answer.read(ANSWER_BYTES))
        except (OSError, ValueError, RecursionError, http.client.HTTPException):
            return False
        return isinstance(found, dict) and found.get("bool") is True


# A proxy of the environment has nothing to do with the worker.
_DIRECTLY = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def _annotations(url):
    """Of the server, as the SDK knows it now; none if it does not answer."""
    try:
        with _DIRECTLY.open(url, timeout=ANSWER_S) as answer:
            found = json.loads(answer.read(SERVER_BYTES))["object_meta"]["annotations"]
    except (OSError, ValueError, RecursionError, LookupError, TypeError, http.client.HTTPException):
        return {}
    return found if isinstance(found, dict) else {}
