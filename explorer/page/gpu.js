// The map as one pass over a GPU's memory: what it moves, counted; the tile, the lanes and the swizzle as
// tables of bits; the kernel, and the lines that launch it.
const gpu_view = { turn: 0, map: null };
const gpu_fields = ["gpu", "element", "language", "in_place"];
const kernel_endings = { cuda: ".cu", hip: ".hip", opencl: ".cl" };
const shared_bits = 14; // an address within a tile, which has at most 16 KiB

function fillGpuForm() {
  $("gpu").value = state.gpu || "any";
  $("language").value = state.language || "cuda";
  $("element").value = state.element || "4";
  $("in_place").checked = state.in_place !== "";
}

function onGpu(event) {
  const field = event.target.id;
  const plain = { gpu: "any", language: "cuda", element: "4" }[field];
  const value = event.target.type === "checkbox" ? (event.target.checked ? "1" : "") : event.target.value.trim();
  state[field] = value === plain ? "" : value;
  writeLink(field);
  updateGpu(gpu_view.map).then(markShown);
}

// Nothing for what is no map.
async function updateGpu(map) {
  const mine = ++gpu_view.turn;
  gpu_view.map = map;
  $("p-gpu").hidden = map === null;
  if (map === null) {
    $("gpu-text").replaceChildren();
    return;
  }
  const bytes = state.element || "4";
  const answer = /^\d{1,9}$/.test(bytes)
    ? await ask({ do: "gpu", map, on: state.on.trim() || null, gpu: state.gpu, element: Number(bytes), language: state.language, in_place: state.in_place !== "" })
    : { ok: false, message: `elements of '${bytes}' bytes: wanted a whole number, 1 to 64` };
  if (mine === gpu_view.turn && !answer.dropped) showGpu(answer);
}

function showGpu(answer) {
  for (const id of ["gpu-counts", "gpu-tables", "gpu-text", "gpu-call"]) $(id).replaceChildren();
  $("gpu-bits").hidden = $("gpu-kernel").hidden = !answer.ok;
  if (!answer.ok) {
    // What is wrong with the map is said at its field.
    $("gpu-words").textContent = answer.at === undefined ? answer.message : "The map cannot be read yet.";
    return;
  }
  const plan = answer.plan;
  $("gpu-words").textContent =
    `One pass, kind ${plan.kind}: ${plural(plan.blocks, "block")} of ${plural(plan.threads, "thread")}, ` +
    `a tile of ${plural(plan.tile_bytes, "byte")}, ${plan.shared_bytes} of shared memory a block.`;
  $("gpu-counts").append(gpuCounts(plan));
  $("gpu-tables").append(...(plan.windows ? plan.windows.map(windowTable) : bitTables(plan)));
  $("gpu-text").append(element("pre", {}, answer.text));
  $("gpu-call").append(element("pre", {}, callOf(plan, state.language || "cuda")));
}

// Sectors, lines and conflicts beside the ideal and beside the plain loop.
function gpuCounts(plan) {
  const { certificate: kernel, plain } = plan;
  if (!kernel.counted)
    return element("p", { class: "dim" }, "Requests are not counted: the axes or the elements are no powers of two. Runs are whole all the same.");
  const rows = [];
  for (const [side, what] of [["read", "read"], ["written", "written"]])
    for (const count of ["sectors", "lines"]) rows.push([`${count} ${what}`, kernel[side][count], kernel[side]["ideal_" + count], plain[side][count]]);
  for (const [side, what] of [["store", "storing"], ["load", "loading"]])
    if (kernel[side]) rows.push([`ways of bank conflict, ${what}`, kernel[side].conflict, 1, ""]);
  const table = element("table", { id: "gpu-numbers" }, element("caption", { class: "dim" }, "What it asks of memory, exactly"));
  table.append(element("thead", {}, element("tr", {}, ...["", "kernel", "ideal", "plain loop"].map((text, i) => element(i ? "th" : "td", i ? { scope: "col", class: "number" } : {}, text)))));
  table.append(
    element("tbody", {}, ...rows.map(([name, ours, ideal, loop]) =>
      element("tr", {}, element("th", { scope: "row" }, name),
        element("td", { class: ours === ideal ? "number good" : "number" }, String(ours)), element("td", { class: "number" }, String(ideal)), element("td", { class: "number" }, String(loop))))),
  );
  return table;
}

function bitTables(plan) {
  const threads = Math.log2(plan.threads);
  const lane = (_, i) => (i < threads ? `thread bit ${i}` : `access bit ${i - threads}`);
  const unit = plan.unit_bytes === plan.element_bytes ? "" : ` of ${plural(plan.unit_bytes, "byte")}`;
  const tables = [
    bitTable("The tile: sums of these are what a block moves", `bit of the source's index${unit}`, plan.tile, plan.index_bits, (_, i) => `vector ${i}`),
    bitTable("The lanes, where they read", `bit of the source's index${unit}`, plan.lanes_read, plan.index_bits, lane),
    bitTable("The lanes, where they write", `bit of the destination's index${unit}`, plan.lanes_written, plan.index_bits, lane),
  ];
  if (plan.kind === "tile")
    tables.push(
      bitTable("The swizzle: where what is read is stored", "bit of the byte in shared memory", plan.swizzle_stored, shared_bits, lane),
      bitTable("The swizzle: where what is written is loaded", "bit of the byte in shared memory", plan.swizzle_loaded, shared_bits, lane),
    );
  return tables;
}

// A row a vector, its highest bit first.
function bitTable(caption, columns, vectors, width, name) {
  const table = element("table", { class: "bits" }, element("caption", {}, caption));
  table.append(element("thead", {}, element("tr", {}, element("td"), element("th", { scope: "col" }, width > 1 ? `${columns}, ${width - 1} to 0` : columns))));
  const body = element("tbody");
  vectors.forEach((vector, i) => {
    const cell = element("td", { class: "code" });
    for (const digit of BigInt(vector).toString(2).padStart(width, "0")) cell.append(digit === "1" ? element("b", {}, "1") : ".");
    body.append(element("tr", {}, element("th", { scope: "row" }, name(vector, i)), cell));
  });
  table.append(body);
  return table;
}

function windowTable(window) {
  const table = element("table", { class: "bits" }, element("caption", {}, `A window of axes, in ${plural(window.blocks, "block")}`));
  for (const axis of window.axes)
    table.append(element("tr", {}, element("th", { scope: "row" }, `axis of ${axis.length}`), element("td", { class: "code" }, `${axis.in_a_window} in a window`)));
  return table;
}

// What a program does with the text, to be pasted below it.
function callOf(plan, language) {
  const name = "faro_permute";
  const arrays = plan.in_place ? "x" : "x, y";
  const what = plan.in_place ? "x: an array in C order, aligned to 16 bytes" : "x, y: arrays in C order, aligned to 16 bytes, that do not overlap";
  if (language === "opencl")
    return `# text: the kernel; ${what}\nkernel = pyopencl.Program(context, text).build().${name}\nkernel(queue, (${plan.blocks * plan.threads},), (${plan.threads},), ${arrays})\n`;
  return `# text: the kernel; ${what}; in C++: ${name}<<<${plan.blocks}, ${plan.threads}>>>(${arrays})\nkernel = cupy.RawKernel(text, "${name}")\nkernel((${plan.blocks},), (${plan.threads},), (${arrays}${plan.in_place ? "," : ""}))\n`;
}

async function copyKernel() {
  try {
    await navigator.clipboard.writeText($("gpu-text").textContent);
    toast("The kernel is copied.");
  } catch {
    getSelection().selectAllChildren($("gpu-text"));
    toast("The kernel is selected: copy it.");
  }
}
