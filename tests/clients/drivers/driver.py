"""Drives clients/python for tests/clients/run.py, whose head says what FIXKEEP_CALL has."""

import json
import os
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../../clients/python"))
import fixkeep_client

call = json.loads(os.environ["FIXKEEP_CALL"])
tokens = list(call.get("tokens", []))
cancellation = fixkeep_client.Cancellation()


def token(renew):
    return tokens.pop(0) if len(tokens) > 1 else tokens[0]


def await_the_file():
    while not os.path.exists(call["cancel_file"]):
        time.sleep(0.02)
    cancellation.cancel()


def seat_of(client):
    if "resume" in call:
        return client.resume(call["resume"], cancellation, told.append)
    if "ticket" in call:
        return client.find_seat_by_ticket(call["wanted"], cancellation, told.append)
    return client.find_seat(call["wanted"], cancellation)


def outcome():
    try:
        client = fixkeep_client.MatchClient(
            call["masters"],
            token=token if tokens else None,
            limit_s=call["limit_ms"] / 1000,
            keep_order=call["keep_order"],
            random=(lambda: call["random"]) if "random" in call else None,
        )
        return {"outcome": "seat", "seat": seat_of(client)}
    except fixkeep_client.Cancelled:
        return {"outcome": "cancelled"}
    except fixkeep_client.MatchError as error:
        name = "refused" if isinstance(error, fixkeep_client.Refused) else "too-late"
        return {"outcome": name, "type": error.type, "detail": error.detail, "status": error.status}
    except ValueError as error:
        return {"outcome": "wrong-use", "detail": str(error)}


if "cancel_file" in call:
    threading.Thread(target=await_the_file, daemon=True).start()
for _ in range(call["calls"]):
    began = time.monotonic()
    told = []  # by the callback
    ended = outcome()
    took_ms = (time.monotonic() - began) * 1000
    print(json.dumps({**ended, "told": told, "took_ms": took_ms}), flush=True)
time.sleep(call.get("linger_ms", 0) / 1000)
