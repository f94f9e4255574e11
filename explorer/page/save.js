// Everything that can be kept: pictures, the schedule, other tools' formats, the page with what it shows.
const pristine = "<!doctype html>\n" + document.documentElement.outerHTML;
const save_view = { formats: [] };

function download(name, content, type) {
  const address = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  const anchor = element("a", { href: address, download: name });
  document.body.append(anchor);
  anchor.click();
  anchor.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

async function saveText(request, name, type) {
  const answer = await ask(request);
  if (!answer.ok) toast(answer.message);
  else download(name, answer.hex === undefined ? answer.text : bytesOf(answer.hex), type);
}

function bytesOf(hex) {
  const bytes = new Uint8Array(hex.length / 2);
  for (let i = 0; i < bytes.length; ++i) bytes[i] = Number.parseInt(hex.slice(2 * i, 2 * i + 2), 16);
  return bytes;
}

function saveFigure(request, name, format) {
  if (format === "png") return savePng(request, name);
  const [ending, type] = format === "tikz" ? [".tex", "text/x-tex"] : [".svg", "image/svg+xml"];
  return saveText({ ...request, format }, name + ending, type);
}

async function savePng(request, name) {
  const answer = await ask(request);
  if (!answer.ok) {
    toast(answer.message);
    return;
  }
  const address = URL.createObjectURL(new Blob([answer.text], { type: "image/svg+xml" }));
  const image = new Image();
  image.src = address;
  await image.decode();
  const scale = Math.min(3, 8000 / Math.max(image.naturalWidth, image.naturalHeight));
  const canvas = element("canvas", { width: Math.round(image.naturalWidth * scale), height: Math.round(image.naturalHeight * scale) });
  const g = canvas.getContext("2d");
  g.fillStyle = matchMedia("(prefers-color-scheme: dark)").matches ? "#161616" : "#ffffff";
  g.fillRect(0, 0, canvas.width, canvas.height);
  g.drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(address);
  canvas.toBlob((blob) => download(name + ".png", blob), "image/png");
}

// This page, with what it shows baked in.
async function saveCopy() {
  const content = { link: linkOf({ ...state, file: "" }) };
  if (state.view === "file" && file_view.bytes) {
    content.schedule = new TextDecoder().decode(file_view.bytes);
    content.name = file_view.name;
  }
  const text = JSON.stringify(content).replaceAll("<", "\\u003c");
  const page = pristine.replace(/(<script type="application\/json" id="content">)[^]*?(<\/script>)/, (_, begin, end) => begin + text + end);
  download("faro-explorer.html", page, "text/html");
}

async function copyLink() {
  const tooLong = state.view === "file" && state.file === "";
  if (tooLong) {
    toast("This schedule is too long for a link; save the page with it instead (s).");
    return;
  }
  try {
    await navigator.clipboard.writeText(location.href);
    toast("The link is copied.");
  } catch {
    toast("The link is in the address bar.");
  }
}

function saveRow(name, buttons) {
  return element("div", {}, element("span", {}, name), ...buttons.map(([text, action]) => element("button", { type: "button", onclick: action }, text)));
}

function figureRow(name, request, file) {
  return saveRow(name, [
    ["SVG", () => saveFigure(request, file, "svg")],
    ["PNG", () => saveFigure(request, file, "png")],
    ["TikZ", () => saveFigure(request, file, "tikz")],
  ]);
}

function openSave() {
  const list = $("save-list");
  list.replaceChildren();
  if (map_view.answer?.ok) {
    const asked = { do: "figure", map: map_view.asked, on: state.on };
    for (const [what, name] of [["strands", "Where each bit goes"], ["matrix", "The matrix"], ["array", "The array"]])
      if (map_view.answer.figures[what]) list.append(figureRow(name, { ...asked, what }, "map-" + what));
  }
  const kernel = $("gpu-text").textContent;
  if (kernel) list.append(saveRow("The kernel for a GPU", [["its text", () => download("faro_permute" + kernel_endings[state.language || "cuda"], kernel, "text/plain")]]));
  if (!$("p-play").hidden) {
    list.append(figureRow("Links over time", { do: "picture", what: "links" }, "links"));
    if (player.replay && player.replay.processors <= 256) {
      list.append(figureRow("The machine, this step", { do: "picture", what: "machine", step: Math.min(player.step, player.count - 1) }, `step-${player.step}`));
      if (player.count <= 64 && player.replay.processors * player.replay.slots <= 128)
        list.append(figureRow("As a network", { do: "picture", what: "places" }, "network"));
      if (player.count <= 64) list.append(figureRow("Every step", { do: "picture", what: "steps" }, "steps"));
    }
    list.append(saveRow("The schedule", [["faro-schedule/1", () => saveText({ do: "schedule" }, "schedule.json", "application/json")]]));
    list.append(saveRow("For other tools", save_view.formats.map((format) => [format.name, () => saveText({ do: "export", format: format.name }, "schedule" + format.ending, "text/plain")])));
  }
  list.append(saveRow("This page with what it shows", [["offline copy", saveCopy]]));
  $("save-dialog").showModal();
}
