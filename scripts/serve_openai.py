"""Asks cresset serve by the openai client, and compares what comes whole with what is streamed, and embeddings with transformers.

    python3 scripts/serve_openai.py

trains a model of characters for a few steps, gives it a chat template, and serves it and a BERT of models/testdata. It needs go, openai and
transformers.
"""

import asyncio
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import openai
import torch
from transformers import BertModel

HERE = Path(__file__).resolve().parent.parent
TEMPLATE = "{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}{% if add_generation_prompt %}assistant: {% endif %}"


class Served:
    """A process of cresset serve, ended by SIGTERM."""

    def __init__(self, binary, folder):
        self.process = subprocess.Popen([binary, "serve", folder, "--listen", "127.0.0.1:0", "--name", "tiny"],
                                        stdout=subprocess.PIPE, text=True, env={**os.environ, "CRESSET_TOKEN": "secret"})
        self.url = self.process.stdout.readline().split()[-1]

    def __enter__(self):
        return self.url

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        check("the server ends with 0", self.process.wait(), 0)


def check(what, got, want):
    if got != want:
        sys.exit(f"{what}: got {got!r}, want {want!r}")
    print("ok ", what)


def refused(what, kind, code, call):
    try:
        call()
    except kind as e:
        check(what, e.code, code)
        return
    sys.exit(f"{what}: nothing was refused")


def completions(client):
    ask = dict(model="tiny", prompt=["the king", "a queen"], max_tokens=20, temperature=1, seed=3, n=2, stop=["zq"])
    whole = client.completions.create(**ask)
    texts = [""] * 4
    usage = None
    for part in client.completions.create(**ask, stream=True, stream_options={"include_usage": True}):
        for c in part.choices:
            texts[c.index] += c.text
        usage = part.usage or usage
    check("completions, streamed and whole", texts, [c.text for c in whole.choices])
    check("usage of completions", usage, whole.usage)
    check("ends of completions", {c.finish_reason for c in whole.choices}, {"length"})
    scored = client.completions.create(model="tiny", prompt="the", max_tokens=5, logprobs=3, temperature=0).choices[0]
    check("tokens with their probabilities", "".join(scored.logprobs.tokens), scored.text)
    extra = client.completions.create(model="tiny", prompt="the", max_tokens=5, extra_body={"top_k": 1, "min_p": 0.1, "repetition_penalty": 1.0})
    check("parameters beyond the interface", extra.choices[0].text, scored.text)


def chats(client):
    messages = [{"role": "system", "content": "be brief"}, {"role": "user", "content": [{"type": "text", "text": "hello"}]}]
    ask = dict(model="tiny", messages=messages, max_completion_tokens=20, seed=1, logprobs=True, top_logprobs=2)
    whole = client.chat.completions.create(**ask)
    check("role of a chat", whole.choices[0].message.role, "assistant")
    check("scored tokens of a chat", "".join(t.token for t in whole.choices[0].logprobs.content), whole.choices[0].message.content)
    text = ""
    with client.chat.completions.create(**ask, stream=True) as stream:
        for part in stream:
            text += part.choices[0].delta.content or ""
    check("chats, streamed and whole", text, whole.choices[0].message.content)
    for _ in client.chat.completions.create(model="tiny", messages=messages, stream=True):
        break  # a client that leaves
    with client.chat.completions.stream(model="tiny", messages=messages, max_completion_tokens=20, seed=1) as stream:
        events = "".join(e.delta for e in stream if e.type == "content.delta")
    check("the client's own stream of a chat", events, text)


def together(url):
    """Many requests at once give what each gives alone."""
    async def run():
        client = openai.AsyncOpenAI(base_url=url, api_key="secret")
        ask = lambda i: client.completions.create(model="tiny", prompt=f"the {i}", max_tokens=15, seed=i)
        alone = [(await ask(i)).choices[0].text for i in range(30)]
        return alone, [r.choices[0].text for r in await asyncio.gather(*(ask(i) for i in range(30)))]
    alone, at_once = asyncio.run(run())
    check("30 requests at once", at_once, alone)


def errors(client, url):
    ask = dict(model="tiny", prompt="a")
    refused("another model", openai.NotFoundError, "model_not_found", lambda: client.completions.create(model="gpt", prompt="a"))
    refused("a prompt that is too long", openai.BadRequestError, "context_length_exceeded", lambda: client.completions.create(model="tiny", prompt="a" * 500))
    refused("a temperature out of range", openai.BadRequestError, None, lambda: client.completions.create(**ask, temperature=3))
    refused("tools", openai.BadRequestError, None, lambda: client.chat.completions.create(
        model="tiny", messages=[{"role": "user", "content": "a"}], tools=[{"type": "function", "function": {"name": "f"}}]))
    refused("a wrong token", openai.AuthenticationError, "invalid_api_key", openai.OpenAI(base_url=url, api_key="wrong").models.list)
    refused("embeddings of what writes", openai.NotFoundError, "model_not_found", lambda: client.embeddings.create(model="tiny", input="a"))
    check("models", [m.id for m in client.models.list()], ["tiny"])
    check("a model", client.models.retrieve("tiny").id, "tiny")


def embeddings(client, folder):
    bert = BertModel.from_pretrained(folder).eval()
    inputs = [[5, 17, 30, 2], [7, 7], [1, 2, 3, 4, 5, 6, 7, 8, 9]]
    for form in ({"encoding_format": "float"}, {}):  # without one the client asks for base64
        answer = client.embeddings.create(model="tiny", input=inputs, **form)
        for ids, got in zip(inputs, answer.data):
            with torch.no_grad():
                want = torch.nn.functional.normalize(bert(torch.tensor([ids])).last_hidden_state.mean(1))[0]
            close = torch.allclose(torch.tensor(got.embedding), want, atol=1e-5)
            check(f"the embedding of {len(ids)} tokens as transformers'", close, True)


def main():
    with tempfile.TemporaryDirectory() as root:
        binary, run, gpt, bert = (os.path.join(root, name) for name in ("cresset", "run", "gpt", "bert"))
        subprocess.run(["go", "build", "-o", binary, "./cmd/cresset"], cwd=HERE, check=True)
        train = ["train", "--model", "gpt", "--layers", "1", "--heads", "2", "--width", "32", "--context", "128", "--steps", "20", "--save", run]
        for args in (train, ["convert", "--format", "huggingface", run, gpt]):
            subprocess.run([binary, *args], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        Path(gpt, "chat_template.jinja").write_text(TEMPLATE)
        shutil.copytree(HERE / "models/testdata/bert", bert)
        shutil.copy(HERE / "text/tokenizer/testdata/wordpiece/tokenizer.json", bert)
        with Served(binary, gpt) as url:
            client = openai.OpenAI(base_url=url, api_key="secret", max_retries=0)
            completions(client)
            chats(client)
            together(url)
            errors(client, url)
        with Served(binary, bert) as url:
            embeddings(openai.OpenAI(base_url=url, api_key="secret", max_retries=0), bert)


main()
