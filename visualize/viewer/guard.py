"""Access control of the page's server, and the content security policy of the page.

A request needs three things: a Host header of ours (a foreign page may give its own name our
address), the secret of the page in its path, and, where a browser opens the web socket, the Origin
of the page itself. Whoever has the secret may connect: a browser always tells its Origin, a client
that tells none is no page of a stranger's.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import ipaddress
import re

_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:[0-9]{1,5})?", re.IGNORECASE)
_SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)


def is_loopback(host: str) -> bool:
    """Whether an address or name means this machine alone."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def is_ours(header: str, host: str) -> bool:
    """Whether a request with this Host header is meant for a server that listens on `host`.

    Names other than `host` and localhost are refused: a foreign page may give its own name our
    address (DNS rebinding). An address cannot be rebound.
    """
    match = _HOST.fullmatch(header)
    if match is None:
        return False
    name = match[1].strip("[]").lower().rstrip(".")
    try:
        address = ipaddress.ip_address(name)
    except ValueError:
        return name in ("localhost", host.lower())
    return not is_loopback(host) or address.is_loopback


def has_secret(path: str, secret: str) -> bool:
    """Whether a path begins with the folder "/SECRET/", in a time that does not tell how nearly."""
    folder = f"{path}/".split("/")[1]
    return hmac.compare_digest(folder.encode(), secret.encode())


def content_policy(html: str, header: str) -> str:
    """Return the Content-Security-Policy of a page that was asked for by this Host header.

    Scripts are meshcat's file and those written in the page, by their hashes; nothing is evaluated.
    Connections go to this server alone. Frames around the page may be of this host (a notebook's
    server has another port) and of the notebooks of VS Code; who lacks the secret has nothing to
    put into a frame anyway.
    """
    name = header.rpartition(":")[0] or header
    hosts = [f"{kind}://{host}:*" for host in (name, "localhost", "127.0.0.1") for kind in _KINDS]
    frames = [*(host for host in hosts if "[" not in host), "vscode-webview:", "vscode-file:"]
    hashes = (hashlib.sha256(text.encode()).digest() for text in _SCRIPT.findall(html))
    scripts = (f"'sha256-{base64.b64encode(digest).decode()}'" for digest in hashes)
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src 'self' {' '.join(scripts)}",
            "style-src 'unsafe-inline'",
            "img-src data: blob:",
            f"connect-src ws://{header}",
            "base-uri 'none'",
            "form-action 'none'",
            f"frame-ancestors 'self' {' '.join(dict.fromkeys(frames))}",
        )
    )


_KINDS = ("http", "https")
