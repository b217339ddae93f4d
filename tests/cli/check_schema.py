"""check_schema.py SCHEMA DOCUMENT: does the document keep the schema? The part of JSON Schema that
docs/help.schema.json needs; a keyword that this program does not know is an error."""
import json
import re
import sys

ANNOTATIONS = {'$schema', 'title', 'description', '$defs'}


def is_type(value, name):
    if name == 'integer':
        return isinstance(value, int) and not isinstance(value, bool)
    if name == 'number':
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    kinds = {'object': dict, 'array': list, 'string': str, 'boolean': bool, 'null': type(None)}
    return isinstance(value, kinds[name])


def same(a, b):
    return a == b and isinstance(a, bool) == isinstance(b, bool)


def faults(root, schema, value, at):
    """All that is wrong with a value, as sentences."""
    found = []
    for key, rule in schema.items():
        if key in ANNOTATIONS:
            continue
        elif key == '$ref':
            target = root
            for part in rule.removeprefix('#/').split('/'):
                target = target[part]
            found += faults(root, target, value, at)
        elif key == 'type':
            names = rule if isinstance(rule, list) else [rule]
            if not any(is_type(value, name) for name in names):
                found.append(f'{at}: {value!r} is not of type {rule}')
        elif key == 'enum':
            if not any(same(value, one) for one in rule):
                found.append(f'{at}: {value!r} is not one of {rule}')
        elif key == 'pattern':
            if isinstance(value, str) and not re.search(rule, value):
                found.append(f'{at}: {value!r} does not match {rule}')
        elif key in ('minimum', 'maximum'):
            if is_type(value, 'number') and (value < rule if key == 'minimum' else value > rule):
                found.append(f'{at}: {value!r} is beyond the {key} {rule}')
        elif key in ('minItems', 'maxItems'):
            if isinstance(value, list) and (len(value) < rule if key == 'minItems' else len(value) > rule):
                found.append(f'{at}: has {len(value)} items, {key} is {rule}')
        elif key == 'required':
            found += [f'{at}: has no {name}' for name in rule if isinstance(value, dict) and name not in value]
        elif key == 'properties':
            for name, part in rule.items():
                if isinstance(value, dict) and name in value:
                    found += faults(root, part, value[name], f'{at}.{name}')
        elif key == 'additionalProperties':
            assert rule is False, 'only additionalProperties: false is known'
            more = set(value) - set(schema['properties']) if isinstance(value, dict) else set()
            found += [f'{at}: {name} is not in the schema' for name in sorted(more)]
        elif key == 'items':
            for i, item in enumerate(value if isinstance(value, list) else []):
                found += faults(root, rule, item, f'{at}[{i}]')
        elif key == 'oneOf':
            fits = sum(not faults(root, part, value, at) for part in rule)
            if fits != 1:
                found.append(f'{at}: {value!r} fits {fits} of what it can be, not one')
        else:
            raise SystemExit(f'{at}: the schema has a keyword that check_schema.py does not know: {key}')
    return found


if __name__ == '__main__':
    with open(sys.argv[1], encoding='utf-8') as file:
        the_schema = json.load(file)
    with open(sys.argv[2], encoding='utf-8') as file:
        document = json.load(file)
    wrong = faults(the_schema, the_schema, document, 'document')
    print('\n'.join(wrong[:20]))
    sys.exit(bool(wrong))
