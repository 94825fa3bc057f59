// Sliders of a live scene, each with a field for its number.
"use strict";
/* exported make_sliders */
function make_sliders(find, link, answered) {
  const rows = new Map();  // name -> what is drawn of it
  let sliders = [];

  const put = (parent, tag, name, values) => {
    const node = parent.appendChild(document.createElement(tag));
    node.className = name;
    return Object.assign(node, values);
  };
  const digits = (step) => Math.max(0, Math.min(6, Math.ceil(-Math.log10(step) - 1e-9)));

  function make(name) {
    const box = document.createElement("div");
    const title = put(box, "label", "");
    const range = put(box, "input", "", {type: "range", id: `slider ${name}`});
    const field = put(box, "input", "", {type: "text", inputMode: "decimal"});
    const row = {name, box, title, range, field, unit: put(box, "span", "unit"), given: null,
                 until: 0, dragged: false, typed: false};
    box.className = "slider";
    title.htmlFor = range.id;
    range.oninput = (event) => {
      row.dragged = true;
      field.value = written(row, Number(range.value));
      fill(row);
      link.stream(message(row, Number(range.value), false), event.timeStamp);
    };
    range.onchange = () => { row.dragged = false; set(row, Number(range.value)); };
    field.oninput = () => { row.typed = true; check(row); };
    field.onchange = () => { enter(row); };
    field.onblur = () => { row.typed = false; write(row); };
    field.onkeydown = (event) => {
      if (event.key === "Escape") { row.typed = false; field.blur(); }
    };
    return row;
  }

  const message = (row, value, final) => ({do: "set", name: row.name, value, final});
  const written = (row, value) => value.toFixed(digits(row.given.step));
  function set(row, value) { row.until = link.send(message(row, value, true)); }

  function read(row) {  // the number that was typed, null for nonsense
    const text = row.field.value.trim().replace(",", ".").replace("−", "-");
    const value = text === "" ? NaN : Number(text);
    const {low, high} = row.given;
    return Number.isFinite(value) && value >= low && value <= high ? value : null;
  }

  function check(row) { row.field.setAttribute("aria-invalid", String(read(row) === null)); }

  function enter(row) {
    const value = read(row);
    if (value !== null) { row.typed = false; set(row, value); }
  }

  function fill(row) {  // the part of the track below its value
    const {low, high} = row.given;
    row.range.style.setProperty("--at", `${100 * (Number(row.range.value) - low) / (high - low)}%`);
  }

  function write(row) {
    const {label, unit, low, high, step, value} = row.given;
    row.title.textContent = label;
    row.unit.textContent = unit;
    Object.assign(row.range, {min: low, max: high, step});
    row.field.title = `${low} … ${high}${unit ? ` ${unit}` : ""}`;
    row.field.setAttribute("aria-label", label);
    if (row.dragged || answered() < row.until) { return; }  // an older value than what was set
    row.range.value = value;
    fill(row);
    if (!row.typed) { row.field.value = written(row, value); check(row); }
  }

  function fill_box(box, given) {
    const nodes = given.map((slider) => {
      if (!rows.has(slider.name)) { rows.set(slider.name, make(slider.name)); }
      const row = rows.get(slider.name);
      row.given = slider;
      write(row);
      return row.box;
    });
    if (nodes.length !== box.children.length || nodes.some((n, k) => n !== box.children[k])) {
      box.replaceChildren(...nodes);
    }
  }

  const of_motor = (slider) => slider.name.startsWith("torque/");

  function show(state, handle) {
    sliders = state.sliders;
    const scene = sliders.filter((s) => s.handle === null && !of_motor(s));
    const own = handle ? sliders.filter((s) => s.handle === handle.id && !of_motor(s)) : [];
    fill_box(find("scene").querySelector("div"), scene);
    find("scene").hidden = scene.length === 0;
    fill_box(find("selected").querySelector("div"), own);
    find("selected").querySelector("h2").textContent = handle ? handle.label : "";
    find("selected").querySelector("p").hidden = handle !== null;
    find("selected").hidden = handle !== null && own.length === 0;
  }

  function show_motor(joint, box) {  // the slider of a joint's torque limit
    const name = `torque/${joint}`;
    const value = (sliders.find((slider) => slider.name === "torque") || {value: 100}).value;
    const usual = {name, label: "torque limit", unit: "%", low: 0, high: 100, step: 1, value};
    fill_box(box, [sliders.find((slider) => slider.name === name) || usual]);
  }

  return {show, show_motor};
}
