// Hides the rows that the filters leave out.
"use strict";
(() => {
  const form = document.getElementById("filters");
  const rows = [...document.querySelectorAll("tr.result")];
  const fits = (row, of) => {
    const size = Number(row.dataset.size);
    const data = row.dataset.training;
    if (of.text.value && !row.textContent.toLowerCase().includes(of.text.value.toLowerCase())) return false;
    if (of.least.value && !(size >= Number(of.least.value))) return false;
    if (of.most.value && !(size > 0 && size <= Number(of.most.value))) return false;
    if (of.data.value === "declared" && data === "not declared") return false;
    if (of.data.value === "none" && data !== "none") return false;
    return !of.checked.checked || row.dataset.checked === "true";
  };
  const apply = () => {
    rows.forEach((row) => { row.hidden = !fits(row, form.elements); });
    const shown = rows.filter((row) => !row.hidden).length;
    document.getElementById("shown").textContent = shown === rows.length ? "" : `${shown} of ${rows.length} rows`;
  };
  form.addEventListener("input", apply);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
  apply();
})();
