"""Commands in what a page gets, as the tests read them, and a page that is drawn sooner."""

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


def without(*places):
    """JavaScript that leaves out what takes most of a frame, where tests look at something else.

    That is the shadows, and what is drawn at these places of the scene's tree.
    """
    hidden = [f", viewer.scene_tree.find(['{place}']).object.visible = false" for place in places]
    return "viewer.renderer.shadowMap.autoUpdate = false" + "".join(hidden)
