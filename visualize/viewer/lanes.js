// Lanes: plots of series, one above the other, over a common time, with a cursor.
"use strict";
/* exported make_lanes */
function make_lanes(box) {
  const WIDTH = 1000, HEIGHT = 100;  // of a plot, which the page stretches
  const svg_name = "http://www.w3.org/2000/svg";
  let readers = [], duration = 1, cursor = null, area = null;

  const put = (parent, tag, name, text) => {
    const node = parent.appendChild(document.createElement(tag));
    node.className = name || "";
    node.textContent = text || "";
    return node;
  };
  const draw = (svg, tag, attributes) => {
    const node = svg.appendChild(document.createElementNS(svg_name, tag));
    for (const [name, value] of Object.entries(attributes)) { node.setAttribute(name, value); }
    return node;
  };
  const percent = (time) => `${Math.max(0, Math.min(100, 100 * time / duration))}%`;
  const short = (value) => !Number.isFinite(value) ? "–"
    : Math.abs(value) >= 1000 ? value.toFixed(0) : String(Number(value.toPrecision(3)));

  function span(parent, begin, end, color, name) {
    const node = put(parent, "i", name);
    Object.assign(node.style, {left: percent(begin), background: color,
      width: `calc(${percent(end)} - ${percent(begin)} + 0.5px)`});
  }

  function nearest(times, time) {  // the sample that is there, or was last
    let low = 0, high = times.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (times[middle] <= time + 1e-6) { low = middle; } else { high = middle - 1; }
    }
    return low;
  }

  function outline(lane, values) {  // of long series, what a pixel holds
    const {times, low, high} = lane, parts = [];
    const stride = Math.max(1, Math.ceil(values.length / (2 * WIDTH)));
    let pen = "M";
    for (let at = 0; at < values.length; at += stride) {
      let least = Infinity, most = -Infinity;
      for (let i = at; i < Math.min(values.length, at + stride); i += 1) {
        if (Number.isFinite(values[i])) {
          least = Math.min(least, values[i]);
          most = Math.max(most, values[i]);
        }
      }
      if (least > most) { pen = "M"; continue; }
      const x = (WIDTH * times[at] / duration).toFixed(2);
      const y = (v) => (HEIGHT * (high - v) / (high - low)).toFixed(2);
      parts.push(`${pen}${x} ${y(least)}${pen === "M" ? "h0" : ""}`);
      if (most > least) { parts.push(`L${x} ${y(most)}`); }
      pen = "L";
    }
    return parts.join("");
  }

  function ends(svg, place, lane) {  // the ends of the axis; where and how far curves leave it
    const least = 1e-6 * (lane.high - lane.low);  // values are rounded
    const edges = [["high", lane.high, 1, 0, "up"], ["low", lane.low, -1, HEIGHT, "down"]];
    for (const [name, edge, way, y, word] of edges) {
      let farthest = edge;
      for (const {color, values} of lane.curves) {
        let d = "", last = -Infinity;
        values.forEach((value, i) => {
          if (!Number.isFinite(value) || way * (value - edge) <= least) { return; }
          farthest = way * (value - farthest) > 0 ? value : farthest;
          const x = WIDTH * lane.times[i] / duration;
          if (x - last >= 1) { d += `M${(last = x).toFixed(2)} ${y}h0`; }
        });
        if (d) { draw(svg, "path", {class: "cut", stroke: color, d}); }
      }
      const cut = farthest === edge ? "" : `, cut: ${word} to ${short(farthest)}`;
      put(place, "span", name, short(edge) + cut);
    }
  }

  function plot(place, lane) {
    const svg = draw(place, "svg", {viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
                                    preserveAspectRatio: "none"});
    const level = (v) => HEIGHT * (lane.high - v) / (lane.high - lane.low);
    for (const limit of lane.limits) {
      draw(svg, "path", {class: "limit", d: `M0 ${level(limit)}H${WIDTH}`});
    }
    for (const curve of lane.curves) {
      draw(svg, "path", {stroke: curve.color, d: outline(lane, curve.values)});
    }
    ends(svg, place, lane);
  }

  function bars(place, lane) {
    place.classList.add("bars");
    for (const curve of lane.curves) {
      const row = put(place, "div", "row");
      for (const [begin, end] of curve.bars) { span(row, begin, end, curve.color); }
      put(row, "span", "", curve.name);
    }
  }

  function heading(node, lane) {
    put(node, "b", "", lane.unit ? `${lane.name} [${lane.unit}]` : lane.name);
    for (const curve of lane.curves) {
      if (!curve.values) { continue; }
      const item = put(node, "span", "item");
      put(item, "i").style.background = curve.color;
      const named = lane.curves.length > 1 || curve.name !== lane.name;
      put(item, "span", "", named ? `${curve.name} ` : "");
      const value = put(item, "span", "value");
      readers.push((time) => {
        value.textContent = short(curve.values[nearest(lane.times, time)]);
      });
    }
  }

  function add(lane) {
    const node = put(area, "div", "lane");
    heading(put(node, "div", "head"), lane);
    const place = put(node, "div", "plot");
    if (lane.curves.some((curve) => curve.bars)) { bars(place, lane); return; }
    for (const [begin, end, , color] of lane.bands) { span(place, begin, end, color, "band"); }
    plot(place, lane);
  }

  function axis(start) {
    const node = put(area, "div", "axis");
    const wish = duration / Math.max(2, Math.min(10, box.clientWidth / 90));
    const power = Math.pow(10, Math.floor(Math.log10(wish)));
    const step = power * [1, 2, 5, 10].find((k) => k * power >= wish);
    for (let k = Math.ceil(start / step); k * step <= start + duration + 1e-9; k += 1) {
      const tick = put(node, "span", "", String(Number((k * step).toPrecision(6))));
      tick.style.left = percent(k * step - start);
    }
  }

  function show(lanes, start, length) {
    duration = length || 1;
    readers = [];
    box.hidden = lanes.length === 0;
    box.replaceChildren();
    if (box.hidden) { return; }
    area = put(box, "div", "area");
    lanes.forEach(add);
    axis(start);
    cursor = put(area, "i", "cursor");
  }

  function follow(time) {
    if (box.hidden) { return; }
    cursor.style.left = percent(time);
    for (const read of readers) { read(time); }
  }

  function on_seek(hold, seek, release) {
    const go = (event) => {
      const {left, width} = area.getBoundingClientRect();
      seek(duration * (event.clientX - left) / width);
    };
    let dragged = false;
    box.addEventListener("pointerdown", (event) => {
      dragged = true;
      box.setPointerCapture(event.pointerId);
      hold();
      go(event);
    });
    box.addEventListener("pointermove", (event) => { if (dragged) { go(event); } });
    for (const end of ["pointerup", "pointercancel"]) {
      box.addEventListener(end, () => { if (dragged) { dragged = false; release(); } });
    }
  }

  return {show, follow, on_seek};
}
