"use strict";
(() => {
  const form = document.getElementById("filter");
  const words = document.getElementById("words");
  const shown = document.getElementById("shown");
  const items = [...document.querySelectorAll("[data-outcome]")];
  if (items.length < 2) return;
  const texts = items.map((item) => item.textContent.toLowerCase());
  const groups = [...document.querySelectorAll("[data-group]")];
  const parts = [...document.querySelectorAll("[data-part]")];
  const alive = (box) => box.querySelector("[data-outcome]:not([hidden])") !== null;

  function apply() {
    const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    let left = 0;
    items.forEach((item, at) => {
      const box = form.elements[item.dataset.outcome];
      const keep = box.checked && wanted.every((word) => texts[at].includes(word));
      item.hidden = !keep;
      left += keep ? 1 : 0;
    });
    for (const group of groups) {
      group.hidden = !alive(group);
      if (wanted.length) {
        group.dataset.was ??= String(group.open);
        group.open = !group.hidden;
      } else if (group.dataset.was) {
        group.open = group.dataset.was === "true";
        delete group.dataset.was;
      }
    }
    for (const part of parts) part.hidden = !alive(part);
    const all = left === items.length;
    shown.textContent = all ? "" : `${left} of ${items.length} shown`;
  }

  form.hidden = false;
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", apply);
  apply();
})();
