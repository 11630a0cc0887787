"""Certificates that are right, and wrong in every usual way."""

from __future__ import annotations

import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path

import trustme

DAY = timedelta(days=1)


def contexts(ca_file: Path) -> dict[str, ssl.SSLContext]:
    """A server's side for each door; the file gets the one authority that is to be trusted."""
    good, stranger, now = trustme.CA(), trustme.CA(), datetime.now(UTC)
    good.cert_pem.write_to_path(str(ca_file))
    made = {
        "https": good.issue_cert("*.https.test"),
        "http2": good.issue_cert("*.http2.test"),
        "old-tls": good.issue_cert("*.old-tls.test"),
        "wrong-host": good.issue_cert("somebody-else.test"),
        "unknown-issuer": stranger.issue_cert("*.unknown-issuer.test"),
        "expired": good.issue_cert("*.expired.test", not_before=now - 9 * DAY, not_after=now - DAY),
        "not-yet-valid": good.issue_cert("*.not-yet-valid.test", not_before=now + DAY, not_after=now + 9 * DAY),
    }
    found = {door: _context(certificate) for door, certificate in made.items()}
    found["http2"].set_alpn_protocols(["h2"])
    found["old-tls"].minimum_version = found["old-tls"].maximum_version = ssl.TLSVersion.TLSv1_1
    found["old-tls"].set_ciphers("ALL:@SECLEVEL=0")
    found["self-signed"] = _self_signed(ca_file)
    return found


def _context(certificate: trustme.LeafCert) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    certificate.configure_cert(context)
    return context


def _self_signed(ca_file: Path) -> ssl.SSLContext:
    """An authority that vouches for itself, as a server."""
    own = trustme.CA(organization_name="self-signed.test")
    pair = ca_file.with_name("self-signed.pem")
    pair.write_bytes(own.private_key_pem.bytes() + own.cert_pem.bytes())
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pair)
    return context
