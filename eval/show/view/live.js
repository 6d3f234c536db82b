// Keeps the panel of a run's page up to date. The server renders the panel, so
// nothing from records is put together here.
"use strict";
(() => {
  const panel = document.getElementById("live");
  if (!panel || !window.EventSource) return;
  const listed = Number(panel.dataset.episodes);
  function show(message) {
    const state = JSON.parse(message.data);
    const open = [...panel.querySelectorAll("details")].map((d) => d.open);
    panel.innerHTML = state.html;
    panel.querySelectorAll("details").forEach((d, i) => { if (i in open) d.open = open[i]; });
    const more = document.getElementById("more");
    if (more && state.episodes > listed) {
      more.hidden = false;
      const n = state.episodes - listed;
      more.querySelector("a").textContent = `${n} more ${n === 1 ? "episode has" : "episodes have"} ended: show them`;
    }
    document.documentElement.dataset.live = state.running ? "running" : "ended";
  }

  // A browser has few connections to one server, so pages that nobody sees give theirs back.
  let events;
  function follow() {
    events?.close();
    if (document.hidden) return;
    events = new EventSource("live");
    events.onmessage = show;
  }
  document.addEventListener("visibilitychange", follow);
  follow();
})();
