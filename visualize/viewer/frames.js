// Frames of the page: the next one is drawn when the last one is done.
// Commands come in between. Where the graphics processor is slow, or software, frames that wait in
// its queue would block the page, and what comes from the program with it.
"use strict";
/* exported pace_frames */
function pace_frames(viewer) {
  const SLOW = 100, COARSE = 0.5;  // [ms] of a frame, and share of its pixels in each direction
  const {renderer} = viewer, gl = renderer.getContext(), fine = renderer.getPixelRatio();
  const frames = {painted, hasty: () => false};
  let fence = null, begun = 0, waiting = [], drawn = [], slow = false, coarse = false;

  function done() {
    if (fence !== null) {
      if (!gl.isContextLost() && gl.getSyncParameter(fence, gl.SYNC_STATUS) !== gl.SIGNALED) {
        return false;
      }
      gl.deleteSync(fence);
      fence = null;
      if (!coarse) { slow = performance.now() - begun > SLOW; }
    }
    const calls = drawn;
    drawn = [];
    for (const call of calls) { call(); }
    return true;
  }

  function draw() {
    begun = performance.now();
    viewer.render();
    [drawn, waiting] = [waiting, []];
    if (gl.fenceSync) {
      fence = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
      gl.flush();
    }
  }

  viewer.animate = () => {
    requestAnimationFrame(() => viewer.animate());
    viewer.animator.update();
    if (!done()) { return; }
    const rough = slow && frames.hasty();  // while somebody drags, soon is better than sharp
    if (rough !== coarse) {
      coarse = rough;
      renderer.setPixelRatio(coarse ? COARSE * fine : fine);
      viewer.set_dirty();
    }
    if (viewer.needs_render) { draw(); }
  };

  function painted(call) {  // calls back when what there is now has been drawn
    waiting.push(call);
    viewer.set_dirty();
  }
  return frames;
}
