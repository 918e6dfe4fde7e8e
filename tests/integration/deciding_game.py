#!/usr/bin/python3
"""A game that does what the file say.json in the room's folder says: who is in, and whether newcomers may come.

{"newcomers": "closed", "players": ["ann"]}: the game tells its SDK each change. "wants" as well: what it says it wants. {"result": "…", "call": 1} as well:
the game says the result, and writes the status of the answer into the file answer-1.
"""

import json
import os
import signal
import sys
import time
import urllib.error
import urllib.request

signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
folder = os.environ["FIXKEEP_FOLDER"]
inside = set()
word = ""
wants = ""
calls = 0


def sdk(path, body, method="POST"):
    url = f"http://127.0.0.1:{os.environ['AGONES_SDK_HTTP_PORT']}{path}"
    request = urllib.request.Request(url, json.dumps(body).encode(), method=method)
    with urllib.request.urlopen(request, timeout=5) as answer:
        return json.load(answer)


def obey(said):
    global word, wants
    if said.get("wants", "") != wants:
        sdk("/metadata/annotation", {"key": "fixkeep/wants", "value": said["wants"]}, "PUT")
        wants = said["wants"]
    if said["newcomers"] != word:
        sdk("/metadata/annotation", {"key": "fixkeep/newcomers", "value": said["newcomers"]}, "PUT")
        word = said["newcomers"]
    for player in set(said["players"]) - inside:
        if sdk("/alpha/player/connect", {"playerID": player})["bool"]:
            inside.add(player)
    for player in inside - set(said["players"]):
        sdk("/alpha/player/disconnect", {"playerID": player})
        inside.discard(player)


def say_result(value, call):
    global calls
    try:
        sdk("/metadata/annotation", {"key": "fixkeep/result", "value": value}, "PUT")
        status = 200
    except urllib.error.HTTPError as error:
        status = error.code
    with open(os.path.join(folder, f"answer-{call}.new"), "w") as file:
        file.write(str(status))
    os.rename(os.path.join(folder, f"answer-{call}.new"), os.path.join(folder, f"answer-{call}"))
    calls = call


sdk("/ready", {})
while True:
    try:
        with open(os.path.join(folder, "say.json")) as file:
            said = json.load(file)
        obey(said)
        if said.get("call", 0) > calls:
            say_result(said["result"], said["call"])
    except (OSError, ValueError):
        pass  # nothing is said yet, or no worker listens
    time.sleep(0.05)
