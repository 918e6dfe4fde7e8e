"""Drives the door of clients/python for tests/clients/doors.py, whose head says what it prints."""

import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../../clients/python"))
import fixkeep_door

door = fixkeep_door.Door.of_environment()
for token in json.loads(os.environ["FIXKEEP_TOKENS"]):
    told = {"player": door.admit(token), "team": door.facts_of(token).get("team")}
    print(json.dumps(told), flush=True)
print(json.dumps({"left": door.leave("ann")}))
