"""Commands in what a page gets, as the tests read them."""

import struct

import umsgpack


def commands_in(blob):
    """Return the commands of a message or a file, each of them behind its size."""
    found, at = [], 0
    while at < len(blob):
        (size,) = struct.unpack_from("<I", blob, at)
        found.append(umsgpack.unpackb(blob[at + 4 : at + 4 + size]))
        at += 4 + size
    return found
