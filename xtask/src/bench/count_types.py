"""Counts the events of each type, the way one would in a script."""
import collections
import json
import sys

counts = collections.Counter()
for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            counts[json.loads(line)["type"]] += 1
print(json.dumps(counts))
