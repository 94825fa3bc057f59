// Torques of a live scene: bars within their limits, each with the slider of its limit.
"use strict";
/* global gauge_text */
/* exported make_torques */
function make_torques(find, show_limit) {
  const FEW = 6;  // joints that are listed at first
  const {write, round} = gauge_text;
  const rows = new Map();  // joint -> what is drawn of it
  let all = false, order = [], open = null;

  const put = (parent, tag, name) => {
    const node = parent.appendChild(document.createElement(tag));
    node.className = name;
    return node;
  };

  const share_of = ({value, lower, upper}) => {
    if (!Number.isFinite(value) || lower === null || upper === null) { return 0; }
    const limit = (upper - lower) / 2;
    return limit > 0 ? Math.abs(value - (upper + lower) / 2) / limit : value ? Infinity : 0;
  };

  function make(joint) {
    const box = document.createElement("div"), row = put(box, "button", "torque");
    const parts = {box, row, name: put(row, "span", "name"), track: put(row, "span", "track"),
                   number: put(row, "output", "")};
    parts.bar = put(parts.track, "i", "");
    parts.slider = put(box, "div", "limit");
    write(parts.name, joint.replace(/_joint$/, "").replaceAll("_", " "));
    row.title = `${joint}: what its motor can do`;
    row.onclick = () => { open = open === joint ? null : joint; list(); };
    return parts;
  }

  function show_torque(torque) {
    const {joint, value, lower, upper} = torque;
    if (!rows.has(joint)) { rows.set(joint, make(joint)); }
    const {bar, number} = rows.get(joint), share = share_of(torque);
    const low = Math.min(lower || 0, 0), high = Math.max(upper || 0, 0), span = high - low || 1;
    const at = (v) => 100 * Math.max(0, Math.min(1, (v - low) / span));
    const from = at(0), to = Number.isFinite(value) && lower !== null ? at(value) : from;
    bar.style.left = `${Math.min(from, to)}%`;
    bar.style.width = `${Math.abs(to - from)}%`;
    bar.className = share > 0.95 ? "full" : share > 0.7 ? "much" : "";
    const limit = value < 0 ? lower : upper;
    write(number, `${Number.isFinite(value) ? round(value) : "–"} / `
      + `${limit === null ? "∞" : round(Math.abs(limit))}`);
  }

  function list() {  // largest share first; what is open stays
    const box = find("torques").querySelector("div");
    const names = order.filter((name, k) => all || k < FEW || name === open);
    const nodes = names.map((name) => rows.get(name).box);
    if (nodes.length !== box.children.length || nodes.some((n, k) => n !== box.children[k])) {
      box.replaceChildren(...nodes);
    }
    for (const [name, {row, slider}] of rows) {
      row.setAttribute("aria-expanded", String(name === open));
      slider.hidden = name !== open;
    }
    write(find("more"), all ? "fewer" : `all ${order.length}`);
    find("more").hidden = order.length <= FEW;
    if (open !== null) { show_limit(open, rows.get(open).slider); }
  }

  find("more").onclick = () => { all = !all; list(); };

  function show({torques}, busy) {
    find("torques").hidden = torques.length === 0;
    torques.forEach(show_torque);
    const names = torques.map((torque) => torque.joint);
    const known = names.length === order.length && names.every((name) => order.includes(name));
    if (!busy || !known) {  // rows do not jump under a drag
      order = [...torques].sort((a, b) => share_of(b) - share_of(a)).map(({joint}) => joint);
    }
    if (open !== null && !names.includes(open)) { open = null; }
    list();
  }

  return {show};
}
