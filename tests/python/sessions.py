"""A database of the Python agent's own making, for the tests that import it.

usage: sessions.py HOME COUNT    makes HOME/state.db with so many sessions, and prints what the agent itself reads from it,
                                 as one line of JSON: for each session its source, title, end and messages. It stays open,
                                 with its log, until stdin ends.

It needs the package `hermes-agent`; with another exit status than 0 and 77 it has failed, with 77 it is not installed.
"""

import json
import logging
import os
import sys
from pathlib import Path

logging.disable(logging.WARNING)
os.environ["HERMES_HOME"] = sys.argv[1]
try:
    from hermes_state import SessionDB
except ImportError:
    sys.exit(77)

home, count = Path(sys.argv[1]), int(sys.argv[2])
home.mkdir(parents=True, exist_ok=True)
db = SessionDB(home / "state.db")

CALL = [{"id": "call_1", "type": "function", "function": {"name": "search", "arguments": '{"q": "чай", "n": [1, 2]}'}}]
TEXTS = ["Где чай?", "喝杯绿茶吧 🍵", "ชาเขียวอยู่ที่ไหน", "چای سبز می\u200cخواهد", "multi\nline\n```code```", "  spaces  ", "it's \"x\""]

for number in range(count):
    session = f"20260105_{number:06}"
    source = ["cli", "telegram", "cron"][number % 3]
    group = {"user_id": "anna", "chat_id": "-100", "chat_type": "group"} if source == "telegram" else {}
    parent = f"20260105_{number - 1:06}" if number % 5 == 4 else None
    db.create_session(session, source, model="a/model", system_prompt="be kind", parent_session_id=parent, **group)
    if number % 4 == 0:
        db.set_session_title(session, f"О чае, {number}")
    for turn in range(4):
        text = TEXTS[(number + turn) % len(TEXTS)]
        db.append_message(session, "user", f"{text} {number}.{turn}")
        db.append_message(session, "assistant", None, tool_calls=CALL, finish_reason="tool_calls", reasoning="hm")
        db.append_message(session, "tool", json.dumps({"n": turn, "text": text}), tool_name="search", tool_call_id="call_1")
        db.append_message(session, "assistant", text, token_count=7)
    db.append_message(session, "user", [{"type": "text", "text": text}, {"type": "image_url", "image_url": {"url": "data:x"}}])
    if number % 6 == 1:
        undone = db.append_message(session, "user", "never mind this")
        db.append_message(session, "assistant", "and this")
        db.rewind_to_message(session, undone)
    if number % 6 == 2:
        db.archive_and_compact(session, [{"role": "user", "content": "summary: tea"}, {"role": "assistant", "content": "ok"}])
    if number % 2:
        db.end_session(session, "user_exit")

told = {}
for row in db.export_all():
    messages = db.get_messages(row["id"], include_inactive=True)
    told[row["id"]] = {
        "source": row["source"],
        "title": row["title"],
        "parent": row["parent_session_id"],
        "ended": row["ended_at"] is not None,
        "messages": [
            {key: message[key] for key in ("role", "content", "tool_calls", "tool_call_id", "tool_name", "active", "compacted")}
            for message in messages
        ],
    }
print(json.dumps(told), flush=True)
sys.stdin.read()
db.close()
