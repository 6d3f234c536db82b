// Marks boxes whose content is wider than they are: the style says that they scroll.
"use strict";
new ResizeObserver(() => {
  for (const box of document.querySelectorAll(".scroll")) {
    box.classList.toggle("wide", box.scrollWidth > box.clientWidth + 1);
  }
}).observe(document.body);
