"""An application with the official Python client of OpenAI's API, which speaks its newer form."""

import sys

import openai

QUESTION = "Чем угостить Бисквита, собаку Веры?"
WEATHER = {"type": "function", "name": "get_weather", "parameters": {"type": "object", "properties": {}}, "strict": False}


def check(holds, what):
    if not holds:
        sys.exit(f"not so: {what}")


def say(client, streams, **request):
    """The response, and the text as it came."""
    if not streams:
        response = client.responses.create(**request)
        return response, response.output_text
    text = ""
    with client.responses.stream(**request) as stream:
        for event in stream:
            if event.type == "response.output_text.delta":
                text += event.delta
        return stream.get_final_response(), text


def turn(client, state, name, number):
    model = ("echo", "keep", "both", "aloud", "plain")[number % 5]
    request = {"model": model, "tools": [WEATHER], "instructions": f"This is the {name}.", "reasoning": {"effort": "low"}}
    new = [{"role": "user", "content": f"{QUESTION} ({name} {number})"}]
    text = ""
    while True:
        if state["by_id"]:
            response, said = say(client, number % 3, input=new, previous_response_id=state["last"], **request)
            state["last"] = response.id
        else:
            state["items"] += new
            response, said = say(client, number % 3, input=state["items"], **request)
            state["items"] += [item.to_dict() for item in response.output]
        check(said == response.output_text, (said, response.output_text))
        check(response.usage.total_tokens >= 15 and response.instructions == f"This is the {name}.", response)
        check([tool.name for tool in response.tools] == ["get_weather"], response.tools)
        check("memory-context" not in response.to_json() and "fact_store" not in response.to_json(), response)
        text += said
        calls = [item for item in response.output if item.type == "function_call"]
        if not calls:
            break
        check([call.name for call in calls] == ["get_weather"], calls)
        new = [{"type": "function_call_output", "call_id": calls[0].call_id, "output": "дождь"}]
    expected = {"echo": QUESTION, "keep": "Done after 1", "both": "Done after", "aloud": "After it", "plain": "Hello!"}[model]
    check(expected in text and "курицу" not in text, text)


def main():
    base, token = sys.argv[1:]
    client = openai.OpenAI(base_url=base, api_key=token, max_retries=0)
    states = {name: {"by_id": name == "first", "last": None, "items": []} for name in ("first", "second")}
    for number in range(20):
        for name, state in states.items():
            turn(client, state, name, number)
    for model, error in (("busy", openai.RateLimitError), ("broken", openai.InternalServerError), ("nowhere", openai.NotFoundError)):
        for streams in (False, True):
            try:
                client.responses.create(model=model, input="?", stream=streams)
                check(False, f"{model} is an error")
            except error:
                pass
    print("all is well")


main()
