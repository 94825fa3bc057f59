// Mathematics of the pages: what pymdownx.arithmatex has marked is drawn by KaTeX, from files of
// the site. A formula that KaTeX refuses stays as text, in red; tests look for it.
document.addEventListener("DOMContentLoaded", () => {
  for (const place of document.querySelectorAll(".arithmatex")) {
    const [, open, source] = place.textContent.trim().match(/^(\\\(|\\\[)([^]*)\\[)\]]$/);
    katex.render(source, place, { displayMode: open === "\\[", throwOnError: false });
  }
});
