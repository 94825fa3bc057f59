// A live scene: tells the program what a hand does, and shows what comes of it.
"use strict";
/* global viewer, footwork, make_gauges, make_gestures, make_handles, make_sliders, make_torques */
footwork.live = (function () {
  const MOST = 1, FORGOTTEN = 1000;  // drags that may be unanswered, and for how long [ms]
  const PACE = 16;  // between two of them [ms]; frames may be slower
  const HISTORY = 10000;  // measured times that are kept
  const find = (id) => document.getElementById(id);
  const live = {state: null, me: null, selected: null, lost: false, latencies: [], painted: []};
  let mode = "move", due = false;

  // --- what is sent -------------------------------------------------------------------------
  const link = (function () {
    let stamp = 0, wish = null, rested = true;
    const unanswered = new Map();  // stamp -> when the pointer was there [ms]

    function send(message) {
      if (wish !== null) { pass(); }  // in the order in which it was done
      return put(message);
    }

    function put(message) {
      if (live.lost || viewer.connection.readyState !== WebSocket.OPEN) { return stamp; }
      stamp += 1;
      viewer.connection.send(JSON.stringify({...message, stamp}));
      return stamp;
    }

    function pass() {
      const {message, time} = wish;
      wish = null;
      rested = false;
      unanswered.set(put(message), time);
    }

    function stream(message, time) {  // the newest alone counts
      wish = {message, time};
      flush();
      setTimeout(() => { rested = true; flush(); }, PACE);
    }

    function flush() {
      const now = performance.now();
      for (const [k, time] of unanswered) {
        if (now - time > FORGOTTEN) { unanswered.delete(k); }
      }
      if (wish !== null && rested && unanswered.size < MOST) { pass(); }
    }

    function answered(newest) {
      const now = performance.now();
      const times = [...unanswered].filter(([k]) => k <= newest);
      for (const [k, time] of times) { unanswered.delete(k); note(live.latencies, now - time); }
      if (times.length) {
        footwork.frames.painted(() => {
          for (const [, time] of times) { note(live.painted, performance.now() - time); }
        });
      }
      rested = true;
      flush();
    }

    return {send, stream, answered};
  })();

  function note(list, time) {
    list.push(time);
    if (list.length > HISTORY) { list.shift(); }
  }

  // --- what is shown ------------------------------------------------------------------------
  const handles = make_handles(viewer, footwork.inside, find("handles"), find("tip"));
  const answer = () => live.state && live.state.stamps[live.me] || 0;
  const gauges = make_gauges(find, viewer);
  const sliders = make_sliders(find, link, answer);
  const torques = make_torques(find, sliders.show_motor);

  function refresh() {
    due = false;
    if (live.state === null) { return; }
    const {notice, can_undo, can_redo} = live.state;
    handles.show(live.state.handles);
    if (live.selected && !handles.handle(live.selected)) { live.selected = null; }
    gauges.show(live.state);
    sliders.show(live.state, handles.handle(live.selected));
    torques.show(live.state, gestures.busy());
    find("undo").disabled = !can_undo;
    find("redo").disabled = !can_redo;
    show_touch(handles.handle(live.selected));
    say(notice || "");
  }

  function plan() {  // once a frame
    if (!due) { due = true; requestAnimationFrame(refresh); }
  }

  function show_touch(handle) {
    const kind = handle && handle.kind;
    find("touch").disabled = kind !== "contact" && kind !== "lifted";
    find("touch").textContent = kind === "lifted" ? "put down" : "lift off";
  }

  let said = "", fading = 0;
  function say(text) {  // stays while it holds, and can be read to its end
    const toast = find("toast");
    if (text === said) { return; }
    said = text;
    clearTimeout(fading);
    if (text) {
      toast.textContent = text;
      toast.classList.add("seen");
    }
    fading = setTimeout(() => toast.classList.remove("seen"), text ? 6000 : 2500);
  }

  function select(id) {
    live.selected = id;
    handles.select(id);
    plan();
  }

  function set_mode(name) {
    mode = name;
    for (const each of ["move", "turn", "lift"]) {
      find(each).setAttribute("aria-pressed", String(each === name));
    }
  }

  function twice(id) {  // opens a contact that is closed, closes one that is open
    const {kind} = handles.handle(id);
    if (kind === "contact" || kind === "lifted") {
      link.send({do: kind === "contact" ? "open" : "close", handle: id});
    }
  }

  const gestures = make_gestures(viewer.dom_element, handles, link, {
    mode: () => mode, alive: () => !live.lost, select, twice,
  });
  footwork.frames.hasty = gestures.busy;
  const render = viewer.render.bind(viewer);
  viewer.render = () => { render(); handles.place(); gauges.turn(); };

  // --- what comes ---------------------------------------------------------------------------
  Object.assign(footwork.commands, {
    you: (cmd) => { live.me = String(cmd.number); },
    live: (cmd) => {
      live.state = cmd;
      link.answered(answer());
      plan();
    },
    offer: (cmd) => { if (cmd.what === "python") { copy(cmd.text); } else { download(cmd); } },
    lost: () => {
      live.lost = true;
      gestures.cancel();
      document.body.classList.add("lost");
      footwork.notice("No connection to the program any more.");
    },
    found: () => {
      live.lost = false;
      document.body.classList.remove("lost");
      footwork.notice("");
    },
  });

  function download({name, kind, text}) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(text instanceof Blob ? text : new Blob([text], {type: kind}));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }

  async function copy(text) {
    try {
      await navigator.clipboard.writeText(text);
      say("copied");
    } catch {  // no permission, or an address that is not secure
      const area = find("text").querySelector("textarea");
      area.value = text;
      find("text").showModal();
      area.select();
    }
  }

  // the scene with its verdict, on what is behind it
  function picture() {
    const source = viewer.renderer.domElement, canvas = document.createElement("canvas");
    const ratio = source.width / source.clientWidth, pen = canvas.getContext("2d");
    viewer.render();
    Object.assign(canvas, {width: source.width, height: source.height});
    pen.drawImage(source, 0, 0);
    pen.scale(ratio, ratio);
    const {title, verdict, color, margin} = live.state;
    const lacks = margin < 0 ? `lacks ${Math.round(-margin)} N` : `margin ${Math.round(margin)} N`;
    const words = Number.isFinite(margin) ? `${verdict}, ${lacks}` : verdict;
    pen.fillStyle = "#1d2127";
    pen.font = "600 17px system-ui, sans-serif";
    pen.fillText(title, 20, 34);
    pen.font = "15px system-ui, sans-serif";
    pen.fillText(words, 38, 58);
    pen.fillStyle = color;
    pen.beginPath();
    pen.arc(27, 53, 6, 0, 7);
    pen.fill();
    return new Promise((done) => canvas.toBlob(done, "image/png"));
  }

  async function save_picture() {
    const name = (live.state.title || "scene").replace(/[^\w-]+/g, "_");
    download({name: `${name}.png`, text: await picture()});
  }

  // --- buttons and keys ---------------------------------------------------------------------
  for (const name of ["move", "turn", "lift"]) { find(name).onclick = () => set_mode(name); }
  for (const what of ["undo", "redo", "reset"]) {
    find(what).onclick = () => link.send({do: what});
  }
  for (const what of ["scenario", "python", "page"]) {
    find(what).onclick = () => link.send({do: "ask", what});
  }
  find("picture").onclick = save_picture;
  find("touch").onclick = () => { if (handles.handle(live.selected)) { twice(live.selected); } };
  find("text").querySelector("button").onclick = () => find("text").close();
  find("answer").onclick = () => {
    const open = document.body.classList.toggle("open");
    find("fold").setAttribute("aria-expanded", String(open));
    viewer.set_3d_pane_size();
  };

  function key(event) {
    const writes = event.target.matches && event.target.matches("input[type=text], textarea");
    const name = event.key.toLowerCase();
    if (name === "escape") {
      if (!gestures.cancel()) { select(null); }
    } else if (!writes && (event.ctrlKey || event.metaKey) && (name === "z" || name === "y")) {
      link.send({do: name === "y" || event.shiftKey ? "redo" : "undo"});
      event.preventDefault();
    }
  }
  window.addEventListener("keydown", key);

  return Object.assign(live, {screen_of: handles.screen_of, select, picture});
})();
