// The episodes inside a report: filters the list, unpacks episodes and shows one or
// two of them. They were rendered when the report was written. The address says
// what is shown: #episode=KEY, with=KEY for a second one, step=N for a step.
"use strict";
(() => {
  const bundle = document.getElementById("bundle");
  if (!bundle) return;
  const rows = [...bundle.querySelectorAll("tr[data-key]")];
  const byKey = new Map(rows.map((row) => [row.dataset.key, row]));
  const form = bundle.querySelector("form"), count = bundle.querySelector(".count"), told = count.textContent;
  const shown = document.getElementById("shown"), place = document.getElementById("episode"), beside = document.getElementById("beside");
  const chunks = new Map();

  // unpack returns the episodes of a chunk: their HTML by key.
  function unpack(number) {
    if (!chunks.has(number)) {
      const bytes = Uint8Array.from(atob(document.getElementById(`episodes-${number}`).textContent), (c) => c.charCodeAt(0));
      const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
      chunks.set(number, new Response(stream).json());
    }
    return chunks.get(number);
  }

  async function html(row) {
    return (await unpack(row.dataset.chunk))[row.dataset.key];
  }

  const address = (key, other) => `#episode=${encodeURIComponent(key)}${other ? `&with=${encodeURIComponent(other)}` : ""}`;

  // show shows what the address says.
  async function show() {
    const wanted = new URLSearchParams(location.hash.slice(1));
    const row = byKey.get(wanted.get("episode")), other = byKey.get(wanted.get("with"));
    if (!row) {
      if (!location.hash || location.hash === "#bundle") shown.hidden = true;
      return;
    }
    const articles = [await html(row)];
    if (other) articles.push(await html(other));
    place.innerHTML = articles.join("");
    place.className = other ? "pair" : "";
    if (other) trajectory.align(place);
    offer(row, other);
    shown.hidden = false;
    const step = wanted.get("step");
    if (step) trajectory.go(document.getElementById(`${place.firstElementChild.id}-${step}`));
    else shown.scrollIntoView();
    document.documentElement.dataset.shown = row.dataset.key;
  }

  // offer links the neighbours of an episode in the list and lists the others of its
  // task.
  function offer(row, other) {
    const visible = rows.filter((r) => !r.hidden), at = visible.indexOf(row);
    for (const [rel, near] of [["prev", visible[at - 1]], ["next", at < 0 ? undefined : visible[at + 1]]]) {
      const link = shown.querySelector(`a[rel=${rel}]`);
      link.hidden = !near;
      if (near) link.href = address(near.dataset.key);
    }
    const same = rows.filter((r) => r !== row && r.dataset.task === row.dataset.task);
    beside.parentElement.hidden = same.length === 0;
    beside.replaceChildren(new Option("none", ""), ...same.map((r) => new Option(r.dataset.title, r.dataset.key, false, r === other)));
    beside.onchange = () => { location.hash = address(row.dataset.key, beside.value); };
  }

  // text is an episode without its tags, in lower case. A wanted text is compared as
  // html/template writes it.
  const text = (source) => source.replace(/<[^>]*>/g, "").toLowerCase();
  const entities = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&#34;", "'": "&#39;", "+": "&#43;" };
  const written = (wanted) => wanted.toLowerCase().replace(/[&<>"'+]/g, (c) => entities[c]);

  const fields = [["env", "env"], ["type", "kind"], ["model", "model"], ["outcome", "outcome"]]; // of the form, of rows
  let latest = 0;
  async function filter() {
    const mine = ++latest, values = new FormData(form), wanted = written(String(values.get("text") || ""));
    let n = 0;
    for (const row of rows) {
      let fits = true;
      for (const [key, field] of fields) fits &&= !values.get(key) || row.dataset[field] === values.get(key);
      if (fits && wanted) fits = text(await html(row)).includes(wanted);
      if (mine !== latest) return;
      row.hidden = !fits;
      if (fits) n++;
    }
    count.textContent = n === rows.length ? told : `${n} match; ${told} in this file`;
  }

  // The link to a step also says which episode it is of.
  place.addEventListener("click", (event) => {
    const link = event.target.closest(".step h3 a");
    if (!link) return;
    event.preventDefault();
    const wanted = new URLSearchParams(location.hash.slice(1));
    wanted.set("step", link.getAttribute("href").match(/[0-9]+$/)[0]);
    location.hash = wanted;
  });

  form.addEventListener("submit", (event) => { event.preventDefault(); filter(); });
  form.addEventListener("change", filter);
  addEventListener("hashchange", show);
  show();
})();
