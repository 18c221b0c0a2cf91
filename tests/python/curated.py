"""The Python agent's own memory tool, for the tests that compare the files of both.

usage: curated.py HOME              calls of the tool as JSON lines on stdin; then, as one line of JSON, which of them
                                    succeeded and what a new session would be shown of each file
       curated.py HOME WHO COUNT    so many entries added one by one, each as `WHO entry N.`

It needs the package `hermes-agent`; with another exit status than 0 and 77 it has failed, with 77 it is not installed.
"""

import json
import logging
import os
import sys

logging.disable(logging.WARNING)
os.environ["HERMES_HOME"] = sys.argv[1]
try:
    from tools.memory_tool import MemoryStore, memory_tool
except ImportError:
    sys.exit(77)


def store(limit=None):
    store = MemoryStore(memory_char_limit=limit) if limit else MemoryStore()
    store.load_from_disk()
    return store


def ok(answer):
    return bool((json.loads(answer) if isinstance(answer, str) else answer).get("success"))


if len(sys.argv) == 4:
    writer, (_, _, who, count) = store(10_000_000), sys.argv
    for number in range(int(count)):
        assert ok(memory_tool(action="add", target="memory", content=f"{who} entry {number}.", store=writer))
else:
    writer = store()
    done = [ok(memory_tool(store=writer, **json.loads(line))) for line in sys.stdin if line.strip()]
    shown = store()
    blocks = [shown.format_for_system_prompt(target) or "" for target in ("memory", "user")]
    print(json.dumps({"done": done, "blocks": blocks}))
