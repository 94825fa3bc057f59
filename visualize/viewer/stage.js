// What runs in the page beside meshcat's viewer: light, ground, camera, legend, feeding.
// meshcat's viewer has y up inside and turns the scene; "world" below means our z-up axes.
"use strict";
/* global MeshCat, make_player, pace_frames */
var viewer = new MeshCat.Viewer(document.getElementById("meshcat-pane"));
var footwork = (function () {
  const THREE = MeshCat.THREE;
  const state = {ready: false, errors: [], commands: 0, loading: new Set()};
  const show = (id, on) => { document.getElementById(id).hidden = !on; };
  const parts = (path) => path.split("/").filter((name) => name.length > 0);
  const inside = (p) => new THREE.Vector3(p[0], p[2], -p[1]);
  const pane = document.getElementById("meshcat-pane");
  let framed = {};  // the view that was given
  let again = false;  // whether the program is about to tell what it has told before
  const resize = viewer.set_3d_pane_size.bind(viewer);
  viewer.set_3d_pane_size = () => {
    resize(pane.clientWidth, pane.clientHeight);
    const {eye, cmd} = framed;  // a view that nobody has changed fits the window again
    if (eye && viewer.camera.position.distanceTo(eye) < 1e-9) { camera(cmd); }
  };
  const player = make_player(viewer);

  function hide_defaults() {
    viewer.set_property(["Background"], "top_color", [0.93, 0.95, 0.97]);
    viewer.set_property(["Background"], "bottom_color", [1, 1, 1]);
    for (const path of [["Grid"], ["Axes"], ["Lights", "PointLightNegativeX"],
                        ["Lights", "PointLightPositiveX"], ["Lights", "AmbientLight"],
                        ["Lights", "FillLight"]]) {
      viewer.set_property(path, "visible", false);
    }
  }

  // --- light and ground ---------------------------------------------------------------------
  const sky = new THREE.HemisphereLight(0xffffff, 0xc9c4bd, 0.62);
  sky.position.set(0, 0, 1);
  const key = new THREE.DirectionalLight(0xfff6ea, 0.52);
  const fill = new THREE.DirectionalLight(0xe6efff, 0.2);
  key.castShadow = true;
  key.shadow.mapSize.set(2048, 2048);
  key.shadow.radius = 3;
  const floor = new THREE.Mesh(new THREE.PlaneGeometry(1, 1),
                               new THREE.ShadowMaterial({opacity: 0.2, depthWrite: false}));
  floor.receiveShadow = true;
  floor.renderOrder = -2;
  let grid = null;

  function set_up_light() {
    viewer.set_object(["Lights", "Sky"], sky);
    viewer.set_object(["Lights", "Key"], key);
    viewer.set_object(["Lights", "Fill"], fill);
    viewer.scene.add(key.target);
    viewer.scene.add(fill.target);
    viewer.set_object(["Ground", "Shadow"], floor);
  }

  function grid_lines(center, size, step) {
    const half = Math.ceil(size / step) * step;
    const middle = [Math.round(center[0] / step) * step, Math.round(center[1] / step) * step];
    const points = [], colors = [];
    const add = (x, y, bold) => {
      points.push(middle[0] + x, middle[1] + y, 0);
      const fade = Math.min(1, Math.hypot(x, y) / half);
      const tone = (bold ? 0.80 : 0.89) * (1 - fade * fade) + 0.985 * fade * fade;
      colors.push(tone, tone, tone + 0.01);
    };
    for (let a = -half; a <= half + 1e-9; a += step) {
      for (let b = -half; b < half - 1e-9; b += step) {
        if (Math.hypot(a, b + step / 2) > half) { continue; }
        const bold_x = Math.abs(Math.round((middle[0] + a) / step)) % 5 === 0;
        const bold_y = Math.abs(Math.round((middle[1] + a) / step)) % 5 === 0;
        add(a, b, bold_x); add(a, b + step, bold_x);
        add(b, a, bold_y); add(b + step, a, bold_y);
      }
    }
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.Float32BufferAttribute(points, 3));
    geometry.setAttribute("color", new THREE.Float32BufferAttribute(colors, 3));
    const material = new THREE.LineBasicMaterial({vertexColors: true, depthWrite: false});
    const lines = new THREE.LineSegments(geometry, material);
    lines.renderOrder = -3;
    return lines;
  }

  function stage(cmd) {
    const c = cmd.center, s = cmd.size;
    key.target.position.set(c[0], c[1], c[2]);
    fill.target.position.set(c[0], c[1], c[2]);
    key.position.set(c[0] + 0.8 * s, c[1] - 1.0 * s, c[2] + 2.2 * s);
    fill.position.set(c[0] - 1.5 * s, c[1] + 1.5 * s, c[2] + 0.5 * s);
    const box = key.shadow.camera;
    box.left = box.bottom = -1.5 * s;
    box.right = box.top = 1.5 * s;
    box.near = 0.2 * s;
    box.far = 6 * s;
    box.updateProjectionMatrix();
    key.shadow.bias = -0.0004;
    key.shadow.normalBias = 0.006 * s;
    const ground = cmd.ground !== null && cmd.ground !== undefined;
    viewer.set_property(["Ground"], "visible", ground);
    if (grid !== null) { grid.geometry.dispose(); }
    const step = Math.pow(10, Math.round(Math.log10(s / 8)));
    grid = grid_lines(c, 4.5 * s, step);
    viewer.set_object(["Ground", "Grid"], grid);
    if (ground) {
      grid.position.z = cmd.ground;
      floor.position.set(c[0], c[1], cmd.ground);
      floor.scale.set(12 * s, 12 * s, 1);
    }
  }

  // --- camera, legend, animation ------------------------------------------------------------
  function look(cmd) {  // after a break of the connection the view stays as somebody turned it
    const same = again && JSON.stringify(cmd) === JSON.stringify(framed.cmd);
    again = false;
    if (!same) { camera(cmd); }
  }

  function camera(cmd) {
    const eye = inside(cmd.eye), target = inside(cmd.target);
    const aspect = pane.clientWidth / pane.clientHeight;
    const beside = cmd.beside || 0, free = pane.clientWidth > 600 ? aspect - cmd.aspect : 0;
    const left = (beside - Math.max(0, Math.min(beside, free))) * Math.tan(cmd.fov * Math.PI / 360) * eye.distanceTo(target);
    const right = new THREE.Vector3(0, 1, 0).cross(eye.clone().sub(target)).setLength(left);
    eye.add(right);
    target.add(right);
    eye.sub(target).multiplyScalar(Math.max(1, cmd.aspect / aspect)).add(target);
    const distance = eye.distanceTo(target);
    viewer.camera.fov = cmd.fov;
    viewer.camera.near = distance / 200;
    viewer.camera.far = distance * 100;
    viewer.camera.position.copy(eye);
    viewer.controls.target.copy(target);
    viewer.camera.updateProjectionMatrix();
    viewer.controls.update();
    framed = {cmd, eye: viewer.camera.position.clone()};
  }

  function legend(cmd) {
    const box = document.getElementById("legend");
    box.textContent = "";
    fold(box.appendChild(document.createElement("header")), cmd.title);
    for (const [text, color, folder] of cmd.lines) {
      const line = box.appendChild(document.createElement("div"));
      if (color) { line.appendChild(document.createElement("i")).style.background = color; }
      if (!color) { line.className = "plain"; }
      line.appendChild(document.createTextNode(text));
      if (folder) { toggle(line, parts(folder)); }
    }
    if (cmd.ramp) { bar(box, cmd.ramp); }
    show("legend", cmd.title || cmd.lines.length || cmd.ramp);
  }

  function fold(head, title) {  // on narrow screens the title alone is seen until one opens it
    if (title) { head.appendChild(document.createElement("b")).textContent = title; }
    const button = head.appendChild(document.createElement("button"));
    button.setAttribute("aria-label", "legend");
    head.onclick = () => unfold(!head.parentElement.classList.contains("open"));
    unfold(head.parentElement.classList.contains("open"));
  }

  function unfold(on) {
    const box = document.getElementById("legend"), button = box.querySelector("header button");
    box.classList.toggle("open", on);
    if (button) { button.setAttribute("aria-expanded", String(on)); }
  }

  function toggle(line, path) {  // a click hides a folder of drawings, and shows it again
    line.classList.add("toggle");
    line.title = "click to hide or show";
    const node = () => viewer.scene_tree.find(path);
    const mark = () => line.classList.toggle("off", !node().object.visible);
    line.onclick = () => {
      viewer.set_property(path, "visible", !node().object.visible);
      mark();
      viewer.set_dirty();
    };
    mark();  // a legend that is written anew keeps what was hidden
  }

  function bar(box, ramp) {
    const name = box.appendChild(document.createElement("div"));
    name.className = "plain name";
    name.textContent = ramp.name;
    const colors = box.appendChild(document.createElement("div"));
    const share = 100 / ramp.colors.length;
    const stops = ramp.colors.map((c, i) => `${c} ${i * share}% ${(i + 1) * share}%`);
    colors.className = "ramp";
    colors.style.background = `linear-gradient(to right, ${stops.join(", ")})`;
    const ends = box.appendChild(document.createElement("div"));
    ends.className = "plain ends";
    for (const end of ramp.ends) {
      ends.appendChild(document.createElement("span")).textContent = end;
    }
  }

  function animation(cmd) {
    meshcat(cmd);
    if (!cmd.options.play) {  // the slider moves only what has been started
      viewer.animator.play();
      viewer.animator.pause();
    }
    player.show(cmd.player, cmd.options.repetitions > 1);
  }

  const ours = {
    camera: look, stage, legend, set_object, set_color, set_animation: animation,
    define: (cmd) => { library[cmd.part.uuid] = cmd.part; },
    clear_animation: () => { viewer.animator.clear(); player.hide(); },
    lost: () => notice("No connection to the program any more. The picture stays."),
    found: () => notice(""),
  };
  const meshcat = viewer.handle_command.bind(viewer);
  viewer.handle_command = function (cmd) {
    state.commands += 1;
    if (cmd.json) { cmd = {...JSON.parse(cmd.json), type: cmd.type}; }
    (ours[cmd.type] || meshcat)(cmd);
    viewer.set_dirty();
  };

  // --- objects ------------------------------------------------------------------------------
  const put = viewer.set_object.bind(viewer);
  viewer.set_object = function (path, object) {
    const data = object.userData || {};
    object.uuid = THREE.MathUtils.generateUUID();  // each of several equal ones is animated
    if (data.shadow === false) { object.castShadow = object.receiveShadow = false; }
    if (data.ghost) {  // what is hidden behind the robot is seen faintly
      const ghost = new THREE.Mesh(object.geometry, object.material.clone());
      Object.assign(ghost.material, {transparent: true, depthWrite: false, side: THREE.FrontSide,
        depthFunc: THREE.GreaterDepth, opacity: object.material.opacity * data.ghost});
      object.add(ghost);
    }
    put(path, object);
    state.loading.delete("/" + path.join("/"));
    viewer.set_dirty();
  };

  function label(data) {  // of letters as tall as 1, with a white rim; a capital has 0.72 of a size
    const size = 64, rim = 12, canvas = document.createElement("canvas");
    const font = `600 ${size / 0.72}px system-ui, "DejaVu Sans", sans-serif`;
    let pen = canvas.getContext("2d");
    pen.font = font;
    canvas.width = Math.ceil(pen.measureText(data.text).width) + 2 * rim;
    canvas.height = 2 * size;
    pen = canvas.getContext("2d");  // a new size forgets the font
    Object.assign(pen, {font, textAlign: "center", lineJoin: "round", lineWidth: rim,
                        strokeStyle: "rgba(255, 255, 255, 0.85)", fillStyle: data.color});
    pen.strokeText(data.text, canvas.width / 2, 1.5 * size);
    pen.fillText(data.text, canvas.width / 2, 1.5 * size);
    const map = new THREE.CanvasTexture(canvas);
    map.minFilter = THREE.LinearFilter;
    const sprite = new THREE.Sprite(new THREE.SpriteMaterial(
      {map, depthTest: false, depthWrite: false, alphaTest: 0.02, transparent: true}));
    sprite.scale.set(canvas.width / size, canvas.height / size, 1);
    sprite.renderOrder = 20;
    return sprite;
  }

  function set_color(cmd) {  // of an object, and of what is seen of it through others
    viewer.scene_tree.find(parts(cmd.path).concat(["<object>"])).object.traverse((thing) => {
      for (const name of ["color", "emissive"]) {
        if (name in cmd) { thing.material[name].setHex(cmd[name]); }
      }
    });
  }

  const library = {};  // geometries and images that several objects have in common
  function set_object(cmd) {
    if (cmd.object.label) {
      viewer.set_object(parts(cmd.path), label(cmd.object.label));
      return;
    }
    for (const kind of ["geometries", "images"]) {
      const parts = cmd.object[kind];
      if (parts) { cmd.object[kind] = parts.map((p) => p.shared ? library[p.uuid] : p); }
    }
    if (cmd.object.images) { state.loading.add(cmd.path); }  // put when they are decoded
    meshcat(cmd);
  }

  // --- feeding ------------------------------------------------------------------------------
  function apply(bytes) {
    try {
      viewer.handle_command_bytearray(bytes);
    } catch (error) {  // one broken object must not take the rest with it
      state.errors.push(String(error));
      setTimeout(() => { throw error; });
    }
  }

  function apply_all(buffer) {  // commands, each behind its size
    const view = new DataView(buffer);
    for (let at = 0; at < buffer.byteLength;) {
      const size = view.getUint32(at, true);
      apply(new Uint8Array(buffer, at + 4, size));
      at += 4 + size;
    }
  }

  async function replay(text) {
    const packed = Uint8Array.from(atob(text.trim()), (c) => c.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    apply_all(await new Response(stream).arrayBuffer());
    state.ready = true;
  }

  function notice(text) {
    document.getElementById("notice").textContent = text;
    show("notice", text);
  }

  let tries = 0, own = null;
  function connect() {
    const url = location.href.replace(/^http/, "ws").replace(/[?#].*$/, "") + "commands";
    const socket = viewer.connection = new WebSocket(url);
    socket.binaryType = "arraybuffer";
    socket.onmessage = (message) => {
      tries = 0;
      apply_all(message.data);
      viewer.num_messages_received += 1;
    };
    socket.onopen = () => {
      if (own === null) { own = new Set(Object.keys(viewer.scene_tree.children)); }
      if (state.ready) { begin_anew(); }
      state.ready = true;
    };
    socket.onclose = () => {
      ours.lost();
      setTimeout(connect, Math.min(15000, 500 * 2 ** tries));
      tries += 1;
    };
  }

  function begin_anew() {  // the program tells everything again, and not what is gone
    for (const name of Object.keys(viewer.scene_tree.children)) {
      if (!own.has(name)) { viewer.handle_command({type: "delete", path: "/" + name}); }
    }
    ours.clear_animation();
    again = true;
    ours.found();
  }

  hide_defaults();
  set_up_light();
  const frames = pace_frames(viewer);
  if (typeof DecompressionStream === "undefined") {
    notice("This page needs a browser of 2023 or later.");
  }
  return {state, replay, connect, stage, player, frames, unfold, commands: ours, inside,
          notice};
})();
