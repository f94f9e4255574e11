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
  showFigure("matrix", answer.figures.matrix);
  showWords(map);
  const array = showFigure("array", answer.figures.array);
  $("array-words").textContent = array
    ? "A colour is an eighth of the old array; the number is the index where the element was."
    : `An array of 2^${map.width} elements is too large to draw; some of its elements are in the words above.`;
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
