// Keys of an episode's page, and the alignment of two episodes. Elements that take
// text keep their keys.
"use strict";
const trajectory = (() => {
  const steps = () => [...document.querySelectorAll(".episode .step")].filter((s) => s.offsetParent !== null);

  // go moves the focus to a step and puts its link into the address.
  function go(step) {
    if (!step) return;
    for (const s of document.querySelectorAll(".step.here")) s.classList.remove("here");
    step.classList.add("here");
    step.focus({ preventScroll: true });
    step.scrollIntoView({ block: "nearest" });
  }

  // current is the index of the step that was last visited, -1 for none.
  function current(all) {
    const focused = document.activeElement && document.activeElement.closest(".step");
    return all.indexOf(focused || document.querySelector(".step.here") || document.querySelector(".step:target"));
  }

  function firstError() {
    go(document.querySelector(".episode .step.bad"));
  }

  const keys = {
    j: () => { const all = steps(); go(all[Math.min(current(all) + 1, all.length - 1)]); },
    k: () => { const all = steps(); go(all[Math.max(current(all) - 1, 0)]); },
    e: () => { const all = steps(), at = current(all); go(all.find((s, i) => i > at && s.classList.contains("bad")) || all.find((s) => s.classList.contains("bad"))); },
    n: () => follow("a[rel=next]"),
    p: () => follow("a[rel=prev]"),
    "/": () => { const box = document.querySelector("input[type=search]"); if (box) box.focus(); },
  };

  function follow(selector) {
    const link = [...document.querySelectorAll(selector)].find((l) => l.offsetParent);
    if (link) link.click();
  }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest("input, select, textarea")) return;
    const act = keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });

  document.addEventListener("click", (event) => {
    const link = event.target.closest("a.first-error");
    if (!link) return;
    event.preventDefault();
    go(document.getElementById(link.getAttribute("href").slice(1)));
  });

  // align gives all episodes of a pair the same number of rows.
  function align(pair) {
    const rows = Math.max(...[...pair.querySelectorAll(".episode")].map((e) => e.children.length));
    pair.style.setProperty("--rows", rows);
  }
  for (const pair of document.querySelectorAll(".pair")) align(pair);

  return { align, go, firstError };
})();
