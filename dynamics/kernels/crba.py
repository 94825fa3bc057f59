"""The mass matrix M by composite rigid bodies.

I_i becomes the inertia of body i and all after it, as if they were one. A unit velocity of joint i
gives them the momentum I_i S, which is carried inward: what each joint k on the way to the root
feels of it is the entry M_ik = S_kᵀ X … I_i S. Off one branch M is zero. The armature of a joint
is added to M_ii; that of a free root to its mass and its inertia.

Source: R. Featherstone (2008), table 6.2.
"""

from __future__ import annotations

from .body_table import FREE, PRISMATIC, as_bodies
from .inertia import add_symmetric, inertia_to_parent
from .rows import DONE, MISFIT, apart, fill, gather, valid
from .scalars import LANES, as_lanes, shaped, workspaces
from .spatial import add, along_joint, force_to_parent, get_joint, joint_position, put_joint


def moment_and_inertia(composites, i):
    """h and I of the composite body i."""
    c = composites[i]
    return (c[0], c[1], c[2]), (c[3], c[4], c[5], c[6], c[7], c[8])


def store(composites, i, h, I):
    """The composite body i has h and I."""
    for k in range(3):
        composites[i, k] = h[k]
    for k in range(6):
        composites[i, 3 + k] = I[k]


def joint_momentum(body, mass, h, I):
    """I S: the momentum of a composite body that its joint moves at unit velocity."""
    if body.kind == PRISMATIC:
        return (0.0, 0.0, mass), (h[1], -h[0], 0.0)
    return (-h[1], h[0], 0.0), (I[3], I[4], I[5])


def crba(bodies, q, M, work):
    """Fill M (nv, nv) along branches, else zero; workspace (n + 1, 11)."""
    joints, composites = work[:, :2], work[:, 2:]
    for i in range(len(bodies)):
        store(composites, i, bodies[i].h, bodies[i].I)
        if i > 0:
            put_joint(joints, i, joint_position(bodies[i], q))
    for i in range(len(bodies) - 1, 0, -1):
        body, joint = bodies[i], get_joint(joints, i)
        mass, (h, I) = body.subtree_mass, moment_and_inertia(composites, i)
        column_of(bodies, joints, i, joint_momentum(body, mass, h, I), M)
        h, I = inertia_to_parent(body, joint, mass, h, I)
        above_h, above_I = moment_and_inertia(composites, body.parent)
        store(composites, body.parent, add(above_h, h), add_symmetric(above_I, I))
    if bodies[0].kind == FREE:
        h, I = moment_and_inertia(composites, 0)
        root_block(bodies[0].subtree_mass, h, I, M)
        for k in range(6):
            M[k, k] += bodies[0].armature


def column_of(bodies, joints, i, force, M):
    """M_ik for joint i and each joint k between it and the root, from the momentum I_i S_i."""
    v, k = bodies[i].v, i
    M[v, v] = along_joint(bodies[i], force) + bodies[i].armature
    while bodies[k].parent > 0:
        force = force_to_parent(bodies[k], get_joint(joints, k), force)
        k = bodies[k].parent
        entry = along_joint(bodies[k], force)
        M[v, bodies[k].v] = entry
        M[bodies[k].v, v] = entry
    if bodies[0].kind == FREE:
        f, n = force_to_parent(bodies[k], get_joint(joints, k), force)
        for r in range(3):
            M[v, r], M[r, v] = f[r], f[r]
            M[v, 3 + r], M[3 + r, v] = n[r], n[r]


def root_block(mass, h, I, M):
    """The inertia of the whole robot about the root: [[m 1, −[h]×], [[h]×, I]]."""
    for r in range(3):
        for k in range(3):
            M[r, k], M[r, 3 + r], M[3 + r, r] = 0.0, 0.0, 0.0
        M[r, r] = 0.0 * h[r] + mass
    M[0, 4], M[4, 0], M[1, 3], M[3, 1] = h[2], h[2], -h[2], -h[2]
    M[0, 5], M[5, 0], M[2, 3], M[3, 2] = -h[1], -h[1], h[1], h[1]
    M[1, 5], M[5, 1], M[2, 4], M[4, 2] = h[0], h[0], -h[0], -h[0]
    M[3, 3], M[4, 4], M[5, 5] = I[0], I[2], I[5]
    M[3, 4], M[4, 3], M[3, 5], M[5, 3], M[4, 5], M[5, 4] = I[1], I[1], I[3], I[3], I[4], I[4]


def mass_matrix_rows(table, Q, M, first, last, memory):
    """M[first:last] (N, nv, nv); returns as `rows.fill`."""
    root = as_bodies(table)[0]
    shape = root.nv, root.nv
    return fill(crba, table, (), ((Q, root.nq),), M, shape, 11, first, last, memory)


def mass_matrix_of(table, q, M, memory):
    """M (nv, nv) of one configuration q (nq,); returns as the above."""
    nv = len(M)
    return mass_matrix_rows(table, q.reshape(1, len(q)), M.reshape(1, nv, nv), 0, 1, memory)


def mass_matrix_lanes(table, Q, M, first, last, memory):
    """The same into M (blocks, nv, nv, LANES), configuration 8 i + k in M[i, :, :, k]."""
    bodies = as_bodies(table)
    n, nq, nv = len(bodies), bodies[0].nq, bodies[0].nv
    shape = (len(Q) + LANES - 1) // LANES, nv, nv, LANES
    if not (Q.shape[1] == nq and M.shape == shape and apart(Q, M)):
        return MISFIT
    q, violations, workspace = workspaces(memory, nq, n + 1, 11 * (n + 1))
    workspace, blocks = shaped(workspace, (n + 1, 11)), as_lanes(M)
    for start in range(first, last, LANES):
        gather(Q, start, last, q)
        if not valid(bodies, q, 0.0, violations):
            return start
        crba(bodies, as_lanes(q), blocks[start // LANES], workspace)
    return DONE
