"""Prints, for each JSON file, whether a JSON Schema allows it: `valid` or `invalid` before its path.

    validate.py SCHEMA FILE …

Needs Debian's python3-jsonschema, which `make test-setup` installs.
"""
import json
import sys

import jsonschema

with open(sys.argv[1]) as file:
    schema = json.load(file)
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
for path in sys.argv[2:]:
    with open(path) as file:
        print("valid" if validator.is_valid(json.load(file)) else "invalid", path)
