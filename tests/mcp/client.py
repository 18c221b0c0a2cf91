"""The memory as the official Python client sees it, of version 1 or 2 of the package `mcp`, over pipes and over HTTP."""

import asyncio
import itertools
import os
import sys

import mcp
from mcp import ClientSession, StdioServerParameters, types
from mcp.client import streamable_http
from mcp.client.stdio import stdio_client

FACT = "Собака Веры, Бисквит, не переносит курицу; 薇拉的狗"
QUESTION = "Чем угостить Бисквита?"
NUMBERS = itertools.count()


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
    check(own | {"memory", "session_search", "fact_store", "fact_feedback"} == set(tools), f"the tools: {sorted(tools)}")
    check(field(tools["memory_recall"].annotations, "read_only_hint"), "a recall only reads")
    check(field(tools["fact_store"].annotations, "destructive_hint"), "facts can be removed")

    check(all(tool.title for tool in tools.values()), "each has a title")

    added = await session.call_tool("fact_store", {"action": "add", "content": FACT})
    structured = field(added, "structured_content")
    check(structured["status"] in ("added", "exists"), added)
    praised = await session.call_tool("fact_feedback", {"action": "helpful", "fact_id": structured["fact_id"]})
    check(not field(praised, "is_error"), praised)
    noted = await session.call_tool("memory", {"content": f"Вера пьёт чай № {next(NUMBERS)}"})
    check(not field(noted, "is_error"), noted)
    recalled = await session.call_tool("memory_recall", {"message": QUESTION})
    check(not field(recalled, "is_error") and FACT in recalled.content[0].text, recalled)
    check(field(recalled, "structured_content")["memories"][0]["text"] == FACT, recalled)
    recorded = await session.call_tool("memory_record_turn", {"user": QUESTION, "assistant": "Морковью."})
    check(not field(recorded, "is_error"), recorded)
    searched = await session.call_tool("session_search", {"query": "Морковь", "limit": 3})
    check(isinstance(searched.content[0].text, str), searched)
    wrong = await session.call_tool("memory_recall", {"message": None})
    check(field(wrong, "is_error") and "`message` is null" in wrong.content[0].text, wrong)

    status = field(await session.call_tool("memory_status", {}), "structured_content")
    check(status["provider"] == "holographic" and status["state"] == "ok", status)
    check(status["session"]["platform"] == "python-probe", status["session"])
    # The newest protocol has no handshake, and a server may not ask for roots there.
    check(status["session"]["project"] == ("/home/vera/my app" if handshake else ""), status["session"])

    resources = [str(resource.uri) for resource in (await session.list_resources()).resources]
    expected = ["hermes://status", "hermes://system-prompt", "hermes://files/MEMORY.md", "hermes://files/USER.md"]
    expected.append("hermes://sessions")
    check([uri for uri in resources if uri != "hermes://snapshot"] == expected, resources)
    read = {uri: (await session.read_resource(uri)).contents[0].text for uri in resources}
    check("fact_store" in read["hermes://system-prompt"], read)
    check("Вера пьёт чай" in read["hermes://files/MEMORY.md"], read)
    templates = await session.list_resource_templates()
    check(isinstance(field(templates, "resource_templates"), list), templates)

    prompts = [prompt.name for prompt in (await session.list_prompts()).prompts]
    check(prompts == ["system-block", "remember-conversation"], prompts)
    got = {name: (await session.get_prompt(name)).messages[0].content.text for name in prompts}
    check("fact_store" in got["system-block"] and "earlier" not in got["remember-conversation"], got)
    try:
        await session.call_tool("no_such_tool", {})
        check(False, "an unknown tool is refused")
    except Exception as error:  # the class has another name in each version
        check("no_such_tool" in str(error), repr(error))


def http(url, token):
    """The way in over HTTP, which versions 1 and 2 of the package open in ways of their own."""
    headers = {"Authorization": f"Bearer {token}"}
    if hasattr(streamable_http, "streamablehttp_client"):
        return streamable_http.streamablehttp_client(url, headers=headers)
    import httpx2

    return streamable_http.streamable_http_client(url, http_client=httpx2.AsyncClient(headers=headers, timeout=60))


async def with_session(streams):
    info = types.Implementation(name="Python Probe", version="1.0")
    async with streams as opened:
        read, write = opened[:2]
        async with ClientSession(read, write, list_roots_callback=roots, client_info=info) as session:
            greeting = await session.initialize()
            check("memory_recall" in greeting.instructions, greeting)
            await talk(session, handshake=True)


async def without(server):
    info = types.Implementation(name="Python Probe", version="1.0")
    async with mcp.Client(server, client_info=info) as client:
        await talk(client, handshake=False)


async def main(hermes, url, token):
    server = StdioServerParameters(command=hermes, args=["mcp"], env=dict(os.environ))
    await with_session(stdio_client(server))
    print("with a handshake: well")
    await with_session(http(url, token))
    print("the same over HTTP: well")
    if hasattr(mcp, "Client"):
        await without(server)
        print("without: well")
        await without(http(url, token))
        print("the same over HTTP: well")
    await asyncio.gather(*(with_session(http(url, token)) for _ in range(3)))
    print("three at a time: well")
    print("all is well")


asyncio.run(main(*sys.argv[1:]))
