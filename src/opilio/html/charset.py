"""The charset of a page, by the WHATWG rules: byte order mark, Content-Type, <meta>, a guess when all are silent."""

from __future__ import annotations

import re
from functools import lru_cache

from resiliparse.parse.encoding import detect_encoding, map_encoding_to_html5

# The standard looks at 1,024 bytes before it parses, and starts anew if a <meta> comes later: this is both in one.
LOOKED_AT = 65536
EARLY = 1024  # bytes in which nearly all pages say it
FALLBACK = "windows-1252"

BYTE_ORDER_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xfe\xff", "utf-16be"), (b"\xff\xfe", "utf-16le"))

# The library speaks of Python's codecs: the standard's names for them, and the codecs that decode as browsers do.
NAMES = {
    "iso8859-11": "windows-874",
    "mac-roman": "macintosh",
    "cp866": "ibm866",
    "utf-16-le": "utf-16le",
    "utf-16-be": "utf-16be",
    "iso2022_jp": "iso-2022-jp",
    "euc_jp": "euc-jp",
    "euc_kr": "euc-kr",
}
CODECS = {
    "big5": "big5hkscs",
    "euc-kr": "cp949",
    "gbk": "gb18030",
    "macintosh": "mac_roman",
    "shift_jis": "cp932",
    "windows-874": "cp874",
    "x-mac-cyrillic": "mac_cyrillic",
    "x-user-defined": "cp1252",
}

HEADER = re.compile(r"""charset\s*=\s*(?:["']\s*)?([^\s;"',]+)""", re.IGNORECASE)
XML = re.compile(rb"""<\?xml[^>]*?\sencoding\s*=\s*["']([^"'>]+)["']""")
IN_CONTENT = re.compile(rb"""charset[\s]*=[\s]*(?:"([^"]*)"|'([^']*)'|([^"'\s;][^\s;]*))""", re.IGNORECASE)
MARKUP = re.compile(
    rb"<!--(?:>|->|.*?(?:-->|\Z))|<meta(?=[\s/])|</?[a-z][^\s>]*|<[!/?][^>]*(?:>|\Z)", re.IGNORECASE | re.DOTALL
)
ATTRIBUTE = re.compile(
    rb"""[\s/]*(=?[^\s/>=]+|=)(?:\s*=\s*(?:"([^"]*)(?:"|\Z)|'([^']*)(?:'|\Z)|([^\s>"'][^\s>]*)?))?""", re.DOTALL
)


def sniff(body: bytes, content_type: str = "") -> str:
    """The WHATWG name, in lower case, of the charset that the body is to be read in."""
    for mark, name in BYTE_ORDER_MARKS:
        if body.startswith(mark):
            return name
    return _told(content_type) or _declared(body[:LOOKED_AT]) or _guessed(body)


@lru_cache(maxsize=256)  # there are few of them
def _told(content_type: str) -> str:
    declared = HEADER.search(content_type)
    return named(declared[1]) if declared else ""


def decode(body: bytes, name: str) -> str:
    """The text of a body in a charset of that name; what does not fit becomes U+FFFD."""
    return body.decode(CODECS.get(name, name), "replace").removeprefix("\ufeff")


def named(label: str) -> str:
    """The standard's name for a label ("latin1" is windows-1252), or "" when it knows none."""
    label = label.strip().lower()
    if label in ("x-mac-cyrillic", "x-mac-ukrainian"):
        return "x-mac-cyrillic"
    if label == "x-user-defined":
        return label
    codec = map_encoding_to_html5(label, False)
    return _standard_name(codec) if codec else ""


def _standard_name(codec: str) -> str:
    codec = codec.lower()
    return NAMES.get(codec) or codec.replace("iso8859-", "iso-8859-").replace("cp125", "windows-125")


def _declared(head: bytes) -> str:
    """What a <meta> says, or else an XML declaration."""
    for size in (EARLY, len(head)):
        if b"charset" in head[:size].lower() and (found := _from_meta(head[:size])):
            return found
    xml = XML.match(head)
    return _as_written_in_ascii(named(xml[1].decode("latin-1"))) if xml else ""


def _from_meta(head: bytes) -> str:
    position = 0
    while markup := MARKUP.search(head, position):
        position = markup.end()
        kind = markup[0][:5].lower()
        if kind.startswith((b"<!", b"<?")) or (kind.startswith(b"</") and kind.endswith(b">")):
            continue
        attributes, position = _attributes(head, position)
        name = _of_meta(attributes) if kind == b"<meta" and len(markup[0]) == 5 else ""
        if name and position < len(head):
            return name
    return ""


def _attributes(head: bytes, position: int) -> tuple[dict[bytes, bytes], int]:
    found: dict[bytes, bytes] = {}
    while attribute := ATTRIBUTE.match(head, position):
        position = attribute.end()
        name, *values = attribute.groups()
        found.setdefault(name.lower(), next((value for value in values if value is not None), b""))
    return found, position


def _of_meta(attributes: dict[bytes, bytes]) -> str:
    if b"charset" in attributes:
        return _as_written_in_ascii(named(attributes[b"charset"].decode("latin-1")))
    if attributes.get(b"http-equiv", b"").lower() != b"content-type":
        return ""
    content = IN_CONTENT.search(attributes.get(b"content", b""))
    label = next((group for group in content.groups() if group is not None), b"") if content else b""
    return _as_written_in_ascii(named(label.decode("latin-1")))


def _as_written_in_ascii(name: str) -> str:
    """A declaration that we could read byte by byte cannot be in UTF-16."""
    return {"utf-16le": "utf-8", "utf-16be": "utf-8", "x-user-defined": FALLBACK}.get(name, name)


def _guessed(body: bytes) -> str:
    if body.isascii():
        return FALLBACK
    try:
        body.decode()
    except UnicodeDecodeError as error:
        # Nearly all of it was fine: a body that was cut off, or one bad byte in a long page.
        if error.start > 0.9 * len(body) and not body[: error.start].isascii():
            return "utf-8"
        return _standard_name(detect_encoding(body) or "") or FALLBACK
    return "utf-8"
