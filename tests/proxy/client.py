"""An application with the official Python client of OpenAI's API, which knows nothing of a memory."""

import sys

import openai

QUESTION = "Чем угостить Бисквита, собаку Веры?"
WEATHER = {"type": "function", "function": {"name": "get_weather", "parameters": {"type": "object", "properties": {}}}}


def check(holds, what):
    if not holds:
        sys.exit(f"not so: {what}")


def stream(client, **request):
    """The message that a stream adds up to, as applications put it together."""
    text, calls, usage = "", {}, None
    options = {"include_usage": True}
    for chunk in client.chat.completions.create(stream=True, stream_options=options, **request):
        usage = chunk.usage or usage
        for choice in chunk.choices:
            text += choice.delta.content or ""
            for call in choice.delta.tool_calls or []:
                known = calls.setdefault(call.index, {"id": "", "type": "function", "function": {"name": "", "arguments": ""}})
                known["id"] = call.id or known["id"]
                known["function"]["name"] += call.function.name or ""
                known["function"]["arguments"] += call.function.arguments or ""
    check(usage is not None and usage.total_tokens >= 15, usage)
    message = {"role": "assistant", "content": text}
    if calls:
        message["tool_calls"] = [calls[index] for index in sorted(calls)]
    return message


def whole(client, **request):
    answer = client.chat.completions.create(**request)
    check(answer.usage.total_tokens >= 15, answer)
    return answer.choices[0].message.to_dict()


def turn(client, messages, name, number):
    model = ("echo", "keep", "both", "plain")[number % 4]
    say = stream if number % 3 else whole
    messages.append({"role": "user", "content": f"{QUESTION} ({name} {number})"})
    request = {"model": model, "messages": messages, "tools": [WEATHER]}
    message = say(client, **request)
    if model == "both":
        calls = message["tool_calls"]
        check([call["function"]["name"] for call in calls] == ["get_weather"], message)
        messages.append(message)
        messages.append({"role": "tool", "tool_call_id": calls[0]["id"], "content": "дождь"})
        message = say(client, **request)
    check(not message.get("tool_calls"), message)
    text = message["content"]
    expected = {"echo": QUESTION, "keep": "Done after 1", "both": "Done after 2", "plain": "Hello!"}[model]
    check(expected in text, text)
    check("memory-context" not in text and "курицу" not in text, text)
    messages.append(message)


def main():
    base, token = sys.argv[1:]
    client = openai.OpenAI(base_url=base, api_key=token, max_retries=0)
    check("echo" in [model.id for model in client.models.list()], "the models")
    conversations = {name: [{"role": "system", "content": f"This is the {name}."}] for name in ("first", "second")}
    for number in range(50):
        for name, messages in conversations.items():
            turn(client, messages, name, number)
    for model, error in (("busy", openai.RateLimitError), ("broken", openai.InternalServerError)):
        for streams in (False, True):
            try:
                client.chat.completions.create(model=model, messages=[{"role": "user", "content": "?"}], stream=streams)
                check(False, f"{model} is an error")
            except error:
                pass
    try:
        openai.OpenAI(base_url=base, api_key="another", max_retries=0).models.list()
        check(False, "another key is refused")
    except openai.AuthenticationError:
        pass
    print("all is well")


main()
