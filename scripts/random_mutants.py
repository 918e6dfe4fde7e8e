#!/usr/bin/env python3
"""Draws mutants by a rule and says which tests name them: what tests are worth where nobody chose.

Usage: scripts/random_mutants.py SEED COUNT [FOLDER …] [--run]

There are four kinds, which take turns: an early exit, an assignment or a call is deleted, or a bound
is moved by one (`<` becomes `<=`, and so on). Of each kind, random.Random(SEED) draws lines of the
sources that unit programs judge, or of those in the folders that are named, no two of one function
(so small folders have fewer than COUNT). Each mutant becomes a patch,
build/mutants/random/NUMBER.patch, whose head says its kind, its file and its line.

With --run, each is applied to this checkout while it is judged by the program nearest to the file,
then by the other unit programs, scenarios and models whose bytes have changed, then by the
simulator. A test that fails, crashes or hangs has caught it if that happens twice, and not without
the mutant: else its program judges no longer. The next one of its kind replaces a mutant that does
not compile, warnings included. What survives is for the integration tests, by hand.
"""

import difflib
import hashlib
import itertools
import os
import pathlib
import random
import re
import subprocess
import sys

FOLDERS = [f"common/{name}" for name in "base wire lock events config auth net obs".split()]
FOLDERS += [f"master/{name}" for name in "core rules http".split()]
FOLDERS += [f"worker/{name}" for name in "core probe sdk keeper".split()]
FOLDERS += ["client-sim/judge", "common/node", "lock/engines"]
KINDS = ["early exit", "bound", "assignment", "call"]
MOVED = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
HOME, BIN = pathlib.Path("build/mutants/random"), pathlib.Path("build/release/bin")
DELETED = {
    "early exit": re.compile(r"\s+if \(.*\) (return\b.*|continue);"),
    "assignment": re.compile(r"\s+\*?[\w.\[\]()>:-]+ [-+*/|&]?= .*;"),
    "call": re.compile(r"\s+(?!FIXKEEP_|return\b|.*\b(spdlog::|log_\w+\())[\w.\[\]()>:-]*\w\(.*\);"),
}


def mutations(before, line):
    """Yields (kind, the line instead, or None where it is deleted) for what the rule finds."""
    code = re.sub(r'"(\\.|[^"\\])*"', lambda found: "_" * len(found[0]), line).split("//")[0].rstrip()
    bounds = list(re.finditer(r"(?<= )[<>]=?(?= )", code))
    if len(bounds) == 1 and not line.startswith(("template", "#")):
        yield "bound", line[: bounds[0].start()] + MOVED[bounds[0][0]] + line[bounds[0].end() :]
    if not re.search(r"(^|[;{}:])$", before.split("//")[0].rstrip()) or code.count("(") != code.count(")"):
        return  # it goes on from the line before, or into the next one
    yield from [(kind, None) for kind, rule in DELETED.items() if rule.fullmatch(code)][:1]


def candidates(folders):
    """Returns, for each kind, (file, index of the line, the line instead, where its function begins)."""
    found = {kind: [] for kind in KINDS}
    paths = sorted(path for folder in folders for path in pathlib.Path(folder).rglob("*.cpp"))
    if folders == FOLDERS:
        paths += sorted(pathlib.Path("worker/shell").glob("player_text*.cpp"))
    if "common/node" in folders:  # what drives the cores is a template
        paths += sorted(pathlib.Path("common/node").glob("*.hpp"))
    for path in paths:
        lines, function = path.read_text().splitlines(), 0
        for at, line in enumerate(lines):
            if re.match(r"[A-Za-z].*[({,]$", line) and not line.startswith("namespace"):
                function = at
            for kind, instead in mutations(lines[at - 1], line):
                found[kind].append((str(path), at, instead, function))
    return found


def draws(rng, found, taken):
    for drawn in rng.sample(found, len(found)):
        if (drawn[0], drawn[3]) not in taken:
            taken.add((drawn[0], drawn[3]))
            yield drawn


def write(number, kind, drawn):
    path, at, instead, _ = drawn
    old = pathlib.Path(path).read_text().splitlines(keepends=True)
    new = old[:at] + ([] if instead is None else [instead + "\n"]) + old[at + 1 :]
    head = f"Kind: {kind}\nWhere: {path}:{at + 1}\ndiff --git a/{path} b/{path}\n"
    difference = difflib.unified_diff(old, new, f"a/{path}", f"b/{path}")
    (HOME / f"{number + 1:02}.patch").write_text(head + "".join(difference))
    return "".join(old), "".join(new)


def hash_of(program):
    return hashlib.sha256((BIN / program).read_bytes()).digest()


def build(programs):
    command = ["nice", "ninja", "-C", "build/release", *programs]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def run(program, *arguments):
    limit = "120" if program.startswith("unit") else "600"
    command = ["timeout", limit, BIN / program, *arguments]
    done = subprocess.run(command, capture_output=True, errors="replace", check=False)
    failed = re.findall(r"\[  FAILED  \] ([^\s,]+).*\(\d+ ms\)", done.stdout)
    begun = re.findall(r"\[ RUN      \] (\S+)", done.stdout) or ["*"]
    named = failed[0] if failed else f"{begun[-1]} (crashed or hung)"
    return named if done.returncode else None


def judge(path, before, after, judges, clean):
    """Returns the program and the test that catch it, "does not compile", or None for a survivor."""
    near = "unit_" + path.replace("/", "_")
    order = sorted(judges, key=lambda name: -len(os.path.commonprefix([name, near])))
    for programs in (order[:1], order[1:]):
        pathlib.Path(path).write_text(after)
        if not build(programs):
            return "does not compile"
        for name in (name for name in programs if hash_of(name) != clean[name]):
            test = run(name, "--gtest_fail_fast")
            if test and run(name, alone := "--gtest_filter=" + test.split()[0]):
                pathlib.Path(path).write_text(before)
                if build([name]) and not run(name, alone):
                    return f"{name} {test}"
                judges.remove(name)
                pathlib.Path(path).write_text(after)
    build(["fixkeep-sim"])
    seeds = run("fixkeep-sim", "--seeds", "1..300") or run("fixkeep-sim", "--busy", "--seeds", "1..200")
    return seeds and "fixkeep-sim"


def main():
    os.chdir(pathlib.Path(__file__).parent.parent)
    HOME.mkdir(parents=True, exist_ok=True)
    seed, count = map(int, sys.argv[1:3])
    named = [name for name in sys.argv[3:] if name != "--run"]
    rng, taken, found, verdicts = random.Random(seed), set(), candidates(named or FOLDERS), []
    drawn_of_kind = {kind: draws(rng, found[kind], taken) for kind in KINDS}
    programs = sorted(path.name for path in BIN.glob("*") if "--run" in sys.argv)
    judges = [name for name in programs if re.match("unit_|model_|.*scenarios", name)]
    if judges and not build(judges):
        sys.exit("it does not build without a mutant")
    clean = {name: hash_of(name) for name in judges}
    for number, kind in zip(range(count), itertools.cycle(KINDS)):
        verdict = "does not compile"
        while verdict == "does not compile":
            drawn = next(drawn_of_kind[kind], None)
            if not drawn:  # small folders have few functions
                break
            before, after = write(number, kind, drawn)
            try:
                verdict = judge(drawn[0], before, after, judges, clean) if judges else "drawn"
            finally:
                pathlib.Path(drawn[0]).write_text(before)
            where = f"{number + 1:02} {kind:10} {drawn[0]}:{drawn[1] + 1}"
            print(where, verdict or "SURVIVED", flush=True)
        if drawn:
            verdicts.append(verdict)
    print(f"{len(verdicts)} drawn of {count}")
    if judges:
        survived = verdicts.count(None)
        print(f"{len(verdicts) - survived} caught, {survived} survived")


main()
