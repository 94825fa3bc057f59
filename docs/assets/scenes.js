// Scenes in the pages: a picture that links to one of animations/ becomes it when it is clicked.
// With data-open it does so by itself, where the page is wide enough to scroll beside it.
document.addEventListener("DOMContentLoaded", () => {
  const open = (link) => {
    const scene = document.createElement("iframe");
    const picture = link.querySelector("img");
    Object.assign(scene, { className: "player", src: link.href, title: picture.alt, loading: "lazy" });
    const alone = document.createElement("a");
    Object.assign(alone, { href: link.href, className: "alone", textContent: "open it alone" });
    link.replaceWith(scene, alone);
  };
  for (const link of document.querySelectorAll('.md-content a[href*="animations/"]:has(> img)')) {
    link.classList.add("scene");
    link.title = "turn and play it";
    link.addEventListener("click", (event) => {
      event.preventDefault();
      open(link);
    });
    if ("open" in link.dataset && matchMedia("(min-width: 60em)").matches) open(link);
  }
});
