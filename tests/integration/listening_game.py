#!/usr/bin/python3
"""A game that says that it is ready, and writes what the room's SDK tells it to sdk.json in the room's folder.

The argument is the pause between two looks, in seconds."""

import json
import os
import signal
import sys
import time
import urllib.request

signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
sdk = f"http://127.0.0.1:{os.environ['AGONES_SDK_HTTP_PORT']}"
told = os.path.join(os.environ["FIXKEEP_FOLDER"], "sdk.json")
pause = float(sys.argv[1]) if len(sys.argv) > 1 else 0.1
is_ready = False
while True:
    try:
        if not is_ready:
            urllib.request.urlopen(urllib.request.Request(f"{sdk}/ready", b"{}"), timeout=5).close()
            is_ready = True
        with urllib.request.urlopen(f"{sdk}/gameserver", timeout=5) as answer:
            annotations = json.load(answer)["object_meta"]["annotations"]
        with open(told + ".new", "w") as file:
            json.dump(annotations, file)
        os.rename(told + ".new", told)
    except OSError:
        pass  # no worker listens: it was killed
    time.sleep(pause)
