// Gestures of a live scene: a pointer takes hold of a handle, drags it, and lets it go.
"use strict";
/* exported make_gestures */
function make_gestures(pane, handles, link, on) {
  const REACH = {mouse: 16, pen: 20, touch: 26}, STILL = {mouse: 3, pen: 5, touch: 8};  // [pixels]
  const DOUBLE = 400;  // [ms] between two taps
  const turning = new Set();  // pointers that turn the camera
  let held = null, tapped = {id: null, time: -Infinity};

  function mode_of(event) {
    const wish = held.ring || event.altKey ? "turn" : event.shiftKey ? "lift" : on.mode();
    const modes = handles.handle(held.id).modes;
    return modes.includes(wish) ? wish : modes[0];
  }

  function down(event) {
    if (held !== null && held.pointer === event.pointerId) { end(); }  // its release was not seen
    if (held !== null) { event.stopPropagation(); return; }  // other fingers wait
    const reach = REACH[event.pointerType] || REACH.mouse;
    const hit = event.button === 0 && turning.size === 0 && on.alive()
      ? handles.at(event.clientX, event.clientY, reach) : null;
    if (hit === null) {
      turning.add(event.pointerId);
      tapped = {id: null, time: -Infinity, x: event.clientX, y: event.clientY};
      return;
    }
    event.stopPropagation();  // the camera rests
    event.preventDefault();
    if (document.activeElement) { document.activeElement.blur(); }
    pane.setPointerCapture(event.pointerId);
    const middle = handles.screen_of(hit.id);
    held = {...hit, pointer: event.pointerId, begun: false, x: event.clientX, y: event.clientY,
            ray: handles.ray(event.clientX, event.clientY), beside: [middle[0] - event.clientX,
                                                                     middle[1] - event.clientY]};
    on.select(hit.id);
    pane.style.cursor = "grabbing";
  }

  function move(event) {
    if (held === null) { look(event); return; }
    if (event.pointerId !== held.pointer) { return; }
    event.stopPropagation();
    const away = Math.hypot(event.clientX - held.x, event.clientY - held.y);
    if (!held.begun && away < (STILL[event.pointerType] || 3)) { return; }
    if (handles.handle(held.id) === null) { end(); return; }  // taken away meanwhile
    const spot = `${event.clientX} ${event.clientY}`;
    if (spot === held.spot) { return; }  // it was told raw before
    held.spot = spot;
    if (!held.begun) {
      held.begun = true;
      held.mode = mode_of(event);  // to its end: a key let go first would put down what is lifted
      link.send({do: "grab", handle: held.id, ...held.ray});
    }
    const sight = handles.ray(event.clientX, event.clientY);
    link.stream({do: "drag", handle: held.id, mode: held.mode, ...sight}, event.timeStamp);
    if (!held.ring) {
      handles.want(held.id, event.clientX + held.beside[0], event.clientY + held.beside[1]);
    }
  }

  function look(event) {  // what would be taken hold of
    if (event.buttons !== 0 || event.pointerType === "touch") { return; }
    const hit = on.alive() ? handles.at(event.clientX, event.clientY, REACH.mouse) : null;
    handles.hover(hit && hit.id);
    pane.style.cursor = hit ? "grab" : "";
  }

  function up(event) {
    if (turning.delete(event.pointerId) && event.type === "pointerup"
        && Math.hypot(event.clientX - tapped.x, event.clientY - tapped.y) < 4) {
      on.select(null);
    }
    if (held === null || event.pointerId !== held.pointer) { return; }
    const {id, begun, ring} = held;
    end();
    if (begun || ring || event.type !== "pointerup") { return; }
    const again = tapped.id === id && event.timeStamp - tapped.time < DOUBLE;
    tapped = again ? {id: null, time: -Infinity} : {id, time: event.timeStamp};
    if (again) { on.twice(id); }
  }

  function end(last = {do: "drop", handle: held.id}) {
    const {begun, pointer} = held;
    held = null;  // first: releasing the capture tells us again
    if (pane.hasPointerCapture(pointer)) { pane.releasePointerCapture(pointer); }
    handles.want(null);
    handles.hover(null);
    pane.style.cursor = "";
    if (begun) { link.send(last); }
  }

  function cancel() {  // what was dragged goes back
    if (held === null) { return false; }
    end({do: "undo"});  // of this gesture alone
    return true;
  }

  pane.addEventListener("pointerdown", down, true);  // before the camera sees it
  pane.addEventListener("pointermove", move, true);
  pane.addEventListener("pointerrawupdate", (event) => {  // comes also where frames are slow
    if (held !== null) { move(event); }
  }, true);
  for (const name of ["pointerup", "pointercancel", "lostpointercapture"]) {
    pane.addEventListener(name, up, true);
  }
  pane.addEventListener("pointerleave", () => { if (held === null) { handles.hover(null); } });
  return {cancel, busy: () => held !== null};
}
