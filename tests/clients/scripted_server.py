"""A master that says what a script has, answer after answer; and what it has seen of its clients.

An answer is one of these. Behind "after N s: " it comes late.

    seat [chunked|until-close|party]    200 with a seat in the room SERVER-NUMBER
    STATUS TYPE [after=TEXT]    a problem of a master; after is Retry-After
    html STATUS [after=TEXT]    a page of a balancer
    json STATUS TEXT            any JSON
    cut [chunked]               a seat of which the second half does not come
    no-utf8                     a seat with bytes that are no UTF-8
    nested [closed]             200 and sixty thousand open brackets, or half of them closed
    redirect SERVER             302 to another server of the row
    ticket [after=TEXT]         201 with a ticket, and its page: it waits
    state STATE [after=TEXT]    200 with the page of a ticket
    unchanged [after=TEXT]      304
    already                     409 already-waiting, with the ticket
    gone                        204
    rubbish                     what is not HTTP
    reset                       a closed connection
    hold                        nothing, until the client goes
    dribble                     a head, a byte at a time, until the client goes
    endless [chunked|extension|head]    200 and a body without end, or a chunk extension, or a head

A page of another origin has leave to ask, and to read what a master says, as where the origin is in
http.allowed_origins; a balancer knows nothing of that.
"""

import json
import re
import socket
import ssl
import threading
import time

MOST_S = 40  # nothing is held for longer
MOST_BYTES = 12_000_000  # and nothing without end has more
MOST_HEAD_BYTES = 3_000_000  # some take a head byte by byte
LEAVE = (
    "Access-Control-Allow-Methods: GET, HEAD, POST, DELETE",
    "Access-Control-Allow-Headers: Authorization, Content-Type, If-None-Match, Last-Event-ID, Prefer, X-Request-Id, "
    "traceparent, tracestate, baggage",
)
PROBLEMS = {"expired": (504, "wait-timeout"), "failed": (409, "already-seated")}
PAGE = "<html><body><h1>Bad gateway</h1></body></html>"


class Row:
    """What the servers of one row have seen, in order, by any thread; `changed` guards it."""

    def __init__(self):
        self.changed = threading.Condition()
        self.requests = []  # Request, as they came
        self.servers = {}

    def tell(self, change):
        with self.changed:
            change()
            self.changed.notify_all()


class Request:
    def __init__(self, server, number, line, headers, body):
        self.server, self.number, self.line, self.headers, self.body = (
            server, number, line, headers, body)
        self.came, self.answered, self.hung_up, self.sent = time.monotonic(), None, None, 0
        self.held = False  # its answer has no end
        self.ticket, self.page, self.tag = None, None, None  # that were told


class Server:
    """Serves from its construction until close()."""

    def __init__(self, row, name, kinds, answers, certificate):
        self.row, self.name, self.answers, self._certificate = row, name, answers, certificate
        self.path = "/eu" if "path" in kinds else ""
        self._listener = socket.socket(socket.AF_INET6 if "ipv6" in kinds else socket.AF_INET)
        host = "::1" if "ipv6" in kinds else "127.0.0.1"
        self._listener.bind((host, 0))  # it keeps its port also where nobody listens
        port = self._listener.getsockname()[1]
        host = "localhost" if "name" in kinds else "[::1]" if "ipv6" in kinds else host
        self.host = f"{host}:{port}"
        scheme = "https" if certificate else "http"
        self.address = f"{scheme}://{self.host}{self.path}"
        self._count, self._closed = 0, False
        if "full" in kinds:
            self._listener.listen(0)
            self._queued = [socket.socket() for _ in range(3)]
            for one in self._queued:
                one.setblocking(False)
                one.connect_ex((host, port))
        elif "down" not in kinds:
            self._listener.listen(64)
            threading.Thread(target=self._accept, daemon=True).start()

    def close(self):
        self._closed = True
        try:
            self._listener.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self._listener.close()

    def _accept(self):
        while not self._closed:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        connection.settimeout(MOST_S)
        try:
            if self._certificate:
                context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
                context.load_cert_chain(self._certificate)
                connection = context.wrap_socket(connection, server_side=True)
            with connection, connection.makefile("rb") as source:
                while (request := self._read(source)) is not None:
                    if request.line.startswith("OPTIONS "):
                        connection.sendall(to_a_page(head(204, "text/plain", *LEAVE), request))
                    elif not self._answer(connection, request):
                        return
        except OSError:
            pass  # the client has gone, which _answer has told

    def _read(self, source):
        line = source.readline().decode("latin-1").strip()
        headers = {}
        while (field := source.readline().decode("latin-1").strip()):
            key, _, value = field.partition(":")
            key = key.strip().lower()
            headers[key] = headers[key] + ", " + value.strip() if key in headers else value.strip()
        body = source.read(int(headers.get("content-length", 0)))
        if not line:
            return None
        if line.startswith("OPTIONS "):
            return Request(self, 0, line, headers, body)
        with self.row.changed:
            self._count += 1
            request = Request(self, self._count, line, headers, body)
            self.row.requests.append(request)
            self.row.changed.notify_all()
        return request

    def seat(self, number, party=False):
        found = {
            "ticket_id": f"m-{number}", "room_id": f"{self.name}-{number}", "group": "duel/eu",
            "address": "203.0.113.7", "port": 20000, "ports": {"default": 20000, "query": 20001},
            "seat_token": f"claims.{self.name}{number}", "expires_at": "2026-11-21T06:15:15.123Z",
        }  # fmt: skip
        if party:
            found["party"] = [{"player_id": f"Zoë {i}", "seat_token": f"t.{i}"} for i in range(63)]
        return found

    def _answer(self, connection, request):
        """Whether the connection goes on."""
        words = self.answers[min(request.number, len(self.answers)) - 1]
        late = re.match(r"after ([0-9.]+) s: (.*)", words)
        if late:
            time.sleep(float(late[1]))
            words = late[2]
        verb, _, rest = words.partition(" ")
        say = getattr(self, "_say_" + verb.replace("-", "_"), self._say_problem)
        whole = say(request, words, rest)
        if isinstance(whole, tuple):
            return self._send_slowly(connection, request, to_a_page(whole[0], request), *whole[1:])
        if verb != "html":
            whole = to_a_page(whole, request)
        # Before it is sent, since the next request may be there before this thread goes on.
        self.row.tell(lambda: setattr(request, "answered", time.monotonic()))
        connection.sendall(whole)
        ends = verb in ("cut", "reset", "rubbish") or rest == "until-close"
        return not ends and "close" not in request.headers.get("connection", "")

    def _send_slowly(self, connection, request, first, more, pause, most=MOST_BYTES):
        """Sends until the client hangs up, which is seen at once by what is to be read of it."""
        def watch():
            try:
                connection.recv(1)
            except OSError:
                pass
            self.row.tell(lambda: setattr(request, "hung_up", time.monotonic()))

        request.held = True
        threading.Thread(target=watch, daemon=True).start()
        # What is sent has been taken, but for these.
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 64 * 1024)
        end = time.monotonic() + MOST_S
        try:
            connection.sendall(first)
            while request.hung_up is None and time.monotonic() < end:
                if more and request.sent < most:
                    connection.sendall(more)
                    request.sent += len(more)
                time.sleep(pause if request.sent < most else 0.05)
        except OSError:
            pass
        return False

    def _say_seat(self, request, _, form):
        body = json.dumps(self.seat(request.number, form == "party"), ensure_ascii=False).encode()
        if form == "chunked":
            return head(200, "application/json", "Transfer-Encoding: chunked") + in_chunks(body)
        if form == "until-close":
            return head(200, "application/json", "Connection: close") + body
        return whole(200, "application/json", body)

    def _say_problem(self, _, words, rest):
        status, kind, after = re.fullmatch(r"(\d+) ([a-z-]+)(?: after=(.+))?", words).groups()
        body = json.dumps(problem_of(int(status), kind)).encode()
        return whole(int(status), "application/problem+json", body, after)

    def _say_html(self, _, words, rest):
        status, _, after = rest.partition(" after=")
        return whole(int(status), "text/html", PAGE.encode(), after)

    def _say_json(self, _, words, rest):
        status, text = rest.split(" ", 1)
        return whole(int(status), "application/json", text.encode())

    def _page(self, request, state):
        """What a master says of a ticket, and the field ETag."""
        page = {"ticket_id": f"m-{self.name}", "state": state, "mode": "duel",
                "expires_at": "2026-11-21T06:15:15.123Z"}  # fmt: skip
        if state in ("waiting", "matched"):
            page |= {"waited_ms": 1000 * request.number, "estimate": {"p50_ms": 900, "p90_ms": 4000},
                     "why": {"missing": {"players": request.number}}}  # fmt: skip
        elif state == "ready":
            page["seat"] = self.seat(request.number)
        elif state in PROBLEMS:
            page["problem"] = problem_of(*PROBLEMS[state])
        request.page, request.tag = page, f'W/"{state}"'
        return "ETag: " + request.tag

    def _say_ticket(self, request, _, after):
        tag = self._page(request, "waiting")
        request.ticket = f"{self.name}{request.number}-a_b.c~d"
        body = json.dumps({"ticket": request.ticket, **request.page}).encode()
        place = f"Location: /v1/tickets/{request.ticket}"
        return whole(201, "application/json", body, after[len("after=") :], tag, place)

    def _say_state(self, request, _, rest):
        state, _, after = rest.partition(" after=")
        tag = self._page(request, state)
        return whole(200, "application/json", json.dumps(request.page).encode(), after, tag)

    def _say_unchanged(self, request, _, after):
        fields = ["Retry-After: " + after[len("after=") :]] if after else []
        if "close" in request.headers.get("connection", ""):
            fields.append("Connection: close")
        return head(304, "application/json", "ETag: " + request.headers.get("if-none-match", '""'),
                    *fields)  # fmt: skip

    def _say_already(self, request, *_):
        request.ticket = f"{self.name}0"
        body = {**problem_of(409, "already-waiting"), "ticket": request.ticket}
        return whole(409, "application/problem+json", json.dumps(body).encode(), "30")

    def _say_gone(self, *_):
        return b"HTTP/1.1 204 Reason\r\n\r\n"

    def _say_cut(self, request, _, form):
        body = json.dumps(self.seat(request.number)).encode()
        half = body[: len(body) // 2]
        if form == "chunked":
            sent = in_chunks(half)[: -len(b"0\r\n\r\n")]
            return head(200, "application/json", "Transfer-Encoding: chunked") + sent
        return head(200, "application/json", f"Content-Length: {len(body)}") + half

    def _say_no_utf8(self, request, *_):
        body = json.dumps(self.seat(request.number)).encode().replace(b"claims", b"clai\xff\xfems")
        return whole(200, "application/json", body)

    def _say_nested(self, _, words, form):
        deep = b'{"a":' + b"[" * 30000 + b"]" * 30000 + b"}" if form == "closed" else b"[" * 60000
        return whole(200, "application/json", deep)

    def _say_redirect(self, request, _, rest):
        target = self.row.servers[rest].address + request.line.split()[1]
        return head(302, "text/html", "Location: " + target, "Content-Length: 0")

    def _say_rubbish(self, *_):
        return b"SSH-2.0-OpenSSH_9.2\r\n\r\n"

    def _say_reset(self, *_):
        return b""

    def _say_hold(self, *_):
        return b"", b"", 0.05

    def _say_dribble(self, *_):
        return b"HTTP/1.1 200 OK\r\nX-Filler: ", b"x", 0.1

    def _say_endless(self, _, words, form):
        if form == "head":
            return b"HTTP/1.1 200 OK\r\n", b"X-Filler: " + b"x" * 1000 + b"\r\n", 0, MOST_HEAD_BYTES
        if form == "extension":
            first = head(200, "application/json", "Transfer-Encoding: chunked")
            return first + b"4000;x=", b"x" * 0x4000, 0
        if form == "chunked":
            first = head(200, "application/json", "Transfer-Encoding: chunked")
            return first, b"4000\r\n" + b" " * 0x4000 + b"\r\n", 0
        return head(200, "application/json", "Content-Length: 2000000000"), b" " * 0x4000, 0


def head(status, kind, *fields):
    lines = [f"HTTP/1.1 {status} Reason", "Content-Type: " + kind, *fields, "", ""]
    return "\r\n".join(lines).encode()


def to_a_page(answer, request):
    """The same with what lets a page read it, if a page has asked."""
    line, end, rest = answer.partition(b"\r\n")
    if "origin" not in request.headers or not line.startswith(b"HTTP/"):
        return answer
    leave = (f"Access-Control-Allow-Origin: {request.headers['origin']}\r\n"
             "Access-Control-Expose-Headers: ETag, Location, Retry-After, X-Request-Id\r\nVary: Origin\r\n")  # fmt: skip
    return line + end + leave.encode() + rest


def problem_of(status, kind):
    return {"type": "urn:fixkeep:error:" + kind, "title": "Title", "status": status,
            "detail": "what is wrong"}  # fmt: skip


def whole(status, kind, body, after=None, *more):
    fields = [f"Retry-After: {after}", *more] if after else more
    return head(status, kind, f"Content-Length: {len(body)}", *fields) + body


def in_chunks(body):
    parts = [body[i : i + 50] for i in range(0, len(body), 50)]
    return b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"
