"""Holds JSON objects to the schemas of docs/schemas.

schema.py FOLDER FILE...    each FILE is one object; its "format" names its schema: faro-map/1 is faro-map-1.json

Knows the part of JSON Schema 2020-12 that the schemas use and refuses keywords it does not know, so that
none is silently not checked.
"""
import json
import pathlib
import re
import sys

TYPES = {
    "object": lambda v: isinstance(v, dict),
    "array": lambda v: isinstance(v, list),
    "string": lambda v: isinstance(v, str),
    "integer": lambda v: isinstance(v, int) and not isinstance(v, bool),
    "number": lambda v: isinstance(v, (int, float)) and not isinstance(v, bool),
    "boolean": lambda v: isinstance(v, bool),
    "null": lambda v: v is None,
}
KNOWN = {"$schema", "$defs", "$ref", "title", "description", "type", "required", "additionalProperties",
         "properties", "items", "enum", "const", "pattern", "minimum", "maximum", "minItems", "maxItems", "anyOf"}


def errors(value, schema, at, root):
    unknown = set(schema) - KNOWN
    if unknown:
        yield f"{at}: the schema uses {sorted(unknown)}, which this checker does not know"
    if "$ref" in schema:
        target = root
        for step in schema["$ref"].lstrip("#/").split("/"):
            target = target[step]
        yield from errors(value, target, at, root)
    if "anyOf" in schema and not any(not list(errors(value, s, at, root)) for s in schema["anyOf"]):
        yield f"{at}: none of anyOf fits {json.dumps(value)[:100]}"
    if "type" in schema:
        wanted = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        if not any(TYPES[t](value) for t in wanted):
            yield f"{at}: wanted {wanted}, found {json.dumps(value)[:100]}"
            return
    if "const" in schema and value != schema["const"]:
        yield f"{at}: wanted {schema['const']!r}, found {value!r}"
    if "enum" in schema and value not in schema["enum"]:
        yield f"{at}: {value!r} is none of {schema['enum']}"
    if isinstance(value, str) and "pattern" in schema and not re.search(schema["pattern"], value):
        yield f"{at}: {value!r} does not match {schema['pattern']}"
    if TYPES["number"](value):
        if value < schema.get("minimum", value) or value > schema.get("maximum", value):
            yield f"{at}: {value} is out of range"
    if isinstance(value, list):
        if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
            yield f"{at}: {len(value)} items"
        for i, item in enumerate(value):
            yield from errors(item, schema.get("items", {}), f"{at}[{i}]", root)
    if isinstance(value, dict):
        properties = schema.get("properties", {})
        for name in schema.get("required", []):
            if name not in value:
                yield f"{at}: '{name}' is missing"
        for name, item in value.items():
            extra = schema.get("additionalProperties", True)
            if name in properties:
                yield from errors(item, properties[name], f"{at}.{name}", root)
            elif extra is False:
                yield f"{at}: '{name}' is not in the schema"
            elif isinstance(extra, dict):
                yield from errors(item, extra, f"{at}.{name}", root)


def main():
    folder = pathlib.Path(sys.argv[1])
    wrong = 0
    for name in sys.argv[2:]:
        value = json.loads(pathlib.Path(name).read_text())
        schema = folder / (value["format"].replace("/", "-") + ".json")
        if not schema.exists():
            print(f"{name}: no schema for format {value['format']}")
            wrong += 1
            continue
        loaded = json.loads(schema.read_text())
        for error in errors(value, loaded, "$", loaded):
            print(f"{name}: {error}")
            wrong += 1
    return wrong != 0


sys.exit(main())
