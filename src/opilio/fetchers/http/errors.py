"""What went wrong with a request, in a few words that stay the same: what libcurl says depends on its version."""

from __future__ import annotations

import errno
import re

import pycurl

_WORDS = {
    pycurl.E_UNSUPPORTED_PROTOCOL: "not http",
    pycurl.E_URL_MALFORMAT: "bad url",
    pycurl.E_COULDNT_RESOLVE_PROXY: "proxy: not found",
    pycurl.E_COULDNT_RESOLVE_HOST: "dns: not found",
    pycurl.E_COULDNT_CONNECT: "connect: failed",
    pycurl.E_FTP_WEIRD_SERVER_REPLY: "bad headers",
    pycurl.E_PARTIAL_FILE: "cut off",
    pycurl.E_GOT_NOTHING: "empty answer",
    pycurl.E_SEND_ERROR: "reset",
    pycurl.E_RECV_ERROR: "reset",
    pycurl.E_FILESIZE_EXCEEDED: "too large",
    pycurl.E_HTTP2: "http2: broken",
    # pycurl has no names for these
    92: "http2: broken",
    97: "proxy: failed",
    100: "headers too large",
}
_SYSTEM = {
    errno.ECONNREFUSED: "connect: refused",
    errno.ENETUNREACH: "connect: unreachable",
    errno.EHOSTUNREACH: "connect: unreachable",
    errno.ECONNRESET: "reset",
    errno.EPIPE: "reset",
}
# What OpenSSL says of a certificate, and the names that other programs know it by.
_TLS = {
    "has expired": "certificate expired",
    "not yet valid": "certificate not yet valid",
    "self.signed certificate in": "unknown issuer",
    "self.signed": "self-signed certificate",
    "unable to get (local )?issuer": "unknown issuer",
    "subject name|hostname|ip address mismatch": "wrong host",
}


def trouble(code: int, message: str, number: int, sent: bool) -> str:
    """The words for a code of libcurl; `number` is the system's error, `sent` whether a request had gone out."""
    if code == pycurl.E_OPERATION_TIMEDOUT:
        return "timeout: total" if sent else "timeout: connect"
    if code in (pycurl.E_SSL_CONNECT_ERROR, pycurl.E_PEER_FAILED_VERIFICATION, pycurl.E_SSL_CIPHER):
        return f"tls: {_tls(message)}"
    if code == pycurl.E_RECV_ERROR and "chunk" in message:
        return "bad chunk"
    if code in (pycurl.E_COULDNT_CONNECT, pycurl.E_SEND_ERROR, pycurl.E_RECV_ERROR) and number in _SYSTEM:
        return _SYSTEM[number]
    return _WORDS.get(code, f"curl {code}: {message}"[:200])


def _tls(message: str) -> str:
    for pattern, words in _TLS.items():
        if re.search(pattern, message, re.IGNORECASE):
            return words
    return "handshake failed"
