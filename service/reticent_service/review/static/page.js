// Counters stay live while the page is looked at; without this script they are those of the moment it was made.
"use strict";
const cells = document.querySelectorAll("[data-counter]");
async function refresh() {
  if (document.hidden) return;
  const answer = await fetch("counters", { headers: { accept: "application/json" } }).catch(() => null);
  if (!answer || !answer.ok) return;
  const told = await answer.json();
  for (const cell of cells) {
    const [surface, name] = cell.dataset.counter.split(".");
    cell.textContent = String((told[surface] || {})[name] || 0);
  }
}
if (cells.length) setInterval(refresh, 3000);
