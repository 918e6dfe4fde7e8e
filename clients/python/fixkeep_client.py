# SPDX-License-Identifier: MIT
"""Asks the masters of FIX Keep for a seat. Python 3.9 or later, and its standard library alone.

MatchClient.find_seat asks one master after the other until one gives a seat, one refuses, the time
is over, or somebody cancels. find_seat_by_ticket polls a ticket instead, and resume goes on with a
stored one: the player keeps its place at any master. What the client does with each answer is the
same in all clients of FIX Keep, and stands in docs/clients.md; tests/clients/table.txt holds it to
that.

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
import typing
import urllib.parse

CONNECT_S = 5  # for each address of a master
ANSWER_S = 35  # where the request has no wait_ms: 30 s, the default of a master, and then some
TICKET_S = 10  # to make a ticket
POLL_S = 25  # how long a master holds a poll
POLL_PAUSE_S = 1  # after a poll that ended without news before half of its time
TICKET_LETTERS = 4000
GRACE_S = 5  # what an answer may take beyond wait_ms
ANSWER_BYTES = 64 * 1024
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.5, 8
PROBLEM = "urn:fixkeep:error:"
# Troubles of this master alone.
ELSEWHERE = ("not-ready", "stopping", "too-many-connections", "already-waiting")


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
        return _MatchSearch(self, wanted, cancellation or Cancellation()).run()

    def find_seat_by_ticket(self, wanted, cancellation=None, on_change=None):
        """The seat, as find_seat returns it. A ticket keeps the player's age where a connection
        breaks or a master ends: for waits of more than a few seconds.

        on_change(news) is called in this thread for each new state: waiting, matched, ready. news
        is the answer about the ticket (docs/api.md, "Tickets"): news["state"], news["ticket"], and
        where the master knows them news["estimate"] and news["why"]. To go on after a restart,
        store news["ticket"] and give it to resume. cancel() ends the ticket, which takes up to five
        seconds. After TooLate the ticket is still valid; without resume it ends by itself."""
        body = json.dumps(wanted).encode()
        return _TicketSearch(self, body, None, cancellation or Cancellation(), on_change).run()

    def resume(self, ticket, cancellation=None, on_change=None):
        """Goes on with a ticket that find_seat_by_ticket has told: the rest is as there."""
        if not _is_ticket(ticket):
            raise ValueError("this is no ticket: give the text of news[\"ticket\"]")
        return _TicketSearch(self, None, ticket, cancellation or Cancellation(), on_change).run()

    def _order(self):
        order = list(self._masters)
        if not self._keep_order:
            for i in range(len(order) - 1, 0, -1):
                j = int(self._random() * (i + 1))
                order[i], order[j] = order[j], order[i]
        return order


class _Request(typing.NamedTuple):
    method: str
    path: str
    body: typing.Optional[bytes]
    headers: dict
    answer_s: float  # the longest wait for the answer


class _Answer:
    def __init__(self, status, headers, body):
        self.status, self.tag = status, headers.get("ETag", "")
        after = headers.get("Retry-After", "")
        self.after = int(after) if after.isascii() and after.isdigit() and len(after) < 10 else None
        self.object = _object_of(body)
        kind = self.object.get("type")
        known = isinstance(kind, str) and kind.startswith(PROBLEM)
        self.type = kind[len(PROBLEM) :] if known else ""  # "" also where no master speaks


class _Search:
    """Asks one master after the other. What is asked, and which answer is the wanted one, is said
    by _request and _take."""

    def __init__(self, client, cancellation):
        self._client, self._cancellation = client, cancellation
        self._random, self._source = client._random, client._token
        self._order = client._order()
        self._ready = [0.0] * len(self._order)  # when each may be asked again
        self._tries, self._next = 0, 0
        self._last = ("", "no master was asked", 0)
        self._token = None

    def run(self):
        end = time.monotonic() + self._client._limit_s
        self._token = self._source and _checked(self._source(False))
        renewed = False
        while True:
            at = self._await_a_master(end)
            try:
                answer = self._ask(self._order[at], self._request(at), end)
            except (OSError, ValueError, http.client.HTTPException) as error:
                self._cancellation.check()
                trouble = f"{self._order[at].address}: {error or 'no answer'}"
                self._wait_with(at, True, "", trouble, None)
                renewed = False
                continue
            if answer.status == 401 and self._source and not renewed:
                self._token, renewed, self._next = _checked(self._source(True)), True, at
                continue
            renewed = False
            taken = self._take(at, answer)
            if taken:
                return taken
            if taken is None:
                self._consider(at, answer)

    def _request(self, at):
        raise NotImplementedError

    def _take(self, at, answer):
        """The seat; {} where the search goes on without one; None: the answer is not as wanted."""
        raise NotImplementedError

    def _consider(self, at, answer):
        kind = answer.type
        if not kind:
            # Somebody else speaks for this master, such as a balancer: another one may be reached.
            trouble = f"{self._order[at].address}: status {answer.status}"
            return self._wait_with(at, True, "", trouble, answer.after)
        detail, elsewhere = str(answer.object.get("detail", "")), kind in ELSEWHERE
        if not elsewhere and answer.status not in (408, 429) and answer.status < 500:
            raise Refused(kind, detail, answer.status)
        self._wait_with(at, elsewhere, kind, detail, answer.after, answer.status)

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
        if after is not None:
            pause = self._pause_after(after)
        else:
            longest = FIRST_PAUSE_S * 2 ** min(self._tries // len(self._order), 10)
            pause = min(LONGEST_PAUSE_S, longest) * (1 + self._random() / 2) / 1.5
        until = time.monotonic() + pause
        for i in [at] if elsewhere else range(len(self._ready)):
            self._ready[i] = max(self._ready[i], until)
        self._tries += 1
        self._last = (kind, detail, status)

    def _pause_after(self, after):
        return max(after, FIRST_PAUSE_S) * (1 + self._random() / 2)

    def _ask(self, master, request, end):
        """The answer; an OSError if it does not come in time."""
        left = min(request.answer_s, end - time.monotonic())
        timer = threading.Timer(left, self._cancellation.hang_up)
        timer.start()
        connection = None
        try:
            connection = master.connect(self._cancellation, time.monotonic() + left)
            headers = {"Accept": "application/json", "Connection": "close", **request.headers}
            if request.body is not None:
                headers["Content-Type"] = "application/json"
            if self._token:
                headers["Authorization"] = "Bearer " + self._token
            connection.request(request.method, master.path + request.path, request.body, headers)
            answer = connection.getresponse()
            body = answer.read(ANSWER_BYTES + 1)
            if len(body) > ANSWER_BYTES:
                raise ValueError("the answer is too long")
            return _Answer(answer.status, answer.headers, body)
        finally:
            timer.cancel()
            self._cancellation.forget()
            if connection is not None:
                connection.close()


class _MatchSearch(_Search):
    def __init__(self, client, wanted, cancellation):
        super().__init__(client, cancellation)
        wait_ms = wanted.get("wait_ms")
        answer_s = ANSWER_S if wait_ms is None else wait_ms / 1000 + GRACE_S
        self._asked = _Request("POST", "/v1/match", json.dumps(wanted).encode(), {}, answer_s)

    def _request(self, at):
        return self._asked

    def _take(self, at, answer):
        return answer.object if answer.status == 200 and _is_seat(answer.object) else None


class _TicketSearch(_Search):
    """Makes a ticket, unless it has one, and polls it, at one master as long as that answers."""

    def __init__(self, client, body, ticket, cancellation, on_change):
        super().__init__(client, cancellation)
        self._body, self._ticket, self._on_change = body, ticket, on_change
        self._state, self._tag = "", ""  # that the master has told last
        self._holder, self._asked_at = 0, 0.0

    def run(self):
        try:
            return super().run()
        except Cancelled:
            self._delete()
            raise

    def _request(self, at):
        self._holder, self._asked_at = at, time.monotonic()
        if self._ticket is None:
            return _Request("POST", "/v1/tickets", self._body, {}, TICKET_S)
        # The first poll of a resumed ticket is answered at once: it learns the state.
        headers = {"Prefer": f"wait={POLL_S}"} if self._state else {}
        if self._tag:
            headers["If-None-Match"] = self._tag
        return _Request("GET", self._path(), None, headers, POLL_S + GRACE_S)

    def _path(self):
        return "/v1/tickets/" + self._ticket

    def _take(self, at, answer):
        if self._ticket is None:
            return self._take_ticket(at, answer)
        if answer.status == 304 and self._tag:
            return self._go_on(at, answer, self._state)
        if answer.type == "ticket-expired":
            raise TooLate(answer.type, str(answer.object.get("detail", "")), answer.status)
        return self._take_state(at, answer) if answer.status == 200 else None

    def _take_ticket(self, at, answer):
        ticket = answer.object.get("ticket")
        if not _is_ticket(ticket):
            return None
        if answer.status == 201:
            self._ticket = ticket
            return self._take_state(at, answer)
        if answer.type != "already-waiting":
            return None
        self._ticket, self._next = ticket, at  # the answer of an earlier POST was lost
        return {}

    def _take_state(self, at, answer):
        state, seat = answer.object.get("state"), answer.object.get("seat")
        if state == "cancelled":
            self._ticket = None
            raise Cancelled()
        if state in ("expired", "failed"):
            raise (TooLate if state == "expired" else Refused)(*_problem_of(answer.object))
        if state == "ready" and isinstance(seat, dict) and _is_seat(seat):
            self._tell(state, answer.object)
            return seat
        if state not in ("waiting", "matched"):
            return None
        self._tell(state, answer.object)
        self._tag = answer.tag
        return self._go_on(at, answer, state)

    def _tell(self, state, news):
        if state != self._state and self._on_change:
            self._on_change({**news, "ticket": self._ticket})

    def _go_on(self, at, answer, state):
        """Polls this master again: at once, unless it said when, or held no poll."""
        now, until = time.monotonic(), 0.0
        if answer.after is not None:
            until = now + self._pause_after(answer.after)
        elif state == self._state and now < self._asked_at + POLL_S / 2:
            until = now + POLL_PAUSE_S
        self._ready = [max(ready, until) for ready in self._ready]
        self._next, self._tries, self._state = at, 0, state
        return {}

    def _delete(self):
        """Ends the ticket where it was polled last. If that fails, the ticket ends by itself."""
        if self._ticket is None:
            return
        self._cancellation = Cancellation()
        request = _Request("DELETE", self._path(), None, {}, GRACE_S)
        try:
            self._ask(self._order[self._holder], request, time.monotonic() + GRACE_S)
        except (OSError, ValueError, http.client.HTTPException):
            pass


class _Master:
    def __init__(self, address, tls):
        parts = urllib.parse.urlsplit(address)
        secure = parts.scheme == "https"
        named = parts.hostname and not parts.query and not parts.username
        if not named or not (secure or parts.scheme == "http"):
            raise ValueError(f"a master is http://HOST:PORT or https://HOST:PORT, not {address}")
        self.address, self.path = address, parts.path.rstrip("/")
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


def _is_ticket(text):
    """Whether it can stand in a path as it is."""
    known = string.ascii_letters + string.digits + "-._~"
    return isinstance(text, str) and 0 < len(text) <= TICKET_LETTERS and all(c in known for c in text)


def _problem_of(news):
    """Type, detail and status of the problem of a ticket that has ended."""
    problem = news.get("problem")
    problem = problem if isinstance(problem, dict) else {}
    kind, status = str(problem.get("type", "")), problem.get("status")
    kind = kind[len(PROBLEM) :] if kind.startswith(PROBLEM) else ""
    detail = str(problem.get("detail") or f"the ticket is {news['state']}")
    return kind, detail, status if type(status) is int else 0


def _is_seat(answer):
    texts = all(isinstance(answer.get(name), str) for name in ("room_id", "address", "seat_token"))
    port = answer.get("port")
    return texts and type(port) is int and 0 < port < 65536
