"""Whether the door of a fleet waits for the annotations of its server, within its limit."""

import http.server
import json
import os
import pathlib
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "clients" / "python"))
sys.dont_write_bytecode = True

import fixkeep_door

KEY = bytes(range(32))
WHOLE = {"fixkeep/room-id": "w1-0-1", "fixkeep/seat-key": KEY.hex()}
# What the SDK says, one answer after the other: after an outage, before the news, and then the room.
ANSWERS = [
    (500, b"{}"),
    (200, b"rubbish"),
    (200, b"[]"),
    (200, b'{"object_meta": null}'),
    (200, json.dumps({"object_meta": {"annotations": {}}}).encode()),
    (200, json.dumps({"object_meta": {"annotations": {"fixkeep/room-id": "w1-0-1"}}}).encode()),
    (200, json.dumps({"object_meta": {"annotations": WHOLE}}).encode()),
]


class Sdk(http.server.BaseHTTPRequestHandler):
    asked = 0

    def do_GET(self):
        assert self.path == "/gameserver", self.path
        status, body = ANSWERS[min(Sdk.asked, len(ANSWERS) - 1)]
        Sdk.asked += 1
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Sdk)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    os.environ["AGONES_SDK_HTTP_PORT"] = str(server.server_address[1])
    door = fixkeep_door.Door.of_fleet(wait_s=600)
    assert (door._room, door._key) == ("w1-0-1", KEY), vars(door)
    assert Sdk.asked == len(ANSWERS), Sdk.asked
    ANSWERS[-1] = ANSWERS[0]
    try:
        fixkeep_door.Door.of_fleet(wait_s=0)
    except TimeoutError:
        return
    raise AssertionError("it has a room that nobody has named")


main()
