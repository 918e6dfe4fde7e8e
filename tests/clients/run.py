"""Runs every row of table.txt with every client, against servers of scripted_server.py.

Usage: run.py [--row WORD] DRIVERS CLIENT …

DRIVERS is the folder in which scripts/clients.sh has built what has to be built. A driver is a
program that reads one call from FIXKEEP_CALL, an object of JSON: masters, wanted (the request),
limit_ms, keep_order, calls (one after the other), and where they are there random (a constant),
tokens (what the callback gives, in this order, the last one again and again), ticket (true: the call
is that by a ticket), resume (a ticket with which it goes on), cancel_file (cancel once it is there)
and linger_ms (stay so long at the end: what a process leaves open its end
closes). For each call it prints a line of JSON: took_ms, and outcome, which is seat (with seat),
refused or too-late (with type, status and detail), cancelled or wrong-use; by a ticket also told,
a list of what the callback heard.

A busy machine makes everything later and nothing earlier. So a row that came too late is tried
again beside fewer others, at last alone, and has to be in time once; other failures count at once.

Prints a line for each row that fails, and one for each client; ends with "N passed, N failed".
"""

import argparse
import concurrent.futures
import contextlib
import json
import os
import re
import subprocess
import sys
import tempfile
import time

import commands
import scripted_server

SLACK_S = float(os.environ.get("FIXKEEP_CLIENTS_SLACK_S", "4"))  # of a machine that is busy
AT_ONCE = (12, 4, 1, 1, 1)  # rows, which wait for most of their time; then those that came too late
DRIVER_S = 90
LINGER_S = 4
EARLY_S = 0.02  # clocks of some runtimes are in milliseconds


def read_table(path):
    rows = []
    with open(path, encoding="utf-8") as table:
        for number, line in enumerate(table, 1):
            words = line.strip()
            if words.startswith("## "):
                rows.append({"name": words[3:], "line": number, "servers": {}, "want": [],
                             "given": {}, "cancel": None, "excused": set()})  # fmt: skip
            elif words and not words.startswith("#"):
                read_line(rows[-1], words)
    return rows


def read_line(row, words):
    verb, _, rest = words.partition(" ")
    server = re.fullmatch(r"([A-Z])((?: [a-z0-9]+)*) = (.*)", words)
    if server:
        row["servers"][server[1]] = (server[2].split(), server[3].split("; "))
    elif verb == "given":
        # Only the last value may have blanks.
        for part in re.split(r" (?=[a-z_]+(?:=|$))", rest):
            key, _, value = part.partition("=")
            row["given"][key] = value.encode().decode("unicode_escape").encode("latin-1").decode()
    elif verb == "excused":
        row["excused"].add(tuple(rest.split()[:2]))
    elif verb == "cancel":
        row["cancel"] = rest.split()
    else:
        row["want"].append((verb, rest.split()))


def call_of(row, servers, folder):
    given = row["given"]
    wanted = {"player_id": given.get("leader", "ann"), "mode": "duel", "party": ["eve"],
              "attributes": {"region": "eu", "skill": 1000},
              "wait_ms": int(given.get("wait_ms", 20000))}  # fmt: skip
    call = {"masters": [server.address for server in servers.values()], "wanted": wanted,
            "limit_ms": int(given.get("limit_ms", 60000)), "keep_order": "any_order" not in given,
            "calls": int(given.get("calls", 1))}  # fmt: skip
    if "random" in given:
        call["random"] = float(given["random"])
    if "tokens" in given:
        call["tokens"] = given["tokens"].split(",")
    if given.get("by") == "ticket" or "resume" in given:
        call["ticket"] = True
    if "resume" in given:
        call["resume"] = given["resume"]
    if any(verb == "hung_up" for verb, _ in row["want"]):
        call["linger_ms"] = LINGER_S * 1000
    if row["cancel"]:
        call["cancel_file"] = os.path.join(folder, "cancel")
    return call


class Failed(Exception):
    pass


class Late(Failed):
    pass


def expect(holds, text, kind=Failed):
    if not holds:
        raise kind(text)


class Ran:
    """One row with one client: what its servers have seen, and what the driver printed."""

    def __init__(self, row, command, certificate):
        self.row, self.seen = row, scripted_server.Row()
        self.servers = self.seen.servers
        for name, (kinds, answers) in row["servers"].items():
            self.servers[name] = scripted_server.Server(
                self.seen, name, kinds, answers, certificate if "tls" in kinds else None
            )
        with tempfile.TemporaryDirectory() as folder:
            self.call = call_of(row, self.servers, folder)
            environment = {**os.environ, "FIXKEEP_CALL": json.dumps(self.call)}
            with subprocess.Popen(
                command, env=environment, text=True,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
            ) as driver:  # fmt: skip
                try:
                    self._cancel(driver)
                    output, errors = driver.communicate(timeout=DRIVER_S)
                except subprocess.TimeoutExpired:
                    driver.kill()
                    output, errors = driver.communicate()
                    errors += f"\nthe driver was not done after {DRIVER_S} s"
            self.ended = time.monotonic()
        time.sleep(0.05)  # what it has closed is seen
        for server in self.servers.values():
            server.close()
        self.outcomes = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
        expect(len(self.outcomes) == self.call["calls"], f"it printed: {output} {errors[-2000:]}")

    def _cancel(self, driver):
        self.cancelled = None
        if not self.row["cancel"]:
            return
        what, name, *number = self.row["cancel"]
        least = int(number[0]) if number else 1
        with self.seen.changed:
            self.seen.changed.wait_for(
                lambda: any(r.server.name == name and r.number >= least and
                            (what == "asked" or r.answered is not None)
                            for r in self.seen.requests), DRIVER_S)  # fmt: skip
        time.sleep(0.3)  # the client is in the midst of it
        self.cancelled = time.monotonic()
        open(self.call["cancel_file"], "w", encoding="utf-8").close()

    def judge(self, client):
        self.ticket, self.tag = self.call.get("resume"), None
        if (client, "redirect") in self.row["excused"]:
            self._leave_out_redirected()
        for request in self.seen.requests:
            with_host = (client, "host") not in self.row["excused"]
            self._judge_request(request, with_host, client == "chromium")
        if "ticket" in self.call:
            self._judge_news()
        for verb, words in self.row["want"]:
            if (client, verb) in self.row["excused"]:
                continue
            getattr(self, "_" + verb)(*words)

    def _leave_out_redirected(self):
        """A runtime that follows redirects may ask their targets, but not with the token."""
        answers = [answer.split() for server in self.servers.values() for answer in server.answers]
        targets = [words[1] for words in answers if words[0] == "redirect"]
        for request in [one for one in self.seen.requests if one.server.name in targets]:
            expect("authorization" not in request.headers, f"{request.server.name} got the token")
            self.seen.requests.remove(request)

    def _judge_request(self, request, with_host, from_page):
        expect(("origin" in request.headers) == from_page, f"the headers are {request.headers}")
        expect("cookie" not in request.headers, "it sent a cookie")
        expect(request.headers.get("host") == request.server.host or not with_host,
               f"Host is {request.headers.get('host')}")  # fmt: skip
        method, path, _ = request.line.split()
        place = "/v1/tickets" if "ticket" in self.call else "/v1/match"
        if self.ticket is None:
            expect((method, path) == ("POST", request.server.path + place), f"it asked: {request.line}")
            kind = request.headers.get("content-type", "")
            expect(kind.startswith("application/json"), f"the request is of {kind or 'no type'}")
            expect(json.loads(request.body) == self.call["wanted"], f"the body is {request.body}")
        else:
            expect(path == f"{request.server.path}{place}/{self.ticket}", f"it asked: {request.line}")
            expect(not request.body, f"the body is {request.body}")
            self._judge_poll(method, request.headers)
        self.ticket = request.ticket or self.ticket
        self.tag = request.tag or self.tag

    def _judge_poll(self, method, headers):
        tag, wait = headers.get("if-none-match"), headers.get("prefer")
        if method == "GET":
            expect(tag == self.tag, f"If-None-Match is {tag}, not {self.tag}")
            wanted = "wait=25" if self.tag else None
            expect(wait == wanted, f"Prefer is {wait}, not {wanted}")
        else:
            expect(method == "DELETE", f"it asked by {method}")

    def _judge_news(self):
        """What the callback heard: each new state, with the ticket and all that the master told."""
        news, ticket, state = [], self.call.get("resume"), None
        for request in self.seen.requests:
            ticket = request.ticket or ticket
            page = request.page or {}
            if page.get("state") in ("waiting", "matched", "ready") and page["state"] != state:
                state = page["state"]
                news.append({**page, "ticket": ticket})
        told = self.outcomes[0]["told"]
        expect(told == news, f"it told {told}, not {news}")

    def _names(self):
        return [request.server.name for request in self.seen.requests]

    def _asked(self, *names):
        came = self._names()
        if names[:1] == ("some",):
            expect(set(came) == set(names[1:]), f"asked were {' '.join(came)}")
        else:
            expect(came == list(names), f"asked were {' '.join(came)}, not {' '.join(names)}")

    def _methods(self, *methods):
        came = [request.line.split()[0] for request in self.seen.requests]
        expect(came == list(methods), f"it asked by {' '.join(came)}")

    def _tells(self, *states):
        told = [news["state"] for news in self.outcomes[0]["told"]]
        expect(told == list(states), f"it told {' '.join(told)}")

    def _pause(self, number, least, most):
        answer, _, request = number.partition("-")
        after = int(request or int(answer) + 1)
        expect(len(self.seen.requests) >= after, f"there is no request after answer {number}")
        pause = self.seen.requests[after - 1].came - self.seen.requests[int(answer) - 1].answered
        expect(pause >= float(least) - EARLY_S, f"pause {number} was {pause:.2f} s, too short")
        expect(pause <= float(most) + SLACK_S, f"pause {number} was {pause:.2f} s, too long", Late)

    def _took(self):
        if self.cancelled:  # its own clock began before that
            return self.ended - self.cancelled - self.call.get("linger_ms", 0) / 1000
        return self.outcomes[0]["took_ms"] / 1000

    def _within(self, seconds):
        expect(self._took() <= float(seconds) + SLACK_S, f"it took {self._took():.2f} s", Late)

    def _after(self, seconds):
        expect(self._took() >= float(seconds) - EARLY_S, f"it took {self._took():.2f} s only")

    def _tokens(self, *tokens):
        sent = [request.headers.get("authorization", "-") for request in self.seen.requests]
        want = [token if token == "-" else "Bearer " + token for token in tokens]
        expect(sent == want, f"tokens were {sent}")

    def _hung_up(self, name):
        of_it = [one for one in self.seen.requests if one.server.name == name and one.held]
        expect(of_it, f"{name} held nothing")
        held = of_it[-1]
        seen = held.hung_up is not None and held.hung_up < self.ended - LINGER_S / 2
        expect(seen, f"{name} was not hung up on, or only by the end of the driver")

    def _read_at_most(self, name, most):
        sent = sum(request.sent for request in self.seen.requests if request.server.name == name)
        expect(sent <= int(most), f"{name} could send {sent} bytes")

    def _returns(self, outcome, *words):
        for got in self.outcomes:
            expect(got["outcome"] == outcome, f"it returned {got}")
        if outcome == "seat" and words:
            server = self.servers[words[0][0]]
            party = server.answers[-1] == "seat party"
            seat = server.seat(int(words[0][1:]), party)
            expect(got["seat"] == seat, f"the seat is {got['seat']}")
        elif outcome in ("refused", "too-late"):
            said = (str(got["status"] or "-"), got["type"] or "-")
            expect(not words or said == words, f"it returned {got}")
            expect(got["detail"], "it has no detail")


def make_certificate(folder):
    path = os.path.join(folder, "nobody.pem")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
         "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", path, "-out",
         path + ".crt"], check=True, capture_output=True)  # fmt: skip
    with open(path, "a", encoding="utf-8") as both, open(path + ".crt", encoding="utf-8") as made:
        both.write(made.read())
    return path


def run_row(row, client, command, certificate):
    """Why the row failed, if it did."""
    try:
        Ran(row, command, certificate).judge(client)
        return None
    except Failed as failed:
        return failed


def run_all(told, certificate, at_once):
    """Why each of those (row, client, command) failed, or None."""
    with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
        return list(pool.map(lambda one: run_row(*one, certificate), told))


@contextlib.contextmanager
def browser_of(command):
    """A browser that all rows share, since each would take a second to start one."""
    with subprocess.Popen([*command, "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          text=True) as browser:  # fmt: skip
        os.environ["FIXKEEP_BROWSER"] = browser.stdout.readline().strip()
        try:
            yield
        finally:
            browser.stdin.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--row", default="")
    parser.add_argument("drivers")
    parser.add_argument("clients", nargs="+")
    options = parser.parse_args()
    here = os.path.dirname(os.path.abspath(__file__))
    rows = [row for row in read_table(here + "/table.txt") if options.row in row["name"]]
    started = {client: commands.driver(client, here, options.drivers) for client in options.clients}
    # Row by row, and the rows that wait for longest first: so none is left for the end.
    rows.sort(key=lambda row: -int(row["given"].get("limit_ms", 0)))
    told = [(row, client, command) for row in rows for client, command in started.items()]
    failed, late = [], [(one, None) for one in told]
    with contextlib.ExitStack() as stack:
        if "chromium" in started:
            stack.enter_context(browser_of(started["chromium"]))
        certificate = make_certificate(stack.enter_context(tempfile.TemporaryDirectory()))
        for at_once in AT_ONCE:
            tried = [one for one, _ in late]
            came = [(one, why) for one, why in zip(tried, run_all(tried, certificate, at_once)) if why]
            late = [(one, why) for one, why in came if isinstance(why, Late)]
            failed += [(one, why) for one, why in came if not isinstance(why, Late)]
    failed += late
    for (row, client, _), why in failed:
        print(f"{client} FAILED {row['name']} (table.txt:{row['line']}): {why}")
    failures = [client for (_, client, _), _ in failed]
    for client in started:
        print(f"{client}: {len(rows) - failures.count(client)} of {len(rows)} rows")
    print(f"{len(told) - len(failures)} passed, {len(failures)} failed")
    sys.exit(1 if failures or not told else 0)


main()
