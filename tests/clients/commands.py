"""How the driver of each client is started, and that of its helper for game servers (door.*)."""

import os
import shutil
import sys

RUNTIMES = {"js": "node", "chromium": "chromium", "csharp": "mono", "godot": "godot3-server"}


def program(client, name, here, drivers):
    source = os.path.join(here, "drivers", name)
    built = os.path.join(drivers, name)
    runtime = RUNTIMES.get(client)
    if runtime and not shutil.which(runtime):
        sys.exit(f"the client {client} cannot be tested: there is no {runtime} on this machine")
    project = os.path.join(drivers, "godot")
    return {
        "python": [sys.executable, source + ".py"],
        "js": ["node", source + ".mjs"],
        "chromium": ["node", os.path.join(here, "drivers", "chromium.mjs")],
        "cpp": [built],
        "unreal": [os.path.join(drivers, "unreal", name)],
        "csharp": ["mono", built + ".exe"],
        "godot": ["godot3-server", "--path", project, "-s", f"res://{name}.gd"],
    }[client]


def driver(client, here, drivers):
    return program(client, "driver", here, drivers)
