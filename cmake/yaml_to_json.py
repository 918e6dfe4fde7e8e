"""Writes a file of YAML as JSON, in one line. Usage: yaml_to_json.py FILE"""

import json
import sys

import yaml

with open(sys.argv[1], encoding="utf-8") as text:
    json.dump(yaml.safe_load(text), sys.stdout, separators=(",", ":"))
