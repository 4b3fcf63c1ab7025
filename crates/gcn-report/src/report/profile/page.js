"use strict";
for (const table of document.querySelectorAll("table")) {
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const heads = [...table.tHead.rows[0].cells];
  // Cells without a number in `data-v` are compared as text.
  const value = (row, column) => {
    const cell = row.cells[column];
    return cell.dataset.v === undefined ? cell.textContent : Number(cell.dataset.v);
  };
  const compare = (a, b) =>
    typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b));
  heads.forEach((head, column) => {
    head.firstElementChild.addEventListener("click", () => {
      const descending = head.getAttribute("aria-sort") === "ascending" ||
        (head.classList.contains("n") && head.getAttribute("aria-sort") !== "descending");
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", descending ? "descending" : "ascending");
      const inOrder = column === 0 && !descending;
      const sorted = rows.filter((row) => inOrder || !row.classList.contains("gap"));
      if (!inOrder) {
        const sign = descending ? -1 : 1;
        sorted.sort((a, b) => sign * compare(value(a, column), value(b, column)));
      }
      body.replaceChildren(...sorted);
    });
  });
}
