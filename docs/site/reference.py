#!/usr/bin/env python3
"""Writes the reference pages of the site from what the programs themselves are made of.

usage: reference.py FOLDER SCHEMAS

  master.md, worker.md   settings, from the files ROLE.schema.json in SCHEMAS
  calls.md               calls and errors of a master, from docs/openapi.yaml
  log.md                 messages of the log, from the sources
"""
import json
import pathlib
import re
import sys

import yaml

TOP = pathlib.Path(__file__).parents[2]


def cell(text):
    return str(text).replace("|", "\\|").replace("\n", " ").strip()


def code(text):
    return f"`{cell(text)}`" if text else ""


def breakable(path):
    return "<code>" + re.sub(r"([._])", r"\1<wbr>", path) + "</code>"


def row(*cells):
    return "| " + " | ".join(cells) + " |\n"


def table(*heads):
    return row(*heads) + row(*["---"] * len(heads))


def range_of(key):
    low, high = key.get("minimum"), key.get("maximum")
    if "enum" in key:
        return ", ".join(code(value) for value in key["enum"])
    if low is not None or high is not None:
        return f"{low if low is not None else ''} … {high if high is not None else ''}"
    return cell(key.get("expects") or key.get("type", ""))


def settings_below(key, path):
    """The leaf settings of a schema, each as (path, schema)."""
    if "oneOf" in key or "anyOf" in key:
        yield path, key
    elif key.get("type") == "array" and key.get("items", {}).get("type") == "object":
        yield from settings_below(key["items"], path + "[]")
    elif key.get("properties"):
        for name, below in key["properties"].items():
            yield from settings_below(below, f"{path}.{name}" if path else name)
    elif isinstance(key.get("additionalProperties"), dict) and key["additionalProperties"].get("properties"):
        yield from settings_below(key["additionalProperties"], path + ".NAME")
    else:
        yield path, key


def settings(program):
    schema = json.loads((pathlib.Path(sys.argv[2]) / f"{program}.schema.json").read_text())
    page = f"# Settings of a {program}\n\nMade from what `fixkeep-{program} --schema` prints. A setting without a default is required, or off.\n"
    for name, section in schema["properties"].items():
        page += f"\n## {name}\n\n{section.get('description', '')}\n\n" + table("key", "meaning")
        for path, key in settings_below(section, name):
            default = f", default {code(json.dumps(key['default']))}" if "default" in key else ""
            page += row(breakable(path), f"{cell(key.get('description', ''))}<br>*Value:* {range_of(key)}{default}")
    return page


def calls():
    api = yaml.safe_load((TOP / "docs/openapi.yaml").read_text())
    responses = api["components"]["responses"]
    page = "# Calls and errors of a master\n\nMade from [openapi.yaml](../docs/openapi.yaml), which has the bodies. [api.md](../docs/api.md) explains them.\n"
    users = {}
    for path, item in api["paths"].items():
        for method in ("get", "post", "put", "delete"):
            if method not in item:
                continue
            call = item[method]
            title = f"{method.upper()} {path}"
            page += f"\n## {title}\n\n**{call['summary']}.** {cell(call.get('description', ''))}\n\n" + table("status", "meaning", "errors")
            for status, answer in call["responses"].items():
                if "$ref" in answer:
                    answer = responses[answer["$ref"].rsplit("/", 1)[1]]
                errors = re.findall(r"'enum': \[([^\]]*)\]", str(answer.get("content", {}).get("application/problem+json", {})))
                names = [name.rsplit(":", 1)[-1] for found in errors for name in re.findall(r"'([^']+)'", found)]
                page += row(str(status), cell(answer.get("description", "")), ", ".join(code(name) for name in names))
                for name in names:
                    users.setdefault(name, {}).setdefault(str(status), []).append(title)
    page += "\n## All errors\n\n" + table("error", "status", "calls")
    for name in sorted(users):
        for status, titles in users[name].items():
            page += row(code(name), status, ", ".join(code(title) for title in titles) if len(titles) < 8 else "most calls")
    return page


LITERALS = r'((?:"(?:[^"\\]|\\.)*"\s*)+)'  # neighbours are one text
LOGGED = re.compile(r"\blog_(error|warning|info)\(\s*" + LITERALS + r"(.*?)\);", re.S)
NAMED = re.compile(r'\{\s*"([a-z_]+)"|if_any\(\s*"([a-z_]+)"')


def log():
    found = {}
    for folder, program in (("common", "each program"), ("lock", "a master"), ("master", "a master"), ("worker", "a worker")):
        for path in sorted((TOP / folder).rglob("*.cpp")):
            if "tests" in path.parts:
                continue
            for level, message, rest in LOGGED.findall(path.read_text()):
                message = re.sub(r'"\s*"', "", message).strip()[1:-1]
                fields = [one or other for one, other in NAMED.findall(rest)]
                found.setdefault((program, level, message), set()).update(fields)
    page = "# Messages of the log\n\nMade from the sources. Messages that a program puts together while it runs are missing here.\n"
    for program in ("a master", "a worker", "each program"):
        page += f"\n## Of {program}\n\n" + table("level", "message", "values beside it")
        for (whose, level, message), fields in sorted(found.items()):
            if whose == program:
                page += row(level, cell(message), ", ".join(code(field) for field in sorted(fields)))
    return page


folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
for name, page in {"master": settings("master"), "worker": settings("worker"), "calls": calls(), "log": log()}.items():
    (folder / f"{name}.md").write_text(page)
