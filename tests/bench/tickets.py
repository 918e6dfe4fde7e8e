"""Polls many waiting tickets at one master, and prints what they cost the master.

Usage: tickets.py PORT PROCESS TICKETS ROUNDS

Each ticket has a connection of its own, and polls with `Prefer: wait=25` again and again. Prints, for
each round of 25 s, the processor time of PROCESS as a share of a core, its polls, and the memory that
it has more than before. Ends with 1 if a poll fails.
"""

import asyncio
import json
import os
import sys
import time

WAIT_S = 25
AT_ONCE = 50


def processor_s(process):
    with open(f"/proc/{process}/stat") as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory_mib(process):
    with open(f"/proc/{process}/status") as status:
        return next(int(line.split()[1]) / 1024 for line in status if line.startswith("RssAnon"))


class Client:
    """One player with one connection. An address has a share of the connections, so there are many."""

    def __init__(self, number, port):
        self.number = number
        self.port = port

    async def call(self, method, path, fields="", body=""):
        if body:
            fields += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        self.to.write(f"{method} {path} HTTP/1.1\r\nHost: master\r\n{fields}\r\n{body}".encode())
        head = (await self.of.readuntil(b"\r\n\r\n")).decode()
        names = dict(line.lower().split(": ", 1) for line in head.split("\r\n")[1:] if line)
        text = await self.of.readexactly(int(names.get("content-length", 0)))
        return int(head.split()[1]), names, text

    async def make(self):
        address = f"127.0.{1 + self.number % 40}.1"
        self.of, self.to = await asyncio.open_connection(
            "127.0.0.1", self.port, local_addr=(address, 0))
        body = json.dumps({"player_id": f"p{self.number}", "mode": "duel",
                           "attributes": {"rating": self.number * 100}})
        status, _, text = await self.call("POST", "/v1/tickets", body=body)
        assert status == 201, text
        self.path = "/v1/tickets/" + json.loads(text)["ticket"]

    async def poll(self, polls):
        tag = '"none"'
        while True:
            fields = f"Prefer: wait={WAIT_S}\r\nIf-None-Match: {tag}\r\n"
            status, names, text = await self.call("GET", self.path, fields)
            assert status in (200, 304), text
            tag = names.get("etag", tag)
            polls.append(status)


async def main(port, process, tickets, rounds):
    before = memory_mib(process)
    clients = [Client(number, port) for number in range(tickets)]
    for first in range(0, tickets, AT_ONCE):
        await asyncio.gather(*(client.make() for client in clients[first:first + AT_ONCE]))
    polls = []
    tasks = [asyncio.create_task(client.poll(polls)) for client in clients]
    await asyncio.sleep(10)
    for _ in range(rounds):
        polls.clear()
        used, began = processor_s(process), time.monotonic()
        await asyncio.sleep(WAIT_S)
        share = (processor_s(process) - used) / (time.monotonic() - began)
        print(f"   {tickets} tickets, {len(polls)} polls in {WAIT_S} s: {share:.3f} cores, "
              f"{memory_mib(process) - before:.1f} MiB", flush=True)
    failed = [task for task in tasks if task.done()]
    for task in tasks:
        task.cancel()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main(*(int(word) for word in sys.argv[1:]))))
