"""Trust in one certificate: fetch it, name it by its fingerprint, accept only it."""

import hashlib
import re
import socket
import ssl

from instruments.errors import BadInput

_NO_CHECK_TIME = 0x200000
"""OpenSSL's X509_V_FLAG_NO_CHECK_TIME: the clock of a BMC is often years behind."""


def fetch_certificate(host: str, port: int, timeout_s: float) -> bytes:
    """Get the certificate that a server shows, without trusting it or sending a word.

    Returns:
        The certificate in DER.

    Raises:
        OSError: It is not reached, or speaks no TLS.
    """
    context = ssl.create_default_context()
    # Nothing is checked, because nothing is sent: the caller compares what it shows.
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    with (
        socket.create_connection((host, port), timeout_s) as plain,
        context.wrap_socket(plain, server_hostname=host) as secure,
    ):
        return secure.getpeercert(binary_form=True) or b""


def fingerprint(certificate: bytes) -> str:
    """Name a certificate by its SHA-256, as 64 hexadecimal digits."""
    return hashlib.sha256(certificate).hexdigest()


def parse_fingerprint(text: str) -> str:
    """Read a fingerprint as people write it: with colons, blanks, "sha256:", capitals.

    Raises:
        BadInput: It is not 32 bytes in hexadecimal; `where` is the key.
    """
    bare = re.sub(r"(?i)^\s*sha-?256(?: fingerprint)?\s*[:=]\s*", "", text)
    digits = re.sub(r"[\s:]", "", bare).lower()
    if not re.fullmatch(r"[0-9a-f]{64}", digits):
        raise BadInput(
            f'fingerprint is "{text}"',
            where="fingerprint",
            way_out="Expected the SHA-256 of the certificate: 64 hexadecimal digits.",
        )
    return digits


def pinned_context(certificate: bytes) -> ssl.SSLContext:
    """Make a TLS context that accepts this certificate and no other.

    Name, issuer and dates are not looked at: the certificate itself is what is known.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_REQUIRED
    # Else OpenSSL wants the issuer, up to a root, of a certificate that is not its own.
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    context.verify_flags |= ssl.VerifyFlags(_NO_CHECK_TIME)
    context.load_verify_locations(cadata=certificate)
    return context
