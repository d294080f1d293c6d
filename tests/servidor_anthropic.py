"""A local server that speaks the paid API's protocol (messages, counting, batches), bills, and misbehaves on demand.

Used through the real SDK, by ANTHROPIC_BASE_URL. It never leaves this machine.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

CHAVE = "sk-ant-chave-de-teste-7f3a9c"

ERROS = {
    "400": "invalid_request_error",
    "401": "authentication_error",
    "402": "billing_error",
    "403": "permission_error",
    "404": "not_found_error",
    "413": "request_too_large",
    "429": "rate_limit_error",
    "500": "api_error",
    "503": "api_error",
    "529": "overloaded_error",
}


def tokens(value: Any) -> int:
    """The server's own count: a token for every three bytes, rounded up."""
    return -(-len(json.dumps(value, ensure_ascii=False).encode()) // 3)


class ServidorAnthropic:
    """What the server knows and does.

    Parameters
    ----------
    responder
        From the parameters of a message to the text of its answer.
    falta
        From the number of the call (0, 1, …: messages alone) and its parameters to the name of a fault, or None.
    falta_no_lote
        From a custom id and its parameters to `errored`, `expired`, `canceled`, `some` (left out) or None.
    """

    def __init__(
        self,
        responder: Callable[[dict[str, Any]], str],
        falta: Callable[[int, dict[str, Any]], str | None] = lambda n, params: None,
        falta_no_lote: Callable[[str, dict[str, Any]], str | None] = lambda name, params: None,
    ) -> None:
        self.responder, self.falta, self.falta_no_lote = responder, falta, falta_no_lote
        self.chave = CHAVE
        self.pedidos: list[tuple[str, str]] = []
        self.mensagens: list[dict[str, Any]] = []
        self.contagens = 0
        self.cobradas: list[dict[str, int]] = []
        self.lotes: dict[str, dict[str, Any]] = {}
        self.olhadas_ate_acabar = 1
        self.cortar_resultados_em: int | None = None
        self.engolir_resposta_do_lote = self.quebrar_depois_do_lote = False
        self.erro_na_contagem: str | None = None
        self.lock = threading.Lock()
        self.endereco = ""

    def mensagem(self, params: dict[str, Any], falta: str | None) -> dict[str, Any]:
        """One message as the API would give it; what it costs is noted in `cobradas`."""
        text = {"json_quebrado": '{"escolha": ', "vazio": ""}.get(falta or "") or self.responder(params)
        if falta == "vazio":
            text = ""
        entry = self.contar(params)
        cached = 0
        if any("cache_control" in block for block in params["system"]):
            cached = tokens(params["system"])
        out = min(tokens(text), params["max_tokens"])
        first = not any(uso["cache_escrita"] for uso in self.cobradas)
        uso = {
            "entrada": entry - cached,
            "cache_escrita": cached if first else 0,
            "cache_leitura": 0 if first else cached,
            "saida": params["max_tokens"] if falta == "max_tokens" else out,
        }
        self.cobradas.append(uso)
        reason = {"max_tokens": "max_tokens", "recusa": "refusal"}.get(falta or "", "end_turn")
        return {
            "id": f"msg_{len(self.cobradas)}",
            "type": "message",
            "role": "assistant",
            "model": params["model"],
            "content": [{"type": "text", "text": text}] if text else [],
            "stop_reason": reason,
            "stop_sequence": None,
            "usage": {
                "input_tokens": uso["entrada"],
                "output_tokens": uso["saida"],
                "cache_creation_input_tokens": uso["cache_escrita"],
                "cache_read_input_tokens": uso["cache_leitura"],
            },
        }

    @staticmethod
    def contar(params: dict[str, Any]) -> int:
        """Prompt tokens of a message."""
        return sum(tokens(params[name]) for name in ("system", "messages", "output_config") if name in params)

    def estado(self, ident: str) -> dict[str, Any]:
        """A batch as the API tells it."""
        lote = self.lotes[ident]
        ended = lote["olhadas"] >= self.olhadas_ate_acabar
        total = len(lote["requests"])
        return {
            "id": ident,
            "type": "message_batch",
            "processing_status": "ended" if ended else "in_progress",
            "request_counts": {
                "processing": 0 if ended else total,
                "succeeded": total if ended else 0,
                "errored": 0,
                "canceled": 0,
                "expired": 0,
            },
            "created_at": lote["criado"].isoformat(),
            "expires_at": (lote["criado"] + timedelta(hours=24)).isoformat(),
            "ended_at": datetime.now(UTC).isoformat() if ended else None,
            "archived_at": datetime.now(UTC).isoformat() if lote.get("arquivado") else None,
            "cancel_initiated_at": None,
            "results_url": (
                f"{self.endereco}/v1/messages/batches/{ident}/results"
                if ended and not lote.get("arquivado")
                else None
            ),
        }

    def resultados(self, ident: str) -> list[str]:
        """The lines of a batch's results, worked out once; order turned round, as the API promises none."""
        lote = self.lotes[ident]
        if "linhas" not in lote:
            lines = []
            for request in lote["requests"]:
                falta = self.falta_no_lote(request["custom_id"], request["params"])
                if falta == "some":
                    continue
                if falta == "errored":
                    error = {"type": "api_error", "message": "erro de teste"}
                    result: dict[str, Any] = {"type": "errored", "error": {"type": "error", "error": error}}
                elif falta in ("expired", "canceled"):
                    result = {"type": falta}
                else:
                    result = {"type": "succeeded", "message": self.mensagem(request["params"], falta)}
                lines.append(json.dumps({"custom_id": request["custom_id"], "result": result}))
            lote["linhas"] = lines[::-1]
        return lote["linhas"]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    servidor: ServidorAnthropic

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def do_POST(self) -> None:
        s = self.servidor
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        with s.lock:
            s.pedidos.append(("POST", self.path))
            if self._refused():
                return
            if self.path.endswith("/count_tokens"):
                s.contagens += 1
                if s.erro_na_contagem:
                    return self._error(s.erro_na_contagem)
                return self._send(200, {"input_tokens": s.contar(body)})
            if self.path.endswith("/batches"):
                ident = f"msgbatch_{len(s.lotes) + 1}"
                s.lotes[ident] = {"requests": body["requests"], "criado": datetime.now(UTC), "olhadas": 0}
                if s.engolir_resposta_do_lote:
                    return self._cut()
                if s.quebrar_depois_do_lote:
                    return self._error("500")
                return self._send(200, s.estado(ident))
            number = len(s.mensagens)
            s.mensagens.append(body)
            falta = s.falta(number, body)
        if falta in ERROS:
            return self._error(falta)
        if falta == "pausa":
            return self._error("429", {"retry-after": "120"})
        if falta == "eco_da_chave":
            return self._send(
                401,
                {"type": "error", "error": {"type": "authentication_error", "message": f"invalid {s.chave}"}},
            )
        if falta == "corta":
            return self._cut()
        if falta == "demora":
            time.sleep(3)
            return self._cut()
        if falta == "lenta":
            time.sleep(3)
        if falta == "lixo":
            return self._send(200, {"nada": "a ver"})
        with s.lock:
            message = s.mensagem(body, falta)
        if falta == "corta_depois":  # billed, and never heard
            return self._cut()
        self._send(200, message)

    def do_GET(self) -> None:
        s = self.servidor
        with s.lock:
            s.pedidos.append(("GET", self.path))
            if self._refused():
                return
            path = self.path.split("?")[0].rstrip("/")
            if path.endswith("/batches"):
                return self._send(200, self._page(parse_qs(urlsplit(self.path).query)))
            parts = path.split("/")
            ident = parts[-2] if parts[-1] == "results" else parts[-1]
            if ident not in s.lotes:
                return self._error("404")
            if parts[-1] != "results":
                state = s.estado(ident)
                s.lotes[ident]["olhadas"] += 1
                return self._send(200, state)
            lines = s.resultados(ident)
            data = "".join(f"{line}\n" for line in lines).encode()
            self.send_response(200)
            self.send_header("content-type", "application/x-jsonl")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            cut = s.cortar_resultados_em
            if cut is not None:
                self.wfile.write("".join(f"{line}\n" for line in lines[:cut]).encode())
                return self._cut()
            self.wfile.write(data)

    def _page(self, query: dict[str, list[str]]) -> dict[str, Any]:
        """A page of the list of batches, newest first, as `limit` and `after_id` ask for it."""
        s = self.servidor
        names = list(reversed(s.lotes))
        if "after_id" in query:
            names = names[names.index(query["after_id"][0]) + 1 :]
        shown = names[: int(query.get("limit", ["20"])[0])]
        return {
            "data": [s.estado(ident) for ident in shown],
            "has_more": len(shown) < len(names),
            "first_id": shown[0] if shown else None,
            "last_id": shown[-1] if shown else None,
        }

    def _refused(self) -> bool:
        # SDKs have sent the key under either name.
        sent = self.headers.get("x-api-key") or self.headers.get("authorization", "").removeprefix("Bearer ")
        if sent != self.servidor.chave:
            self._error("401")
            return True
        return False

    def _error(self, status: str, headers: dict[str, str] | None = None) -> None:
        body = {"type": "error", "error": {"type": ERROS[status], "message": f"erro de teste {status}"}}
        usual = {"retry-after": "0"} if status in ("429", "529") else {}
        self._send(int(status), body, headers or usual)

    def _send(self, status: int, body: Any, headers: dict[str, str] | None = None) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def _cut(self) -> None:
        self.close_connection = True
        self.wfile.flush()
        self.connection.close()


@contextmanager
def servindo(servidor: ServidorAnthropic) -> Iterator[ServidorAnthropic]:
    """Run the server on a free port of this machine; its address is `servidor.endereco`."""
    handler = type("Handler", (_Handler,), {"servidor": servidor})
    http = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    http.daemon_threads = True
    servidor.endereco = f"http://127.0.0.1:{http.server_address[1]}"
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield servidor
    finally:
        http.shutdown()
        http.server_close()
