"""A real cluster of this machine, which ends with the program that started it."""

import contextlib
import os
import re
import signal
import subprocess
import sys


class Cluster:
    def __init__(self, process):
        self.process, self.masters = process, []
        for line in process.stdout:
            master = re.search(r"master \d+,.*?(http://[0-9.:]+)", line)
            if master:
                self.masters.append(master[1])
            if line.startswith("Configuration and logs: "):
                self.folder = line.split(": ")[1].strip()
            if line.startswith("Ctrl-C ends"):
                return
        sys.exit("the cluster did not start")

    def file(self, master, kind):
        return os.path.join(self.folder, f"master-{master + 1}.{kind}")

    def signal(self, master, number):
        os.kill(self._process_of(self.file(master, "json")), number)

    def _process_of(self, config):
        own = f"/proc/{self.process.pid}/task/{self.process.pid}/children"
        with open(own, encoding="ascii") as children:
            for child in children.read().split():
                with open(f"/proc/{child}/cmdline", encoding="utf-8") as line:
                    if config in line.read().split("\0"):
                        return int(child)
        sys.exit(f"no process has {config}")


@contextlib.contextmanager
def running(programs, limit_s, *options):
    """A Cluster of `fixkeep-client-sim up`; after limit_s this program ends, and so does it."""
    with subprocess.Popen(
        [programs + "/fixkeep-client-sim", "up", *options],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    ) as process:  # fmt: skip
        for number in (signal.SIGALRM, signal.SIGTERM):
            signal.signal(number, lambda *_: sys.exit("it took too long"))
        signal.alarm(limit_s)
        try:
            yield Cluster(process)
        finally:
            process.terminate()
            process.communicate()  # it may still have lines to write
