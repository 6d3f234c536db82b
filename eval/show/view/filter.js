// Lists that follow what is typed, and runs that begin meanwhile; the keys of all pages. The
// server renders the lists: what follows the form is replaced.
"use strict";
(() => {
  const form = document.querySelector("form.filter");
  let reading = new AbortController();

  // load replaces the list by that of another address. The server gives up a search that nobody waits for.
  async function load(address) {
    reading.abort();
    reading = new AbortController();
    const answer = await fetch(address, reading).catch(() => null);
    const text = answer?.ok && await answer.text().catch(() => "");
    const page = text && new DOMParser().parseFromString(text, "text/html");
    const next = page && page.querySelector("form.filter");
    if (!next) return;
    while (form.nextSibling) form.nextSibling.remove();
    while (next.nextSibling) form.parentElement.append(next.nextSibling);
    form.querySelector(".reset").hidden = next.querySelector(".reset").hidden;
    document.querySelector(".lead")?.replaceWith(page.querySelector(".lead") || "");
  }

  // address is that of the list which the form describes.
  function address() {
    const values = [...new FormData(form)].filter(([, value]) => value !== "");
    return `${location.pathname}?${new URLSearchParams(values)}`;
  }

  let waiting;
  function filter(event) {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      history.replaceState(null, "", address());
      load(location.href);
    }, event.type === "input" ? 250 : 0);
  }

  if (form) {
    form.addEventListener("input", filter);
    form.addEventListener("submit", (event) => { event.preventDefault(); filter(event); });
  }
  if (document.getElementById("runs-list")) {
    setInterval(() => {
      const chosen = document.querySelector(".runs input:checked"), busy = document.querySelector("dialog[open]");
      if (!document.hidden && !chosen && !busy) load(location.href);
    }, 5000);
  }

  // Copy puts the address of the page, as it is filtered, into the clipboard.
  document.addEventListener("click", async (event) => {
    const button = event.target.closest("button.copy");
    if (!button) return;
    await navigator.clipboard.writeText(location.href);
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy link"; }, 1500);
  });

  // The dialog with the keys.
  const keys = document.getElementById("keys");
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest("input, select, textarea")) return;
    if (event.key === "/") {
      const box = document.querySelector("input[type=search]");
      if (box) { event.preventDefault(); box.focus(); }
    }
    if (event.key === "?") {
      event.preventDefault();
      if (keys.open) keys.close(); else keys.showModal();
    }
  });
})();
