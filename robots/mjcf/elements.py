"""Names of MJCF: the elements and attributes that it has, and findings about all others.

Those that MuJoCo has dropped since, without a meaning for the robot, count as known.

Source: MuJoCo's XML schema.
"""

from __future__ import annotations

from ...errors import counted, unknown
from ..files.hardened_xml import Node
from ..findings import Finding

ACTUATORS = (
    "general", "motor", "position", "velocity", "intvelocity", "orientation", "pid", "damper",
    "cylinder", "muscle", "adhesion", "dcmotor", "plugin",
)  # fmt: skip
_BODY = (
    "body joint freejoint geom site inertial frame replicate attach camera light plugin composite "
    "flexcomp"
)
# what may stand in an element; of others nothing is looked at
_CHILDREN = {
    "mujoco": "compiler option size statistic visual default extension asset worldbody deformable "
    "contact tendon equality actuator sensor custom keyframe include",
    "option": "flag",
    "compiler": "lengthrange",
    "default": "default mesh texture material joint geom site camera light pair equality tendon "
    + " ".join(ACTUATORS),
    "asset": "mesh hfield skin texture material model",
    **dict.fromkeys(("worldbody", "body", "frame", "replicate"), _BODY),
    **dict.fromkeys(("joint", "freejoint", "site", "inertial", "attach"), ""),
    "geom": "plugin",
    "deformable": "flex skin",
    "contact": "pair exclude",
    "tendon": "spatial fixed",
    "equality": "connect weld joint tendon flex flexvert flexstrain distance",
    "actuator": " ".join(ACTUATORS),
    "keyframe": "key",
}
_PLACE = "pos quat axisangle xyaxes zaxis euler"
_EQUALITY = "active class name solimp solref"
_ACTUATOR = (
    "act actdim actearly actlimited actrange area armature bias biasprm biastype body class "
    "cogging controller cranklength cranksite ctrllimited ctrlrange damping dampratio delay "
    "diameter dynprm dyntype ffrange force forcelimited forcerange fpmax fvmax gain gainprm "
    "gaintype gear group imax inductance inheritrange input instance interp joint jointinparent ki "
    "kp kv lengthrange lmax lmin lugre motorconst name nominal nsample plugin posrange range "
    "refsite resistance saturation scale site slewmax slidersite tausmooth tendon thermal "
    "timeconst user velrange vmax"
)
ATTRIBUTES = {
    "compiler": "alignfree angle assetdir autolimits balanceinertia boundinertia boundmass "
    "conflict convexhull coordinate discardvisual eulerseq exactmeshinertia fitaabb fusestatic "
    "inertiafromgeom inertiagrouprange meshdir passthrough savecanonical savecompiled saveinertial "
    "settotalmass strippath texturedir usethread",
    "option": "actuatorgroupdisable apirate ccd_iterations ccd_tolerance collision cone density "
    "gravity impratio integrator iterations jacobian ls_iterations ls_tolerance magnetic "
    "mpr_iterations mpr_tolerance noslip_iterations noslip_tolerance o_friction o_margin o_solimp "
    "o_solref sdf_initpoints sdf_iterations sleep_tolerance solver timestep tolerance viscosity "
    "wind",
    "flag": "actuation autoreset clampctrl constraint contact damper diagexact energy equality "
    "eulerdamp filterparent frictionloss fwdinv gravity invdiscrete ipc island limit midphase "
    "multiccd nativeccd override passive refsafe sensor sensornoise sleep speculative spring "
    "warmstart",
    "body": f"{_PLACE} childclass fuse gravcomp mocap name simple sleep user",
    "frame": f"{_PLACE} childclass name",
    "replicate": "childclass count euler offset sep",
    "inertial": f"{_PLACE} diaginertia fullinertia mass",
    "joint": "actuatorfrclimited actuatorfrcrange actuatorgravcomp armature axis class damping "
    "frictionloss group limited margin name pos range ref solimpfriction solimplimit "
    "solreffriction solreflimit springdamper springref springyield stiffness type user",
    "freejoint": "align group name",
    "geom": f"{_PLACE} adhesion castshadow class conaffinity condim contype density fitscale "
    "fluidcoef fluidshape friction fromto gap group hfield margin mass material mesh name priority "
    "rgba shellinertia size solimp solmix solref surfacevel type user",
    "site": f"{_PLACE} class fromto group material mesh name rgba size type user",
    "attach": "body frame model prefix",
    "mesh": "builtin class content_type face file inertia material maxhullvert name normal octree "
    "params refpos refquat scale smoothnormal texcoord vertex",
    "model": "content_type file name",
    "default": "class",
    "connect": f"{_EQUALITY} anchor body1 body2 site1 site2",
    "weld": f"{_EQUALITY} anchor body1 body2 relpose site1 site2 torquescale",
    "equality/joint": f"{_EQUALITY} joint1 joint2 polycoef",
    "key": "act ctrl mpos mquat name plastic qpos qvel time",
    **dict.fromkeys(ACTUATORS, _ACTUATOR),
}
_SWITCH = ("true", "false")
KEYWORDS = {
    "angle": ("radian", "degree"),
    "coordinate": ("local", "global"),
    "inertiafromgeom": ("true", "false", "auto"),
    "inertia": ("convex", "exact", "legacy", "shell"),  # of a mesh
    **dict.fromkeys(
        ("alignfree", "autolimits", "balanceinertia", "exactmeshinertia", "fitaabb", "fusestatic",
         "shellinertia", "strippath"),
        _SWITCH,
    ),
    **dict.fromkeys(
        ("limited", "actuatorfrclimited", "ctrllimited", "forcelimited", "actlimited"),
        (*_SWITCH, "auto"),
    ),
}  # fmt: skip
_TOLD = 20  # names that the nearest ones are found for: that takes time
_ELEMENTS = {tag: frozenset(names.split()) for tag, names in _CHILDREN.items()}
_NAMES = {tag: frozenset(names.split()) for tag, names in ATTRIBUTES.items()}


def unknown_names(tree: Node) -> list[Finding]:
    """Return the findings about elements and attributes of names that MJCF does not have."""
    found: dict[tuple[str, str, str], list[Node]] = {}
    stack = [tree]
    while stack:
        node = stack.pop()
        for child in node.children:
            if child.tag not in _ELEMENTS[node.tag]:
                found.setdefault(("element", node.tag, child.tag), []).append(child)
            else:
                joined = (node.tag, child.tag) == ("equality", "joint")
                place = "equality/joint" if joined else child.tag
                for key in child.attrib.keys() - _NAMES.get(place, child.attrib.keys()):
                    found.setdefault(("attribute", place, key), []).append(child)
                if child.tag in _ELEMENTS and (node.tag != "default" or child.tag == "default"):
                    stack.append(child)
    findings = [
        Finding("warning", "unknown", _message(*names, len(nodes)), line=nodes[0].line)
        for names, nodes in list(found.items())[:_TOLD]
    ]
    if len(found) > _TOLD:
        message = f"{counted(len(found) - _TOLD, 'more name')} that MJCF does not have"
        findings.append(Finding("warning", "unknown", message))
    return findings


def _message(what: str, inside: str, name: str, many: int) -> str:
    known = (_NAMES if what == "attribute" else _ELEMENTS)[inside]
    return f"{unknown(f'{what} of <{inside}>', name, known)}; {many} left out"
