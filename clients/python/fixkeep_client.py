# SPDX-License-Identifier: MIT
"""Asks the masters of FIX Keep for a seat. Python 3.9 or later, and its standard library alone.

MatchClient.find_seat asks one master after the other until one gives a seat, one refuses, the time
is over, or somebody cancels. What it does with each answer is the same in all clients of FIX Keep,
and stands in docs/clients.md; tests/clients/table.txt holds it to that.

Thread rule: find_seat blocks its thread; a MatchClient may be used by any number of threads, and a
Cancellation belongs to one call. cancel() may be called by any thread.
Bounds: limit_s of one call, with all its waits; five seconds to connect; 64 KiB of an answer. The
look-up of a name is the system's, and nothing ends it early.
Errors: Refused, TooLate and Cancelled; ValueError for wrong use. What `token` raises goes through.
"""

import http.client
import json
import random as random_numbers
import socket
import ssl
import string
import threading
import time
import urllib.parse

CONNECT_S = 5  # for each address of a master
ANSWER_S = 35  # where the request has no wait_ms: 30 s, the default of a master, and then some
GRACE_S = 5  # what an answer may take beyond wait_ms
ANSWER_BYTES = 64 * 1024
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.5, 8
PROBLEM = "urn:fixkeep:error:"
ELSEWHERE = ("not-ready", "stopping", "too-many-connections")  # troubles of this master alone


class MatchError(Exception):
    """There is no seat. `type` is the master's (docs/api.md), or "" where none has spoken."""

    def __init__(self, kind, detail, status=0):
        super().__init__(f"{kind}: {detail}" if kind else detail)
        self.type, self.detail, self.status = kind, detail, status


class Refused(MatchError):
    """The request is wrong, or not for now: to repeat it as it is would be in vain."""


class TooLate(MatchError):
    """The time is over; type and detail are those of the last trouble."""


class Cancelled(MatchError):
    """cancel() was called."""

    def __init__(self):
        super().__init__("", "cancelled")


class Cancellation:
    """Ends one find_seat from another thread, and hangs up: that cancels at the master too."""

    def __init__(self):
        self._lock, self._event, self._socket = threading.Lock(), threading.Event(), None

    def cancel(self):
        self._event.set()
        self.hang_up()

    def hang_up(self):
        with self._lock:
            if self._socket is not None:
                try:  # the method of the base, since that of TLS would wait for its reader
                    socket.socket.shutdown(self._socket, socket.SHUT_RDWR)
                except OSError:
                    pass

    def watch(self, connection):
        with self._lock:
            self._socket = connection
        self.check()

    def forget(self):
        with self._lock:
            self._socket = None

    def wait(self, seconds):
        self._event.wait(seconds)
        self.check()

    def check(self):
        if self._event.is_set():
            raise Cancelled()


class MatchClient:
    """masters: their addresses, "https://m1.example". They are asked in an order that is drawn for
    each call, or in this one with keep_order. token(renew) returns what is sent as bearer token; it
    is called again, with renew=True, when a master says 401. tls is an ssl.SSLContext; random, a
    function that returns 0 <= x < 1, is there for tests."""

    def __init__(
        self, masters, *, token=None, limit_s=120, keep_order=False, tls=None, random=None
    ):
        self._masters = [_Master(address, tls) for address in masters]
        if not self._masters:
            raise ValueError("there is no master to ask")
        self._token, self._limit_s, self._keep_order = token, limit_s, keep_order
        self._random = random or random_numbers.random

    def find_seat(self, wanted, cancellation=None):
        """The answer of POST /v1/match, a dict; wanted is the request, as docs/api.md has it."""
        return _Search(self, wanted, cancellation or Cancellation()).run()

    def _order(self):
        order = list(self._masters)
        if not self._keep_order:
            for i in range(len(order) - 1, 0, -1):
                j = int(self._random() * (i + 1))
                order[i], order[j] = order[j], order[i]
        return order


class _Search:
    def __init__(self, client, wanted, cancellation):
        self._body = json.dumps(wanted).encode()
        wait_ms = wanted.get("wait_ms")
        self._answer_s = ANSWER_S if wait_ms is None else wait_ms / 1000 + GRACE_S
        self._client, self._cancellation = client, cancellation
        self._random, self._token = client._random, client._token
        self._order = client._order()
        self._ready = [0.0] * len(self._order)  # when each may be asked again
        self._tries, self._next = 0, 0
        self._last = ("", "no master was asked", 0)

    def run(self):
        end = time.monotonic() + self._client._limit_s
        token = self._token and _checked(self._token(False))
        renewed = False
        while True:
            at = self._await_a_master(end)
            try:
                status, headers, body = self._ask(self._order[at], token, end)
            except (OSError, ValueError, http.client.HTTPException) as error:
                self._cancellation.check()
                trouble = f"{self._order[at].address}: {error or 'no answer'}"
                self._wait_with(at, True, "", trouble, None)
                renewed = False
                continue
            answer = _object_of(body)
            if status == 200 and _is_seat(answer):
                return answer
            if status == 401 and self._token and not renewed:
                token, renewed, self._next = _checked(self._token(True)), True, at
                continue
            renewed = False
            self._consider(at, status, headers, answer)

    def _consider(self, at, status, headers, answer):
        after = headers.get("Retry-After", "")
        after = int(after) if after.isascii() and after.isdigit() and len(after) < 10 else None
        kind = answer.get("type")
        if not (isinstance(kind, str) and kind.startswith(PROBLEM)):
            # Somebody else speaks for this master, such as a balancer: another one may be reached.
            trouble = f"{self._order[at].address}: status {status}"
            return self._wait_with(at, True, "", trouble, after)
        kind, detail = kind[len(PROBLEM) :], str(answer.get("detail", ""))
        if status not in (408, 429) and status < 500:
            raise Refused(kind, detail, status)
        self._wait_with(at, kind in ELSEWHERE, kind, detail, after, status)

    def _await_a_master(self, end):
        count, now = len(self._order), time.monotonic()
        ring = [(self._next + i) % count for i in range(count)]
        at = min(ring, key=lambda i: max(self._ready[i], now))
        if max(self._ready[at], now) >= end:
            raise TooLate(*self._last)
        self._cancellation.wait(max(0, self._ready[at] - now))
        self._next = (at + 1) % count
        return at

    def _wait_with(self, at, elsewhere, kind, detail, after, status=0):
        spread = 1 + self._random() / 2
        longest = FIRST_PAUSE_S * 2 ** min(self._tries // len(self._order), 10)
        pause = min(LONGEST_PAUSE_S, longest) * spread / 1.5
        if after is not None:
            pause = max(after, FIRST_PAUSE_S) * spread
        until = time.monotonic() + pause
        for i in [at] if elsewhere else range(len(self._ready)):
            self._ready[i] = max(self._ready[i], until)
        self._tries += 1
        self._last = (kind, detail, status)

    def _ask(self, master, token, end):
        """Status, headers and body of one answer; an OSError if it does not come in time."""
        left = min(self._answer_s, end - time.monotonic())
        timer = threading.Timer(left, self._cancellation.hang_up)
        timer.start()
        connection = None
        try:
            connection = master.connect(self._cancellation, time.monotonic() + left)
            headers = {"Content-Type": "application/json", "Accept": "application/json"}
            if token:
                headers["Authorization"] = "Bearer " + token
            connection.request("POST", master.path, self._body, {**headers, "Connection": "close"})
            answer = connection.getresponse()
            body = answer.read(ANSWER_BYTES + 1)
            if len(body) > ANSWER_BYTES:
                raise ValueError("the answer is too long")
            return answer.status, answer.headers, body
        finally:
            timer.cancel()
            self._cancellation.forget()
            if connection is not None:
                connection.close()


class _Master:
    def __init__(self, address, tls):
        parts = urllib.parse.urlsplit(address)
        secure = parts.scheme == "https"
        named = parts.hostname and not parts.query and not parts.username
        if not named or not (secure or parts.scheme == "http"):
            raise ValueError(f"a master is http://HOST:PORT or https://HOST:PORT, not {address}")
        self.address, self.path = address, parts.path.rstrip("/") + "/v1/match"
        self._host = parts.hostname
        self._port = parts.port or (443 if secure else 80)
        self._tls = (tls or ssl.create_default_context()) if secure else None

    def connect(self, cancellation, end):
        """Tries each address of the name, as the system orders them."""
        trouble = OSError("there is no address")
        for family, kind, _, _, address in socket.getaddrinfo(
            self._host, self._port, type=socket.SOCK_STREAM
        ):
            connection = socket.socket(family, kind)
            try:
                connection.settimeout(max(0.01, min(CONNECT_S, end - time.monotonic())))
                cancellation.watch(connection)
                connection.connect(address)
                if self._tls:
                    connection = self._tls.wrap_socket(connection, server_hostname=self._host)
                    cancellation.watch(connection)
                connection.settimeout(max(0.01, end - time.monotonic()))
                spoken = http.client.HTTPConnection(self._host, self._port)
                spoken.sock = connection
                return spoken
            except OSError as error:
                connection.close()
                trouble = error
            except Cancelled:
                connection.close()
                raise
        raise trouble


def _checked(token):
    """A token that would end its line would say more than a token."""
    if token and not all(c in string.ascii_letters + string.digits + "-._~+/=" for c in token):
        raise ValueError("a token has letters, digits and -._~+/= alone (RFC 6750)")
    return token


def _object_of(body):
    """The JSON object, or an empty one: answers of balancers are anything."""
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _is_seat(answer):
    texts = all(isinstance(answer.get(name), str) for name in ("room_id", "address", "seat_token"))
    port = answer.get("port")
    return texts and type(port) is int and 0 < port < 65536
