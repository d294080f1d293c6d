"""A small local server that speaks Ollama's protocol and misbehaves on demand. It runs no model.

In a test:

    with ServidorOllama(lambda body, n: Resposta(content="")) as server:
        OllamaModel("m", host=server.url)

As a process: `python tests/servidor_ollama.py --port 11500 [--espera 0.01] [--falhas 0.1 --semente 1]`.
An ordinary answer follows from the schema and the messages alone, and its durations are fixed, so that
two runs can be compared byte for byte.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import random
import socket
import struct
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

MODELOS = {"m": "a" * 64, "outro": "b" * 64}


@dataclass
class Resposta:
    """One answer of the server; what is None is filled in as an ordinary answer has it."""

    content: str | None = None
    thinking: str | None = None
    done_reason: str = "stop"
    prompt_eval_count: int | None = None
    eval_count: int = 20
    #: HTTP status; from 400 on the body is an error of Ollama's form.
    status: int = 200
    erro: str = "erro"
    #: The body exactly as sent, instead of all the above.
    corpo: bytes | None = None
    #: Close the connection after so many bytes of the body, though more were announced.
    cortar: int | None = None
    #: Seconds before the answer.
    espera: float = 0.0
    extra: dict[str, Any] = field(default_factory=dict)


Roteiro = Callable[[dict[str, Any], int], Resposta]


def answer_of(schema: Mapping[str, Any], seed: str) -> Any:
    """A value that the schema allows, chosen by a hash of `seed`."""
    number = int.from_bytes(hashlib.sha256(seed.encode("utf-8", "surrogatepass")).digest()[:4])
    if "enum" in schema:
        return schema["enum"][number % len(schema["enum"])]
    if schema.get("type") == "object":
        return {
            name: answer_of(part, f"{seed}/{name}") for name, part in schema.get("properties", {}).items()
        }
    if schema.get("type") == "array":
        return [answer_of(schema["items"], f"{seed}/{i}") for i in range(number % 2 + 1)]
    return f"trecho {number % 1000}"


def ordinary(body: Mapping[str, Any], number: int) -> Resposta:
    """The answer of a server that works."""
    return Resposta()


def faulty(share: float, seed: int, inner: Roteiro = ordinary) -> Roteiro:
    """A script in which a share of the answers fails, each in one of ten ways, by a seeded draw."""
    draw, lock = random.Random(seed), threading.Lock()
    ways: list[Resposta] = [
        Resposta(status=500),
        Resposta(cortar=10),
        Resposta(cortar=0),
        Resposta(content=""),
        Resposta(content="não sei"),
        Resposta(content='{"a": 1, "a": 2}'),
        Resposta(content="<think>hum</think>{}"),
        Resposta(done_reason="length", content='{"a": "'),
        Resposta(prompt_eval_count=10**6),
        Resposta(corpo=b"<html>proxy</html>"),
    ]

    def script(body: dict[str, Any], number: int) -> Resposta:
        with lock:
            fails, way = draw.random() < share, draw.choice(ways)
        return way if fails else inner(body, number)

    return script


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else every answer waits 40 ms
    server: _Http

    def setup(self) -> None:
        super().setup()
        self.server.owner.connections.add(self.connection)

    def finish(self) -> None:
        self.server.owner.connections.discard(self.connection)
        super().finish()

    def log_message(self, format: str, *args: object) -> None:
        """Tests read `asked` instead."""

    def do_GET(self) -> None:
        owner, path = self.server.owner, self.path.removeprefix(self.server.owner.caminho)
        if path == "/api/version":
            self._send(200, {"version": owner.versao})
        elif path == "/api/tags":
            models = [
                {"model": f"{name}:latest", "name": f"{name}:latest", "digest": digest, "size": 5_000_000}
                for name, digest in owner.modelos.items()
            ]
            self._send(200, {"models": models})
        else:
            self._send(404, {"error": "not found"})

    def do_POST(self) -> None:
        owner, path = self.server.owner, self.path.removeprefix(self.server.owner.caminho)
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if body["model"].removesuffix(":latest") not in owner.modelos:
            self._send(404, {"error": f"model '{body['model']}' not found"})
        elif path == "/api/show":
            self._send(200, {"capabilities": owner.capacidades, "model_info": {}})
        elif path == "/api/generate":
            owner.unloaded.append(body)
            self._send(200, {"model": body["model"], "response": "", "done": True, "done_reason": "unload"})
        elif path == "/api/chat":
            with owner.lock:
                owner.asked.append(body)
                number = len(owner.asked) - 1
            self._chat(body, owner.roteiro(body, number))
        else:
            self._send(404, {"error": "not found"})

    def _chat(self, body: dict[str, Any], answer: Resposta) -> None:
        time.sleep(answer.espera or self.server.owner.espera)
        if answer.status >= 400:
            error = {"error": answer.erro}
            return self._send(answer.status, error, cortar=answer.cortar, raw=answer.corpo)
        text = answer.content
        if text is None:
            text = json.dumps(answer_of(body["format"], json.dumps(body["messages"])), ensure_ascii=False)
        size = sum(len(message.get("content", "")) for message in body["messages"])
        message = {"role": "assistant", "content": text}
        if answer.thinking is not None:
            message["thinking"] = answer.thinking
        self._send(
            200,
            {
                "model": body["model"],
                "created_at": "2026-01-01T00:00:00Z",
                "message": message,
                "done": True,
                "done_reason": answer.done_reason,
                "total_duration": 1_500_000_000,
                "load_duration": 1_000_000,
                "prompt_eval_count": answer.prompt_eval_count or size // 3 + 10,
                "prompt_eval_duration": 300_000_000,
                "eval_count": answer.eval_count,
                "eval_duration": 1_000_000_000,
                **answer.extra,
            },
            cortar=answer.cortar,
            raw=answer.corpo,
        )

    def _send(self, status: int, body: Any, cortar: int | None = None, raw: bytes | None = None) -> None:
        data = json.dumps(body).encode("ascii") if raw is None else raw
        try:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data if cortar is None else data[:cortar])
            self.wfile.flush()
        except OSError:  # the caller gave up waiting, or was killed
            self.close_connection = True
        if cortar is not None:
            # RST instead of an orderly end: what a crash or a pulled cable looks like.
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.close_connection = True


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    owner: ServidorOllama

    def handle_error(self, request: object, client_address: object) -> None:
        """A caller that was killed is part of the tests."""


class ServidorOllama:
    """The server, on a free port of this machine by default.

    Attributes
    ----------
    asked
        Bodies of the `/api/chat` requests, in order.
    unloaded
        Bodies of the requests that put a model out of memory.
    """

    def __init__(
        self,
        roteiro: Roteiro = ordinary,
        *,
        port: int = 0,
        espera: float = 0.0,
        modelos: Mapping[str, str] = MODELOS,
        capacidades: tuple[str, ...] = ("completion",),
        versao: str = "0.13.5",
        caminho: str = "",
    ) -> None:
        self.roteiro, self.espera, self.modelos = roteiro, espera, dict(modelos)
        self.capacidades, self.versao, self.caminho = list(capacidades), versao, caminho
        self.asked: list[dict[str, Any]] = []
        self.unloaded: list[dict[str, Any]] = []
        self.lock = threading.Lock()
        self.connections: set[socket.socket] = set()
        self._http = _Http(("127.0.0.1", port), _Handler)
        self._http.owner = self
        self.port = self._http.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}{caminho}"

    def serve(self) -> None:
        """Serve in this thread until `stop`."""
        self._http.serve_forever(poll_interval=0.05)

    def stop(self) -> None:
        """Close the port and what is connected to it: from now on connections are refused."""
        self._http.shutdown()
        self._http.server_close()
        for connection in list(self.connections):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def __enter__(self) -> ServidorOllama:
        threading.Thread(target=self.serve, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def main() -> None:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--espera", type=float, default=0.0, help="seconds before every answer")
    parser.add_argument("--falhas", type=float, default=0.0, help="share of answers that fail")
    parser.add_argument("--semente", type=int, default=1)
    parser.add_argument("--modelos", default="m,outro", help="names, separated by commas")
    args = parser.parse_args()
    models = {name: hashlib.sha256(name.encode()).hexdigest() for name in args.modelos.split(",")}
    script = faulty(args.falhas, args.semente) if args.falhas else ordinary
    server = ServidorOllama(script, port=args.port, espera=args.espera, modelos=models)
    print(server.url, flush=True)
    with contextlib.suppress(KeyboardInterrupt):
        server.serve()


if __name__ == "__main__":
    main()
