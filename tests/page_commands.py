"""Commands in what a page gets, as the tests read them."""

import json
import struct

import umsgpack


def commands_in(blob):
    """Return the commands of a message or a file, each of them behind its size."""
    found, at = [], 0
    while at < len(blob):
        (size,) = struct.unpack_from("<I", blob, at)
        command = umsgpack.unpackb(blob[at + 4 : at + 4 + size])
        found.append(command | json.loads(command.pop("json", "{}")))
        at += 4 + size
    return found
