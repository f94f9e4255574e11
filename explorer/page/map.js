// What the map does: pictures of the library, its facts in words, examples.
const map_view = { answer: null, asked: "" };

const class_words = {
  identity: "nothing moves",
  complement: "bits are inverted, none changes its place",
  "bit-permutation": "bits change places, none is inverted",
  bpc: "bits change places and some are inverted",
  linear: "some new bit is a sum of several old ones; index 0 stays",
  affine: "some new bit is a sum of several old ones; some are inverted",
};

function showFault(answer, fields) {
  const fault = $("fault");
  for (const id of ["map", "on", "elements"]) $(id).removeAttribute("aria-invalid");
  if (!answer || answer.ok) {
    fault.hidden = true;
    fault.textContent = "";
    return;
  }
  fault.textContent = answer.message;
  fault.hidden = false;
  for (const id of fields) $(id).setAttribute("aria-invalid", "true");
}

function showMap(answer) {
  map_view.answer = answer;
  if (!answer.ok) return;
  const map = answer.map;
  $("summary").textContent =
    `${map.class}: ${class_words[map.class] ?? ""} · ${plural(map.width, "bit")} · ` +
    `${map.moved} of ${2n ** BigInt(map.width)} elements move`;
  showFigure("strands", answer.figures.strands);
  if (answer.figures.matrix || map.width === 0) showFigure("matrix", answer.figures.matrix);
  else $("matrix").replaceChildren(wideMatrix(map));
  showWords(map);
  const array = showFigure("array", answer.figures.array);
  $("array-words").textContent = array
    ? "A colour is an eighth of the old array; the number is the index where the element was."
    : `An array of 2^${map.width} elements is too large to draw; some of its elements are in the words above.`;
}

// The matrix of many bits, as two shapes: the page is to keep pace with typing.
function wideMatrix(map) {
  const cell = 9;
  const left = 28;
  const top = 18;
  const side = cell * map.width;
  const columns = map.columns.map(BigInt);
  let filled = "";
  let grid = "";
  for (let row = 0; row < map.width; ++row)
    for (let b = 0; b < map.width; ++b) {
      const place = `M${left + cell * (map.width - 1 - b)} ${top + cell * (map.width - 1 - row)}h8v8h-8z`;
      if ((columns[b] >> BigInt(row)) & 1n) filled += place;
      else grid += place;
    }
  const figure = drawn("svg", { class: "faro-figure wide-matrix", role: "img", width: left + side + 8, height: top + side + 8, viewBox: `0 0 ${left + side + 8} ${top + side + 8}`, "font-size": 10 });
  figure.append(drawn("title", {}, map.canonical), drawn("desc", {}, "Row b is new bit b, column b old bit b; filled where the old bit is in the sum. In words below."));
  figure.append(drawn("path", { class: "grid", d: grid }), drawn("path", { class: "cells", d: filled }));
  for (let b = 0; b < map.width; b += 10) {
    figure.append(drawn("text", { x: left + cell * (map.width - 1 - b) + 4, y: 12, "text-anchor": "middle" }, map.labels[b]));
    figure.append(drawn("text", { x: left - 4, y: top + cell * (map.width - 1 - b) + 8, "text-anchor": "end" }, String(b)));
  }
  return figure;
}

function showWords(map) {
  const words = $("words");
  const rows = [
    ["canonical", map.canonical],
    ["inverse", map.inverse],
    ["cut", map.cut.kind === "none" ? "" : `${plural(map.cut.processor_bits, "bit")} say the processor`],
  ];
  const table = element("table", {}, element("caption", { class: "dim" }, "The map"));
  for (const [name, text] of rows)
    if (text) table.append(element("tr", {}, element("th", { scope: "row" }, name), element("td", { class: "code" }, text)));
  for (let b = map.width - 1; b >= 0; --b)
    table.append(
      element("tr", {}, element("th", { scope: "row" }, `new bit ${b}`), element("td", { class: "code" }, map.rows[b])),
    );
  for (const example of map.examples)
    table.append(
      element("tr", {}, element("th", { scope: "row" }, `index ${example.from}`), element("td", { class: "code" }, `goes to ${example.to}`)),
    );
  const bounds = element("table", {}, element("caption", { class: "dim" }, "What it takes at least, by machine"));
  for (const row of map.bounds)
    bounds.append(
      element(
        "tr",
        {},
        element("th", { scope: "row" }, element("button", { type: "button", onclick: () => edit({ on: row.machine, algorithm: "" }) }, row.machine)),
        element("td", { class: "number" }, `${row.value} ${row.unit}`),
        element("td", {}, row.reason),
      ),
    );
  words.replaceChildren(table, ...(map.bounds.length ? [bounds] : []));
}
