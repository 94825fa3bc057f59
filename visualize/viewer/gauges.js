// Gauges of a live scene: the margin, its history, and the least push.
"use strict";
/* exported make_gauges, gauge_text */
function make_gauges(find, viewer) {
  const BELOW = 0.25, ABOVE = 0.5;  // of the weight, at the ends of the gauge
  const {write, round} = gauge_text;
  let push = null;

  // --- margin -------------------------------------------------------------------------------
  function show_margin({verdict, color, margin, unbounded, weight}) {
    const known = Number.isFinite(margin), value = unbounded ? -Infinity : known ? margin : 0;
    write(find("verdict"), verdict);
    find("panel").style.setProperty("--verdict", color);
    write(find("margin"), unbounded ? "−∞ N" : !known ? "" : margin < 0 ? `lacks ${round(-margin)} N`
      : `${round(margin)} N`);
    const zero = BELOW / (BELOW + ABOVE);
    const at = Math.max(0, Math.min(1, zero + value / weight / (BELOW + ABOVE)));
    const bar = find("gauge").firstElementChild;
    bar.style.left = `${100 * Math.min(at, zero)}%`;
    bar.style.width = `${100 * Math.abs(at - zero)}%`;
    const [low, , high] = find("scale").children;
    write(low, round(-BELOW * weight));
    write(high, `${round(ABOVE * weight)} N`);
  }

  function show_history({history, weight}) {
    const values = history.filter(Number.isFinite);
    const low = Math.min(-0.02 * weight, ...values), high = Math.max(0.05 * weight, ...values);
    const level = (v) => 2 + 36 * (high - v) / (high - low);
    const curve = find("spark").querySelector(".curve"), begin = 200 - history.length;
    let d = "", area = "", first = null;
    history.forEach((value, i) => {
      const x = begin + i - 0.5, there = Number.isFinite(value);
      if (there) {
        const y = level(value).toFixed(1);
        d += `${first === null ? "M" : "L"}${x} ${y}`;
        area += first === null ? `M${x} ${level(0)}L${x} ${y}` : `L${x} ${y}`;
        first = first === null ? x : first;
      }
      if (first !== null && (!there || i === history.length - 1)) {
        area += `L${there ? x : x - 1} ${level(0)}Z`;
        first = null;
      }
    });
    curve.setAttribute("d", d && `${d}h0`);
    find("spark").querySelector(".area").setAttribute("d", area);
    find("spark").querySelector(".zero").setAttribute("d", `M0 ${level(0)}H199`);
    const [, green, red] = find("sign").children;
    for (const stop of [green, red]) { stop.setAttribute("offset", level(0) / 40); }
  }

  function show_push(given) {
    push = given;
    const least = push === null ? "–" : push.least === null ? "∞" : `${round(push.least)} N`;
    write(find("push").querySelector("b"), `least push ${least}`);
    turn();
  }

  function turn() {  // the needle, as seen from above with the back of the picture up
    const none = push === null || !push.direction.some(Boolean);  // of 0 N, and of any push
    find("push").classList.toggle("none", none);
    if (none) { return; }
    const [x, y] = push.direction, m = viewer.camera.matrixWorld.elements;
    const ahead = [m[4] - m[8], m[10] - m[6]];  // up and forward, both level, in world axes
    const angle = Math.atan2(x * ahead[1] - y * ahead[0], x * ahead[0] + y * ahead[1]);
    const needle = `rotate(${(180 / Math.PI * angle).toFixed(1)})`;
    for (const part of find("push").querySelectorAll(".needle, .tip")) {
      part.setAttribute("transform", needle);
    }
  }

  function show(state) {
    show_margin(state);
    show_history(state);
    write(find("reason"), state.reason || "");
    find("reason").hidden = !state.reason;
    show_push(state.push);
  }

  return {show, turn};
}

const gauge_text = {
  write: (node, text) => { if (node.textContent !== text) { node.textContent = text; } },
  round: (value) => {
    const size = Math.abs(value);
    return (size >= 9.95 ? value.toFixed(0) : size >= 0.995 ? value.toFixed(1) : value.toFixed(2))
      .replace("-", "−");
  },
};
