// The schedule, step by step: controls, words for each step, what processors hold, one element's way.
const player = { replay: null, step: 0, timer: 0, selected: null, token: undefined, path: null, wrong: null, part: 0.5, links: null, still: matchMedia("(prefers-reduced-motion: reduce)") };

const step_milliseconds = 900; // of a small machine; those too large to follow go faster

function showPlayer(answer, numbers) {
  stopPlaying();
  player.replay = null;
  player.path = null;
  player.token = undefined;
  player.selected = null;
  $("path").replaceChildren();
  $("p-play").hidden = !answer;
  if (!answer) return;
  const small = answer.ok;
  for (const id of ["machine", "follow", "contents"]) $(id).hidden = !small;
  if (!small) {
    $("said").textContent =
      answer.code === "limit"
        ? "This machine is too large to show its processors one by one. The use of its links and the rules of each step, below, are for all of them."
        : answer.message;
    return;
  }
  player.replay = new Replay(answer.play, numbers);
  fitCanvas(player.replay);
  const wanted = Number(state.step);
  setStepRange(player.replay.count);
  showStep(Number.isInteger(wanted) && state.step !== "" ? wanted : 0);
  if (state.follow) followText(state.follow);
}

function setStepRange(count) {
  player.count = count;
  const slider = $("step");
  slider.max = String(count);
  slider.disabled = count === 0;
}

// Step `step` is about to happen; at the number of steps everything has.
function showStep(step, more = {}) {
  player.step = Math.max(0, Math.min(player.count, step));
  $("step").value = String(player.step);
  player.part = more.part ?? 0.5;
  const replay = player.replay;
  $("where").textContent = player.step === player.count ? `after all ${player.count}` : `step ${player.step}, the last is ${player.count - 1}`;
  if (replay) {
    draw();
    if (!player.timer || player.still.matches || replay.processors <= 64) sayStep();
    if ($("contents").open) showCells();
  }
  showRules();
  markLinks();
  if (!player.timer) {
    state.step = player.step === 0 ? "" : String(player.step);
    writeLink("step");
  }
}

function draw() {
  if (!player.replay) return;
  drawMachine(player.replay, player.step, player.part, { selected: player.selected, token: player.token, path: player.path, wrong: player.wrong });
}

function sayStep() {
  const replay = player.replay;
  if (player.step === replay.count) {
    const cut = replay.cut ? ` The rest cannot be shown: ${replay.cut}` : "";
    $("said").textContent = `After the last step: ${costWords(replay)}.${cut}`;
    $("canvas").setAttribute("aria-label", `${replay.machine} after the last step`);
    return;
  }
  const [number, start, length, moves] = replay.steps[player.step];
  let remote = 0;
  for (let i = replay.first[player.step]; i < replay.first[player.step + 1]; ++i)
    if (replay.numbers[i * 7] !== replay.numbers[i * 7 + 2]) ++remote;
  const time = length === 0 ? "inside processors, free" : length === 1 ? `unit ${start + 1} of time` : `units ${start + 1} to ${start + length} of time`;
  const firstMove = moves ? replay.moveOf(replay.first[player.step]) : null;
  const words = firstMove
    ? ` First: ${elementWords(replay, firstMove)} from processor ${firstMove.from} to ${firstMove.to}${channelWords(replay, firstMove)}.`
    : "";
  $("said").textContent = `Step ${number}, ${time}: ${plural(remote, "element")} between processors, ${moves - remote} inside.${words}`;
  $("canvas").setAttribute("aria-label", `${replay.machine}, step ${number}: ${plural(moves, "move")}`);
}

function costWords(replay) {
  const last = replay.steps.at(-1);
  const free = replay.steps.filter((step) => step[2] === 0).length;
  const time = last ? last[1] + last[2] : 0;
  return `${plural(replay.count, "step")}, of which ${free} inside processors are free; ${plural(time, "unit")} of time`;
}

function elementWords(replay, move) {
  if (move.home === nobody) return "a value";
  return replay.elements === 1 || replay.program ? `the element of ${move.home}` : `element ${move.home_slot} of ${move.home}`;
}

function channelWords(replay, move) {
  const name = replay.channels[move.channel];
  if (!name || (move.from === move.to && replay.kind !== "pops")) return "";
  // Of a mesh the file says +0 and -0.
  const way = /^([+-])(\d+)$/.exec(name);
  return way ? `, ${way[1] === "+" ? "up" : "down"} along dimension ${way[2]}` : `, ${name}`;
}

// ---- playing

function stopPlaying() {
  cancelAnimationFrame(player.timer);
  player.timer = 0;
  $("play").setAttribute("aria-pressed", "false");
}

function play() {
  if (player.timer) {
    stopPlaying();
    showStep(player.step);
    return;
  }
  if (!player.count) return;
  if (player.step >= player.count) showStep(0);
  $("play").setAttribute("aria-pressed", "true");
  const pace = player.replay && player.replay.processors > 256 ? 33 : step_milliseconds;
  let began = performance.now();
  const frame = (now) => {
    player.timer = requestAnimationFrame(frame);
    // A frame may have begun before the click that asked for it.
    const part = Math.max(0, now - began) / pace;
    if (part >= 1) {
      began += pace * Math.floor(part);
      const next = player.step + Math.floor(part);
      showStep(next, { part: player.still.matches ? 0.5 : 0 });
      if (player.step >= player.count) {
        stopPlaying();
        showStep(player.count);
      }
    } else if (!player.still.matches && player.replay && player.replay.processors <= 256) {
      player.part = part;
      draw();
    }
  };
  player.timer = requestAnimationFrame(frame);
}

// ---- contents, and one element

const cells_shown_max = 4096;

function showCells() {
  const replay = player.replay;
  if (!replay) return;
  const cells = replay.goTo(player.step);
  const table = element("table", { id: "cell-table" });
  table.append(element("caption", { class: "dim" }, "By processor: slot: element, as its processor.slot at the start"));
  const processors = Math.max(1, Math.min(replay.processors, Math.floor(cells_shown_max / replay.slots)));
  const registers = ["R", "S", "T"];
  for (let p = 0; p < processors; ++p) {
    const row = element("tr", { "data-processor": p }, element("th", { scope: "row" }, String(p)));
    for (let s = 0; s < replay.slots; ++s) {
      const token = cells[p * replay.slots + s];
      if (token === nobody) continue;
      const text = replay.wordsOf(token);
      row.append(
        element("td", { "data-slot": s, "data-element": token }, element("button", { type: "button", title: "Follow this element", onclick: () => follow(token) }, `${replay.program ? registers[s] : s}: ${text}`)),
      );
    }
    table.append(row);
  }
  const rest = replay.processors - processors;
  $("cells").replaceChildren(table, ...(rest > 0 ? [element("p", { class: "dim" }, `and ${rest} processors more`)] : []));
}

function follow(token) {
  const replay = player.replay;
  player.token = token;
  player.path = replay.pathOf(token);
  const per = replay.program ? 1 : replay.elements;
  state.follow = `${Math.floor(token / per)}.${token % per}`;
  $("follow-processor").value = String(Math.floor(token / per));
  $("follow-slot").value = String(token % per);
  const stops = player.path.map(([step, from, to, channel]) =>
    element("li", {}, element("button", { type: "button", onclick: () => showStep(step) }, `step ${step}`), from === to ? ` inside processor ${from}` : ` ${from} to ${to}${channelWords(replay, { from, to, channel })}`),
  );
  $("path").replaceChildren(...(stops.length ? stops : [element("li", {}, "It stays where it is.")]));
  writeLink("follow");
  draw();
}

function followText(text) {
  const replay = player.replay;
  const [processor, slot] = text.split(".").map(Number);
  const per = replay.program ? 1 : replay.elements;
  if (replay.moves && Number.isInteger(processor) && processor >= 0 && processor < replay.processors && Number.isInteger(slot ?? 0) && (slot ?? 0) >= 0 && (slot ?? 0) < per)
    follow(processor * per + (slot ?? 0));
  else toast(`There is no element ${text}: processors 0 to ${replay.processors - 1}, slots 0 to ${per - 1}`);
}

function unfollow() {
  player.token = undefined;
  player.path = null;
  state.follow = "";
  $("path").replaceChildren();
  writeLink("follow");
  draw();
}

function select(processor) {
  player.selected = processor;
  draw();
  const replay = player.replay;
  if (processor === null) {
    $("tip").hidden = true;
    return;
  }
  const cells = replay.goTo(player.step);
  const held = [];
  for (let s = 0; s < replay.slots && held.length < 12; ++s) {
    const token = cells[processor * replay.slots + s];
    if (token !== nobody) held.push(replay.wordsOf(token));
  }
  const [x, y] = replay.layout.senders[processor];
  const tip = $("tip");
  tip.textContent = `processor ${processor}${replay.moves ? (held.length ? " holds " + held.join(", ") : " holds nothing") : ""}`;
  tip.hidden = false;
  tip.style.left = Math.max(0, Math.min((x + scene.border) * scene.scale + 14, $("machine").clientWidth - tip.offsetWidth)) + "px";
  tip.style.top = (y + scene.border) * scene.scale + 14 + "px";
  $("canvas").setAttribute("aria-label", tip.textContent);
}

// ---- links over time

function showLinks(svg) {
  const shown = showFigure("links", svg);
  player.links = null;
  if (!shown) return;
  const boxes = [...shown.querySelectorAll("rect")];
  const columns = new Map();
  let bottom = 0;
  for (const box of boxes) {
    const x = box.getAttribute("x");
    if (!columns.has(x)) columns.set(x, { x: Number(x), width: Number(box.getAttribute("width")), top: Number(box.getAttribute("y")), step: Number(/step (\d+)/.exec(box.textContent)?.[1] ?? -1) });
    bottom = Math.max(bottom, Number(box.getAttribute("y")) + Number(box.getAttribute("height")));
  }
  const now = drawn("rect", { class: "now", "aria-hidden": "true" });
  shown.append(now);
  player.links = { now, columns: [...columns.values()], bottom };
  for (const box of boxes) box.addEventListener("click", () => showStep(columns.get(box.getAttribute("x")).step));
  markLinks();
}

// ---- the schedule as a network: places from the top, steps from the left

async function loadPlaces() {
  const answer = await ask({ do: "picture", what: "places" });
  if (answer.dropped) return;
  showFigure("places", answer.ok ? answer.text : "");
  if (!answer.ok) $("places").textContent = answer.message;
}

function markLinks() {
  if (!player.links) return;
  const { now, columns, bottom } = player.links;
  let column = null;
  for (const one of columns) if (one.step <= player.step) column = one;
  const visible = column !== null && player.step < player.count;
  now.setAttribute("visibility", visible ? "visible" : "hidden");
  if (!visible) return;
  now.setAttribute("x", column.x - 1);
  now.setAttribute("y", column.top - 1);
  now.setAttribute("width", column.width + 2);
  now.setAttribute("height", bottom - column.top + 2);
}
