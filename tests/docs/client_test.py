"""The client of docs/integration.md against a balancer that has lost its masters.

Usage: client_test.py INTEGRATION_MD. The balancer gives every answer below once, in this order, and
then a seat in a room that it is itself. The client has to come through, and to join.
"""

import json, re, socketserver, subprocess, sys, tempfile, threading

PAGE = "<html><body><h1>502 Bad Gateway</h1></body></html>"
NOT_READY = json.dumps({"type": "urn:fixkeep:error:not-ready", "title": "", "status": 503})
ANSWERS = [
    ("502 Bad Gateway", "text/html", "", PAGE),
    ("503 Service Unavailable", "text/html", "Retry-After: Wed, 21 Oct 2015 07:28:00 GMT", PAGE),
    ("502 Bad Gateway", "text/html", "", ""),
    ("504 Gateway Timeout", "application/json", "", '["no", "object"]'),
    ("200 OK", "text/html", "", PAGE),
    ("no status line", "text/html", "", PAGE),
    ("503 Service Unavailable", "application/problem+json", "Retry-After: soon", NOT_READY),
    ("502 Bad Gateway", "text/html", "Content-Length: 1000", PAGE),  # and ends before
]


class Balancer(socketserver.StreamRequestHandler):
    left = list(ANSWERS)

    def handle(self):
        first = self.rfile.readline().decode()
        if first.startswith("JOIN "):
            return self.wfile.write(b"WELCOME bob\n")
        length = 0
        while (line := self.rfile.readline().strip()):
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        self.rfile.read(length)
        seat = {"room_id": "w1-1", "address": "127.0.0.1", "port": port, "seat_token": "t"}
        answer = ("200 OK", "application/json", "", json.dumps(seat))
        status, kind, field, body = Balancer.left.pop(0) if Balancer.left else answer
        field = field and field + "\r\n"
        head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\n{field}Connection: close\r\n\r\n"
        self.wfile.write((head + body).encode())


with open(sys.argv[1], encoding="utf-8") as document:
    client = re.search(r"```python\n(# client\.py.*?)```", document.read(), re.S)[1]
with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Balancer) as server:
    port = server.server_address[1]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
        file.write(client)
        file.flush()
        masters = ",".join([f"http://127.0.0.1:{port}"] * (len(ANSWERS) + 1))
        ran = subprocess.run(
            [sys.executable, file.name, masters, "bob"], capture_output=True, text=True, timeout=100
        )
    server.shutdown()
print(ran.stdout, ran.stderr, f"{len(Balancer.left)} answers left")
sys.exit(ran.stdout != "w1-1 WELCOME bob\n" or len(Balancer.left) > 0)
