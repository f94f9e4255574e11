// The page as a whole: what is typed is asked, what is answered is shown, and the link says it.
const examples = [
  ["Examples", null],
  ["A transpose", { map: "r:3 c:2 -> c r" }],
  ["Bit reversal on a torus", { map: "i -> rev(i)", on: "torus:4x4,all-links" }],
  ["From Gray code to binary on a cube", { map: "a -> ungray(a)", on: "cube:4", elements: "10" }],
  ["The same on 2^60 processors", { map: "a:60 -> ungray(a)", on: "cube:60", elements: "100" }],
  ["A shuffle of processor and memory", { map: "a:4 | m:4 -> m | a", on: "cube:4" }],
  ["Bit reversal on a mesh, one route at a time", { map: "i -> rev(i)", on: "mesh:4x4" }],
  ["Reversal through optical stars", { map: "i -> rev(i)", on: "pops:4,4" }],
  ["Messages through a switch", { map: "i -> rev(i)", on: "ranks:8", elements: "4" }],
  ["Cyclic to block", { map: "cyclic:2|3 => consecutive" }],
  ["A resharding in XLA's words", { map: "xla:{devices=[4,1]<=[4]} => xla:{devices=[1,4]<=[4]} --shape 4x4", on: "ranks:4" }],
  ["A butterfly network", { map: "butterfly:5", on: "cube:3" }],
];

// A main figure of each paper that the library implements.
const gallery = [
  ["Johnsson, Ho 1991: Gray code to binary, two paths at once", { map: "a -> ungray(a)", on: "cube:3", elements: "8", algorithm: "non-minimum-path" }],
  ["Nassimi, Sahni 1980: bit reversal on a mesh", { map: "i -> rev(i)", on: "mesh:8x8", algorithm: "mesh-permute" }],
  ["Johnsson, Ho: a shuffle of all to all", { map: "a:3 | m:3 -> m | a", on: "cube:3", algorithm: "all-to-all" }],
  ["Sahni 2000: reversal on a POPS network", { map: "i -> ~i", on: "pops:4,4", algorithm: "pops-stay-go" }],
  ["Johnsson, Ho 1990: a butterfly network in Gray code", { map: "butterfly:5 cyclic binary||gray", on: "cube:3" }],
];

const typing_pause = 25; // milliseconds
const drop_after = 250; // what takes longer is ended by the next question
let turn = 0;
let asked_at = 0;
let busy = false;
let typed = false; // and not yet asked

function fillForm() {
  for (const id of ["map", "on", "elements"]) if ($(id).value !== state[id]) $(id).value = state[id];
  fillGpuForm();
}

// A change that is not typed: an example, a planner, a machine.
function edit(change) {
  Object.assign(state, { step: "", follow: "" }, change, { view: "", file: "" });
  writeLink("");
  fillForm();
  update();
}

// Asks what the state says and shows it; an answer to an older question is thrown away.
async function update() {
  const mine = ++turn;
  if (busy && performance.now() - asked_at > drop_after) restartWorker();
  asked_at = performance.now();
  busy = true;
  typed = false;
  $("main").classList.add("waiting");
  const current = () => mine === turn;
  try {
    if (state.view === "file") await updateFile(current);
    else await updateMap(current);
  } finally {
    if (current()) {
      busy = false;
      if (!typed) {
        $("main").classList.remove("waiting");
        markShown();
      }
    }
  }
}

// Counts what has been shown: for whoever waits for it.
function markShown() {
  const root = document.documentElement.dataset;
  root.shown = String(Number(root.shown ?? 0) + 1);
}

function elementsAsked() {
  const text = state.elements.trim();
  if (text === "") return { elements: null };
  const power = /^2\^(\d+)$/.exec(text);
  const value = power ? 2 ** Number(power[1]) : Number(text);
  if (!/^(\d+|2\^\d+)$/.test(text) || !Number.isSafeInteger(value))
    return { fault: { ok: false, message: `elements: '${text}' is no whole number; 100 or 2^10 is one` } };
  return { elements: value };
}

const isComputation = (map) => /^\s*(butterfly|sort):(\d{1,3})(?:\s+(\S.*?))?\s*$/.exec(map);

async function updateMap(current) {
  const map = state.map;
  if (map.trim() === "") {
    showFault(null, []);
    showEmpty();
    return;
  }
  const computation = isComputation(map);
  if (computation) {
    showFault(null, []);
    showComputation(computation[1], computation[2]);
    await updatePlan(askPlan({ [computation[1]]: Number(computation[2]), layout: computation[3] ?? "cyclic" }), current);
    return;
  }
  const explaining = ask({ do: "explain", map, on: state.on.trim() || null });
  // Asked at once, so that the library goes on while the map is drawn.
  const on_gpu = updateGpu(map);
  const planning = askPlan({ map });
  const explained = await explaining;
  if (!current() || explained.dropped) return;
  map_view.asked = map;
  showFault(explained, ["map"]);
  if (explained.ok) showMap(explained);
  await on_gpu;
  if (!current()) return;
  if (!explained.ok) {
    showPlan({ ok: false, message: "The map cannot be read yet." });
    showPlayer(null);
    return;
  }
  // What was wrong with the request before this one is not said of this one.
  if (state.on.trim() !== "" && plan_view.answer?.ok !== true) showPlan({ ok: false, message: "Being planned…" });
  await updatePlan(planning, current);
}

// The plan's answer, a fault of the elements, or nothing where no machine is named.
async function askPlan(what) {
  const on = state.on.trim();
  if (on === "") return null;
  const count = elementsAsked();
  if (count.fault) return count.fault;
  return ask({ do: "plan", ...what, on, elements: count.elements, algorithm: state.algorithm || null, unverified: true });
}

async function updatePlan(planning, current) {
  const planned = await planning;
  if (!current() || planned?.dropped) return;
  if (planned === null) {
    showPlan(null);
    showPlayer(null);
    return;
  }
  if (!planned.ok) {
    // What is wrong with a field is said at the fields, and once.
    const field = planned.code === undefined ? "elements" : planned.code !== "usage" ? "" : planned.at === undefined ? "on" : "map";
    if (field) showFault(planned, [field]);
    showPlan(field ? { ok: false, message: "There is no plan: the request cannot be read, as the line below its fields says." } : planned);
    showPlayer(null);
    return;
  }
  showPlan(planned);
  // What it costs stands already; who proves it is asked now.
  const judged = await ask({ do: "judge" });
  if (!current() || judged.dropped) return;
  showPlan(judged);
  if (!judged.ok) {
    showPlayer(null);
    return;
  }
  await updateSchedule(current);
}

// The schedule that the library holds now.
async function updateSchedule(current) {
  const played = await ask({ do: "play" }, { moves: true });
  if (!current() || played.dropped) return;
  rules_view.steps = null;
  if (!played.ok) player.count = 0;
  showPlayer(played, played.numbers);
  const links = await ask({ do: "picture", what: "links" });
  if (!current() || links.dropped) return;
  showLinks(links.ok ? links.text : "");
  if (!links.ok) $("links").textContent = links.message;
  // Butterflies are drawn as what they have their name from.
  if (isComputation(state.map)) $("network").open = true;
  if ($("network").open) await loadPlaces();
  if (!current()) return;
  if (!played.ok) $("rules").open = true;
  if ($("rules").open) await loadRules();
}

async function updateFile(current) {
  if (!file_view.bytes && state.file) {
    try {
      file_view.bytes = await unpacked(state.file);
    } catch {
      toast("The schedule in this link is damaged.");
    }
  }
  showFault(null, []);
  if (!file_view.bytes) {
    showPlan({ ok: false, message: "This link is to a schedule file that is not in it; open the file." });
    showPlayer(null);
    return;
  }
  const judged = await judgeFile();
  if (!current() || judged === null) return;
  if (!judged.ok || judged.machine === null) {
    clearMap("This file says no map.");
    showPlayer(null);
    return;
  }
  const step = state.step;
  await updateSchedule(current);
  if (!current()) return;
  const said = player.replay?.map;
  if (said) {
    const explained = await ask({ do: "explain", map: said, on: judged.machine });
    if (!current() || explained.dropped) return;
    map_view.asked = said;
    if (explained.ok) showMap(explained);
    await updateGpu(said);
    if (!current()) return;
  }
  const first = judged.verdict.violations[0];
  if (first && step === "") showViolation(first);
}

function clearMap(words) {
  $("summary").textContent = words;
  for (const id of ["strands", "matrix", "array", "words"]) $(id).replaceChildren();
  $("array-words").textContent = "";
  map_view.answer = null;
  updateGpu(null);
}

// No map: results are computed on the way.
function showComputation(kind, bits) {
  const name = kind === "sort" ? "A bitonic sort of" : "A butterfly network over";
  clearMap(`${name} 2^${bits} elements on the processors of a cube. It computes, so there is no map to show.`);
}

function showEmpty() {
  clearMap("Write a map: on the left the bits of the old index, on the right where they go. Or take an example.");
  showPlan(null);
  showPlayer(null);
}

function toggleTheme(theme) {
  const root = document.documentElement;
  root.dataset.theme = theme ?? (root.dataset.theme === "dark" ? "light" : "dark");
  readInks();
  draw();
}

function onTyped(event) {
  const field = event.target.id;
  state[field] = event.target.value;
  Object.assign(state, { algorithm: "", step: "", follow: "", view: "", file: "" });
  writeLink(field);
  typed = true;
  $("main").classList.add("waiting");
  clearTimeout(onTyped.timer);
  onTyped.timer = setTimeout(update, typing_pause);
}

function onLink() {
  const read = readLink(location.hash);
  if (!read) {
    if (location.hash.length > 1 && !document.getElementById(location.hash.slice(1)))
      toast("This link is of a kind that the page does not know; it shows what it showed.");
    return;
  }
  const same = linkOf({ ...read, step: "" }) === linkOf({ ...state, step: "" });
  if (!same) {
    file_view.bytes = null;
    file_view.name = "";
  }
  Object.assign(state, read);
  fillForm();
  if (!same || $("p-play").hidden) {
    update();
    return;
  }
  showStep(Number(read.step) || 0);
  markShown();
}

function onPointer(event) {
  const replay = player.replay;
  if (!replay) return;
  const box = $("canvas").getBoundingClientRect();
  const processor = processorAt(replay, event.clientX - box.left, event.clientY - box.top);
  if (event.type === "click") {
    if (processor !== null && replay.moves) followHeld(processor);
  } else if (processor !== player.selected) {
    select(processor);
  }
}

function wire() {
  for (const id of ["map", "on", "elements"]) $(id).addEventListener("input", onTyped);
  for (const id of gpu_fields) $(id).addEventListener("input", onGpu);
  for (const id of ["ask", "gpu-form"]) $(id).addEventListener("submit", (event) => event.preventDefault());
  const all = [...examples, ...gallery];
  $("examples").append(
    ...examples.map(([name], i) => element("option", { value: i }, name)),
    element("optgroup", { label: "The papers' figures" }, ...gallery.map(([name], i) => element("option", { value: examples.length + i }, name))),
  );
  $("examples").addEventListener("change", (event) => {
    const chosen = all[Number(event.target.value)][1];
    if (chosen) edit({ map: "", on: "", elements: "", algorithm: "", ...chosen });
    event.target.value = "0";
  });
  const clicks = { open: () => $("file").click(), link: copyLink, save: openSave, theme: () => toggleTheme(), help: openHelp, "copy-kernel": copyKernel, first: () => stepTo(0), back: () => stepBy(-1), play, next: () => stepBy(1), last: () => stepTo(player.count), unfollow };
  for (const [id, action] of Object.entries(clicks)) $(id).addEventListener("click", action);
  $("step").addEventListener("input", (event) => stepTo(Number(event.target.value)));
  $("file").addEventListener("change", (event) => {
    if (event.target.files.length) openFile(event.target.files[0]);
    event.target.value = "";
  });
  $("follow-form").addEventListener("submit", (event) => {
    event.preventDefault();
    followText(`${$("follow-processor").value}.${$("follow-slot").value || 0}`);
  });
  $("network").addEventListener("toggle", () => $("network").open && !$("p-play").hidden && loadPlaces());
  $("contents").addEventListener("toggle", showCells);
  $("rules").addEventListener("toggle", () => (rules_view.steps ? showRules() : $("rules").open && loadRules()));
  for (const type of ["pointermove", "click"]) $("canvas").addEventListener(type, onPointer);
  $("canvas").addEventListener("pointerleave", () => player.replay && select(null));
  document.addEventListener("keydown", onKey);
  window.addEventListener("popstate", onLink);
  window.addEventListener("hashchange", onLink);
  window.addEventListener("resize", () => {
    if (!player.replay) return;
    fitCanvas(player.replay);
    draw();
  });
  wireDrops();
  watchFigures();
}

function wireDrops() {
  const carries = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
  document.addEventListener("dragover", (event) => {
    if (!carries(event)) return;
    event.preventDefault();
    $("drop").hidden = false;
  });
  document.addEventListener("dragleave", (event) => {
    if (event.relatedTarget === null) $("drop").hidden = true;
  });
  document.addEventListener("drop", (event) => {
    $("drop").hidden = true;
    if (!carries(event)) return;
    event.preventDefault();
    if (event.dataTransfer.files.length) openFile(event.dataTransfer.files[0]);
  });
}

async function begin() {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  toggleTheme(dark.matches ? "dark" : "light");
  dark.addEventListener("change", () => toggleTheme(dark.matches ? "dark" : "light"));
  wire();
  const content = JSON.parse($("content").textContent);
  if (content?.schedule !== undefined) {
    file_view.bytes = new TextEncoder().encode(content.schedule);
    file_view.name = content.name ?? "";
    file_view.goal = content.goal ?? null;
    file_view.baked = content.verdict ?? null;
  }
  const read = readLink(location.hash) ?? readLink(content?.link ?? "");
  Object.assign(state, read ?? { map: "a -> ungray(a)", on: "cube:4", elements: "10" });
  if (!read && file_view.bytes) Object.assign(state, { map: "", on: "", elements: "", view: "file" });
  fillForm();
  writeFirst();
  try {
    await startWorker();
  } catch (error) {
    if (file_view.baked) showVerdict({ ok: true, verdict: file_view.baked });
    showFault({ ok: false, message: `The library inside this page could not be started (${error.message}). It needs WebAssembly with exceptions: Chrome 95, Firefox 113, Safari 16.4 or later.` }, []);
    return;
  }
  $("gpu").append(...(await ask({ do: "gpus" })).gpus.map(({ name, words }) => element("option", { value: name }, words)));
  fillGpuForm();
  const about = await ask({ do: "planners" });
  for (const one of about.planners) plan_view.about.set(one.name, one);
  $("version").textContent = `faro ${about.version}.`;
  save_view.formats = (await ask({ do: "formats" })).formats;
  await update();
  document.documentElement.dataset.ready = "true";
}

// For the console: what the page asks can be asked there too.
window.faro = { ask };
begin();
