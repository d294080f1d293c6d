"""Reading a text file whose encoding is not known for sure: UTF-8, UTF-8 with BOM, or Windows-1252."""

from __future__ import annotations

import codecs
import re
from pathlib import Path

from compendio.suggestion import closest

_MULTIBYTE = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")
#: Portuguese letters and curly marks in UTF-8, read as Windows-1252. («AMANHÃ” is good Portuguese: only within a
#: word do the curly marks after Ã stand for Ó and Ô.)
_GARBLED = re.compile("Ã[£§©¡³ªµ¢\u00adºƒ‡‰šŠ•€]|Ã‚(?=\\w)|Ã[“”](?=\\w)|â€[œ™“”\u009d]")
SALVE = "abra-o no programa de origem e salve de novo como «CSV UTF-8» ou texto em UTF-8"


def read_text(path: Path, rotulo: str, problemas: list[str], avisos: list[str]) -> str | None:
    """The text of a file, or None with one sentence in `problemas` that says why it cannot be read.

    An encoding other than plain UTF-8 is said in `avisos`. `rotulo` is the file's name in messages.
    """
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        others = [other.name for other in path.parent.iterdir()] if path.parent.is_dir() else []
        near = closest(path.name, others, cutoff=0.8)
        mend = f"a pasta tem «{near}»: renomeie-o" if near else "confira o caminho e o nome"
        problemas.append(f"{rotulo}: o arquivo não existe em {path.parent}; {mend}.")
        return None
    except OSError as error:
        problemas.append(f"{rotulo}: não consegui ler o arquivo ({error.strerror}); confira as permissões.")
        return None
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) or b"\0" in raw:
        problemas.append(
            f"{rotulo}: a codificação não é UTF-8 (parece UTF-16, ou o arquivo não é texto); {SALVE}."
        )
        return None
    if raw.startswith(codecs.BOM_UTF8):
        avisos.append(f"{rotulo}: lido como UTF-8 com BOM.")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return _read_windows(raw, error, rotulo, problemas, avisos)
    garbled = re.search("\ufffd", text) or _GARBLED.search(text)
    if garbled:
        line = text.count("\n", 0, garbled.start()) + 1
        problemas.append(
            f"{rotulo}, linha {line}: há letras trocadas («{garbled[0]}») por uma conversão errada de "
            "codificação; volte ao arquivo original e salve-o em UTF-8."
        )
        return None
    return text


def _read_windows(
    raw: bytes, error: UnicodeDecodeError, rotulo: str, problemas: list[str], avisos: list[str]
) -> str | None:
    line = raw.count(b"\n", 0, error.start) + 1
    # A file of both encodings (pasted together) would come out garbled if read as either of the two.
    valid, others = len(_MULTIBYTE.findall(raw)), len(re.findall(rb"[\x80-\xff]", _MULTIBYTE.sub(b"", raw)))
    if valid > others:
        problemas.append(f"{rotulo}, linha {line}: o arquivo mistura UTF-8 e outra codificação; {SALVE}.")
        return None
    try:
        text = raw.decode("cp1252")
    except UnicodeDecodeError as windows:
        line = raw.count(b"\n", 0, windows.start) + 1
        problemas.append(f"{rotulo}, linha {line}: a codificação não é UTF-8 nem Windows-1252; {SALVE}.")
        return None
    avisos.append(f"{rotulo}: lido como Windows-1252; confira os acentos, ou salve em UTF-8.")
    return text
