#!/usr/bin/env python3
"""Compares the requests of two harnesses, as fake.py or proxy.py records them.

    compare.py ORIGINAL OURS [--ignore FIELD ...]

Every request of the original must have its counterpart in ours, in the same order,
and equal in every field of the body; texts are compared byte for byte. Fields that
only one side has are named, too. --ignore leaves fields of the body out, such as
model. It prints every difference, at the first byte that differs, and ends with
status 1 if there are any, and with status 2 if a record cannot be read.
"""

import argparse
import json
import sys

MISSING = object()


def read(name):
    """Returns the bodies of a record."""
    with open(name, encoding="utf-8") as f:
        lines = [json.loads(line) for line in f if line.strip()]
    if not lines:
        raise ValueError(name + ": no requests")
    for i, line in enumerate(lines):
        if not isinstance(line, dict) or not isinstance(line.get("body"), dict):
            raise ValueError("%s:%d: no request" % (name, i + 1))
    return [(line.get("path", ""), line["body"]) for line in lines]


def show(value):
    return "nothing" if value is MISSING else json.dumps(value, ensure_ascii=False)


def text_difference(a, b):
    """Describes the first byte in which two texts differ."""
    x, y = a.encode(), b.encode()
    at = next((i for i, (p, q) in enumerate(zip(x, y)) if p != q), min(len(x), len(y)))
    near = slice(max(0, at - 20), at + 40)
    return "byte %d of %d and %d: %r, ours %r" % (at, len(x), len(y), x[near], y[near])


def same(a, b):
    """Reports equality. A number and a truth value are not equal, 0 and 0.0 are."""
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    return a == b


def differences(a, b, path, ignored):
    """Lists where two values of JSON differ."""
    if path in ignored:
        return []
    if isinstance(a, dict) and isinstance(b, dict):
        out = []
        for key in sorted(set(a) | set(b)):
            inner = path + "." + key if path else key
            out += differences(a.get(key, MISSING), b.get(key, MISSING), inner, ignored)
        return out
    if isinstance(a, list) and isinstance(b, list):
        out = ["%s: %d entries, ours %d" % (path, len(a), len(b))] if len(a) != len(b) else []
        for i, (x, y) in enumerate(zip(a, b)):
            out += differences(x, y, "%s[%d]" % (path, i), ignored)
        return out
    if isinstance(a, str) and isinstance(b, str) and a != b:
        return ["%s: %s" % (path, text_difference(a, b))]
    return [] if same(a, b) else ["%s: %s, ours %s" % (path, show(a), show(b))]


def compare(original, ours, ignored):
    out = []
    if len(original) != len(ours):
        out.append("%d requests, ours %d" % (len(original), len(ours)))
    for i, ((path, a), (other, b)) in enumerate(zip(original, ours)):
        found = differences(a, b, "", ignored)
        if path != other:
            found.insert(0, "path %s, ours %s" % (path, other))
        out += ["request %d: %s" % (i + 1, d) for d in found]
    return out


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("original")
    p.add_argument("ours")
    p.add_argument("--ignore", nargs="*", default=[])
    a = p.parse_args()
    try:
        original, ours = read(a.original), read(a.ours)
    except (OSError, ValueError) as e:
        print(e, file=sys.stderr)
        sys.exit(2)
    found = compare(original, ours, set(a.ignore))
    print("\n".join(found) or "%d requests are equal" % len(original))
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
