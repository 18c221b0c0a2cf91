"""The memory as the official Python client sees it, of version 1 or 2 of the package `mcp`."""

import asyncio
import os
import sys

import mcp
from mcp import ClientSession, StdioServerParameters, types
from mcp.client.stdio import stdio_client

FACT = "Собака Веры, Бисквит, не переносит курицу; 薇拉的狗"
QUESTION = "Чем угостить Бисквита?"


def field(record, name):
    """A field by its name in version 2; version 1 writes it as the protocol does."""
    head, *rest = name.split("_")
    camel = head + "".join(word.capitalize() for word in rest)
    return getattr(record, name) if hasattr(record, name) else getattr(record, camel)


def check(holds, what):
    if not holds:
        sys.exit(f"not so: {what}")


async def roots(_context):
    return types.ListRootsResult(roots=[types.Root(uri="file:///home/vera/my%20app")])


async def talk(session, handshake):
    tools = {tool.name: tool for tool in (await session.list_tools()).tools}
    own = {"memory_recall", "memory_record_turn", "memory_status"}
    check(own | {"memory", "fact_store", "fact_feedback"} == set(tools), f"the tools: {sorted(tools)}")
    check(field(tools["memory_recall"].annotations, "read_only_hint"), "a recall only reads")
    check(field(tools["fact_store"].annotations, "destructive_hint"), "facts can be removed")

    added = await session.call_tool("fact_store", {"action": "add", "content": FACT})
    check(field(added, "structured_content")["status"] in ("added", "exists"), added)
    recalled = await session.call_tool("memory_recall", {"message": QUESTION})
    check(not field(recalled, "is_error") and FACT in recalled.content[0].text, recalled)
    check(field(recalled, "structured_content")["memories"][0]["text"] == FACT, recalled)
    recorded = await session.call_tool("memory_record_turn", {"user": QUESTION, "assistant": "Морковью."})
    check(not field(recorded, "is_error"), recorded)
    wrong = await session.call_tool("memory_recall", {"message": None})
    check(field(wrong, "is_error") and "`message` is null" in wrong.content[0].text, wrong)

    status = field(await session.call_tool("memory_status", {}), "structured_content")
    check(status["provider"] == "holographic" and status["state"] == "ok", status)
    check(status["session"]["platform"] == "python-probe", status["session"])
    # The newest protocol has no handshake, and a server may not ask for roots there.
    check(status["session"]["project"] == ("/home/vera/my app" if handshake else ""), status["session"])

    resources = [str(resource.uri) for resource in (await session.list_resources()).resources]
    check(resources == ["hermes://status", "hermes://system-prompt"], resources)
    read = await session.read_resource(resources[1])
    check("fact_store" in read.contents[0].text, read)
    try:
        await session.call_tool("no_such_tool", {})
        check(False, "an unknown tool is refused")
    except Exception as error:  # the class has another name in each version
        check("no_such_tool" in str(error), repr(error))


async def main(hermes):
    server = StdioServerParameters(command=hermes, args=["mcp"], env=dict(os.environ))
    info = types.Implementation(name="Python Probe", version="1.0")
    async with stdio_client(server) as (read, write):
        async with ClientSession(read, write, list_roots_callback=roots, client_info=info) as session:
            greeting = await session.initialize()
            check("memory_recall" in greeting.instructions, greeting)
            await talk(session, handshake=True)
    print("with a handshake: well")
    if hasattr(mcp, "Client"):
        async with mcp.Client(server, client_info=info) as client:
            await talk(client, handshake=False)
        print("without: well")
    print("all is well")


asyncio.run(main(sys.argv[1]))
