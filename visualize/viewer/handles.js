// Handles of a live scene: balls over the picture, as large from near as from far.
"use strict";
/* global MeshCat */
/* exported make_handles */
function make_handles(viewer, inside, svg, tip) {
  const THREE = MeshCat.THREE, canvas = viewer.renderer.domElement;
  const RING = 46, STEPS = 48;  // radius [pixels] and corners of the ring that turns
  const shown = new Map();  // id -> what is drawn of it
  let selected = null, hovered = null, wish = null, ring = [];

  const draw = (parent, tag, attributes) => {
    const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) { node.setAttribute(name, value); }
    return parent.appendChild(node);
  };
  const layer = {};
  for (const name of ["rim", "ring", "wish"]) { layer[name] = draw(svg, "path", {class: name}); }
  layer.ghost = draw(svg, "circle", {class: "ghost", r: 9, visibility: "hidden"});

  // --- places -------------------------------------------------------------------------------
  function pixel(point) {  // of the picture, where a point of the world is; null behind the eye
    const p = inside(point);
    const depth = p.clone().applyMatrix4(viewer.camera.matrixWorldInverse).z;
    if (depth > -viewer.camera.near) { return null; }
    p.project(viewer.camera);
    return [(p.x + 1) / 2 * canvas.clientWidth, (1 - p.y) / 2 * canvas.clientHeight, -depth];
  }

  const world = (p) => [p.x, -p.z, p.y].map((x) => Number(x.toFixed(6)));
  function ray(x, y) {  // of sight through a pixel of the window, in world axes
    const box = canvas.getBoundingClientRect();
    const far = new THREE.Vector3(2 * (x - box.left) / box.width - 1,
                                  1 - 2 * (y - box.top) / box.height, 0.5);
    const eye = new THREE.Vector3().setFromMatrixPosition(viewer.camera.matrixWorld);
    const way = far.unproject(viewer.camera).sub(eye).normalize();
    const forward = viewer.camera.getWorldDirection(new THREE.Vector3());
    return {ray: [...world(eye), ...world(way)], forward: world(forward)};
  }

  function circle(handle, depth) {  // about the normal, of equal size in the window
    const normal = inside(handle.normal).normalize();
    const scale = 2 * depth * Math.tan(viewer.camera.fov * Math.PI / 360) / canvas.clientHeight;
    const side = Math.abs(normal.y) < 0.9 ? new THREE.Vector3(0, 1, 0) : new THREE.Vector3(1, 0, 0);
    const u = side.cross(normal).normalize().multiplyScalar(RING * scale);
    const w = normal.clone().cross(u);
    const centre = inside(handle.position);
    return Array.from({length: STEPS}, (_, k) => {
      const angle = 2 * Math.PI * k / STEPS;
      const p = centre.clone().addScaledVector(u, Math.cos(angle))
        .addScaledVector(w, Math.sin(angle)).project(viewer.camera);
      return [(p.x + 1) / 2 * canvas.clientWidth, (1 - p.y) / 2 * canvas.clientHeight];
    });
  }

  // --- drawing ------------------------------------------------------------------------------
  const shapes = {
    contact: (g) => draw(g, "circle", {r: 9, class: "body"}),
    lifted: (g) => draw(g, "circle", {r: 8, class: "hollow"}),
    com: (g) => {
      draw(g, "circle", {r: 10, class: "body"});
      draw(g, "path", {d: "M0 0V-8A8 8 0 0 1 8 0ZM0 0V8A8 8 0 0 1-8 0Z", class: "mark"});
    },
    base: (g) => draw(g, "rect", {x: -8, y: -8, width: 16, height: 16, rx: 4, class: "body"}),
    push: (g) => {
      draw(g, "circle", {r: 9, class: "body"});
      draw(g, "path", {d: "M-5 0H4M1-3.5 4.5 0 1 3.5", class: "line"});
    },
    payload: (g) => {
      draw(g, "rect", {x: -8, y: -8, width: 16, height: 16, rx: 2, class: "body"});
      draw(g, "path", {d: "M-8-2H8M0-8V-2", class: "line"});
    },
  };

  function make(handle) {
    const group = draw(svg, "g", {class: `handle ${handle.kind}`});
    draw(group, "circle", {r: 15, class: "halo"});
    (shapes[handle.kind] || shapes.contact)(group);
    return {handle, group, at: null};
  }

  function show(handles) {
    const ids = new Set(handles.map((handle) => handle.id));
    for (const [id, item] of shown) {
      const now = handles.find((handle) => handle.id === id);
      if (!now || now.kind !== item.handle.kind) { item.group.remove(); shown.delete(id); }
    }
    for (const handle of handles) {
      if (!shown.has(handle.id)) { shown.set(handle.id, make(handle)); }
      const item = shown.get(handle.id);
      item.handle = handle;
      item.group.style.color = handle.color;
    }
    if (!ids.has(selected)) { selected = null; }
    if (!ids.has(hovered)) { hovered = null; }
    place();
  }

  function place() {
    viewer.camera.updateMatrixWorld();
    for (const [id, item] of shown) {
      item.at = pixel(item.handle.position);
      item.group.setAttribute("visibility", item.at ? "visible" : "hidden");
      if (item.at) {
        const [x, y] = item.at;
        item.group.setAttribute("transform", `translate(${x.toFixed(1)} ${y.toFixed(1)})`);
      }
      item.group.classList.toggle("selected", id === selected);
      item.group.classList.toggle("hovered", id === hovered);
    }
    place_ring();
    place_tip();
    place_wish();
  }

  function place_ring() {
    const item = shown.get(selected);
    const turns = item && item.at && item.handle.modes.includes("turn");
    ring = turns ? circle(item.handle, item.at[2]) : [];
    const d = ring.map(([x, y], k) => `${k ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
    for (const name of ["rim", "ring"]) { layer[name].setAttribute("d", d && `${d}Z`); }
  }

  function place_tip() {
    const item = shown.get(hovered) || shown.get(selected);
    tip.hidden = !item || !item.at;
    if (tip.hidden) { return; }
    const {label, margin} = item.handle;
    const number = Number.isFinite(margin) ? ` · ${Math.round(margin)} N` : "";
    if (tip.textContent !== label + number) { tip.textContent = label + number; }
    const x = Math.max(60, Math.min(canvas.clientWidth - 60, item.at[0]));
    tip.style.transform = `translate(${x}px, ${item.at[1] - 20}px) translate(-50%, -100%)`;
  }

  function place_wish() {  // where the pointer would have what it holds
    const item = wish && shown.get(wish.id);
    const at = item && item.at;
    const apart = at && Math.hypot(at[0] - wish.x, at[1] - wish.y) > 8;
    layer.ghost.setAttribute("visibility", apart ? "visible" : "hidden");
    layer.wish.setAttribute("d", apart ? `M${at[0]} ${at[1]}L${wish.x} ${wish.y}` : "");
    if (apart) {
      layer.ghost.setAttribute("cx", wish.x);
      layer.ghost.setAttribute("cy", wish.y);
    }
  }

  // --- what is asked ------------------------------------------------------------------------
  function local(x, y) {
    const box = canvas.getBoundingClientRect();
    return [x - box.left, y - box.top];
  }

  function at(x, y, reach) {  // the handle under a pixel of the window, or its ring
    const [px, py] = local(x, y);
    let best = null, least = reach;
    for (const [id, item] of shown) {
      if (!item.at) { continue; }
      const away = Math.hypot(item.at[0] - px, item.at[1] - py) - (id === selected ? 3 : 0);
      if (away < least) { best = id; least = away; }
    }
    if (best !== null) { return {id: best, ring: false}; }
    const near = ring.some(([a, b]) => Math.hypot(a - px, b - py) < reach * 0.6);
    return near ? {id: selected, ring: true} : null;
  }

  function screen_of(id) {  // pixels of the window
    const item = shown.get(id);
    if (!item) { return null; }
    viewer.camera.updateMatrixWorld();
    const there = pixel(item.handle.position), box = canvas.getBoundingClientRect();
    return there && [there[0] + box.left, there[1] + box.top];
  }

  const handle = (id) => shown.has(id) ? shown.get(id).handle : null;
  const select = (id) => { selected = shown.has(id) ? id : null; place(); };
  const hover = (id) => { if (id !== hovered) { hovered = id; place(); } };
  const want = (id, x, y) => {
    const [px, py] = id === null ? [0, 0] : local(x, y);
    wish = id === null ? null : {id, x: px, y: py};
    place_wish();
  };
  return {show, place, at, ray, screen_of, handle, select, hover, want};
}
