// The player below the picture: plays an animation, and shows series over its time.
"use strict";
/* exported make_player */
function make_player(viewer) {
  const find = (id) => document.getElementById(id);
  const dock = find("player"), slider = find("scrub"), caption = find("caption");
  const lanes = make_lanes(find("lanes"));
  let options = {start: 0, step: 0.04, lanes: []}, held = null, drawn = {}, following = false;

  // --- what the animator does ---------------------------------------------------------------
  function seek(time) {
    const a = viewer.animator, to = Math.max(0, Math.min(a.duration, time));
    a.display_progress(to);
    a.seek(to);
    refresh();
  }

  function play() {
    const a = viewer.animator;
    if (a.time > a.duration - 1e-6) { seek(0); }
    a.play();
    refresh();
  }

  function pause() { viewer.animator.pause(); refresh(); }
  function toggle() { if (viewer.animator.playing) { pause(); } else { play(); } }
  function set_speed(factor) { viewer.animator.mixer.timeScale = factor; refresh(); }

  function set_loop(on) {
    for (const action of viewer.animator.actions) { action.repetitions = on ? 1e9 : 1; }
    find("loop").setAttribute("aria-pressed", String(on));
  }

  // while something is dragged the time is its alone
  function hold() { if (held === null) { held = viewer.animator.playing; pause(); } }
  function release() { if (held) { play(); } held = null; }

  // --- what it shows ------------------------------------------------------------------------
  function refresh() {
    const {time, playing, duration, mixer} = viewer.animator;
    if (playing !== drawn.playing) {
      find("play").setAttribute("aria-label", playing ? "pause" : "play");
      find("play").querySelector("path")
        .setAttribute("d", playing ? "M3 2h4v12H3zM9 2h4v12H9z" : "M3 1.5 14 8 3 14.5z");
    }
    if (mixer.timeScale !== drawn.speed) { find("speed").value = String(mixer.timeScale); }
    if (time !== drawn.time) {
      slider.value = time;
      const digits = Math.abs(options.start + duration) < 1000 ? 2 : 1;
      find("clock").textContent = `${(options.start + time).toFixed(digits)} / `
        + `${(options.start + duration).toFixed(digits)} s`;
      lanes.follow(time);
      say(time);
    }
    drawn = {time, playing, speed: mixer.timeScale};
  }

  function say(time) {  // the texts of the bands that we are in
    const texts = new Map();
    for (const lane of options.lanes) {
      for (const [begin, end, text, color] of lane.bands) {
        if (text && begin <= time && time <= end) { texts.set(text, color); }
      }
    }
    caption.replaceChildren(...[...texts].map(([text, color]) => {
      const line = document.createElement("div");
      line.textContent = text;
      line.style.borderColor = color;
      return line;
    }));
  }

  function follow() {
    following = !dock.hidden;
    if (following) { refresh(); requestAnimationFrame(follow); }
  }

  function set_visible(on) {
    dock.hidden = caption.hidden = !on;
    viewer.set_3d_pane_size();
    if (on && !following) { follow(); }
  }

  function show(given, repeat) {  // of the animation that the animator has just loaded
    options = given;
    drawn = {};
    const {duration} = viewer.animator;
    slider.max = duration;
    dock.classList.toggle("with-lanes", options.lanes.length > 0);
    dock.hidden = false;  // lanes ask for its width
    lanes.show(options.lanes, options.start, duration);
    set_loop(repeat);
    set_visible(true);
  }

  const hide = () => { options.lanes = []; set_visible(false); };

  // a picture is the same each time: at rest at a time, with or without the player
  function still(time, visible) {
    if (viewer.animator.actions.length === 0) { return; }
    if (time !== null) { pause(); seek(time - options.start); }
    set_visible(visible);
  }

  // --- mouse, touch, keys -------------------------------------------------------------------
  const steps = {ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity};
  function key(event) {
    const tag = event.target.tagName;
    const typing = tag === "SELECT" || (tag === "INPUT" && event.target !== slider);
    if (dock.hidden || typing || event.ctrlKey || event.altKey || event.metaKey) { return; }
    if (event.key === " " && tag !== "BUTTON") {
      toggle();
    } else if (event.key in steps) {
      pause();
      const way = steps[event.key] * (event.shiftKey ? 1 : options.step);
      seek(viewer.animator.time + way);
    } else {
      return;
    }
    event.preventDefault();
  }

  find("play").onclick = toggle;
  find("loop").onclick = () => set_loop(find("loop").getAttribute("aria-pressed") !== "true");
  find("speed").onchange = (event) => set_speed(Number(event.target.value));
  slider.addEventListener("pointerdown", hold);
  slider.addEventListener("pointerup", release);
  slider.addEventListener("pointercancel", release);
  slider.addEventListener("input", () => seek(Number(slider.value)));
  lanes.on_seek(hold, seek, release);
  window.addEventListener("keydown", key);
  return {show, hide, still, set_visible, seek, play, pause, toggle};
}
