// Everything by keyboard. Letters work where nobody is typing.
const key_words = [
  ["/", "to the map", () => { $("map").focus(); $("map").select(); }],
  ["m", "to the machine's name", () => $("on").focus()],
  ["ArrowLeft", "one step back", () => stepBy(-1), "left"],
  ["ArrowRight", "one step on", () => stepBy(1), "right"],
  [" ", "play or stop", () => play(), "space"],
  ["Home", "first step", () => stepTo(0)],
  ["End", "last step", () => stepTo(player.count)],
  ["[", "the planner above in the table", () => planner(-1)],
  ["]", "the planner below in the table", () => planner(1)],
  ["f", "to the element to follow", () => $("follow-processor").focus()],
  ["v", "the next violation", () => nextViolation()],
  ["o", "open a schedule file", () => $("file").click()],
  ["y", "copy a link", () => copyLink()],
  ["s", "save", () => openSave()],
  ["d", "light or dark", () => toggleTheme()],
  ["?", "this list", () => openHelp()],
];

function stepTo(step) {
  if ($("p-play").hidden) return;
  stopPlaying();
  showStep(step);
}

function stepBy(by) {
  stepTo(player.step + by);
}

function planner(by) {
  const plan = plan_view.answer?.plan;
  if (!plan) return;
  const names = [...document.querySelectorAll("#considered .planners td button")].map((button) => button.textContent);
  if (names.length < 2) {
    if (state.algorithm) edit({ algorithm: "" });
    return;
  }
  const at = names.indexOf(plan.planner);
  edit({ algorithm: names[(at + by + names.length) % names.length], step: "" });
}

function nextViolation() {
  const list = file_view.verdict?.verdict?.violations ?? [];
  if (state.view !== "file" || list.length === 0) return;
  const later = list.find((violation) => Number(violation.step) > player.step);
  showViolation(later ?? list[0]);
}

function openHelp() {
  $("keys").replaceChildren(
    ...key_words.flatMap(([key, words, , name]) => [element("dt", {}, name ?? key), element("dd", {}, words)]),
    element("dt", {}, "arrows"), element("dd", {}, "on the machine: from processor to processor; enter follows what it holds"),
  );
  $("help-dialog").showModal();
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (document.querySelector("dialog[open]")) return;
  const focused = document.activeElement;
  if (focused?.matches("input:not([type=range]), select, textarea")) {
    if (event.key === "Escape") focused.blur();
    return;
  }
  if (focused === $("canvas") && canvasKey(event)) {
    event.preventDefault();
    return;
  }
  // Buttons and folds take space and enter themselves; the slider and what scrolls their arrows.
  const own = focused?.matches("button, summary, a") ? [" ", "Enter"] : focused?.matches("input[type=range]") ? ["ArrowLeft", "ArrowRight", "Home", "End"] : [];
  if (own.includes(event.key)) return;
  const found = key_words.find(([key]) => key === event.key);
  if (!found) return;
  event.preventDefault();
  found[2]();
}

// From processor to the nearest one in that direction.
function canvasKey(event) {
  const replay = player.replay;
  const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
  if (!replay) return false;
  if (event.key === "Escape" && player.selected !== null) {
    select(null);
    return true;
  }
  if (event.key === "Enter" && player.selected !== null) {
    followHeld(player.selected);
    return true;
  }
  if (!way || event.shiftKey) return false;
  if (player.selected === null) {
    select(0);
    return true;
  }
  const [x, y] = replay.layout.senders[player.selected];
  let best = null;
  let least = Infinity;
  replay.layout.senders.forEach(([px, py], p) => {
    const along = (px - x) * way[0] + (py - y) * way[1];
    const aside = Math.abs((px - x) * way[1]) + Math.abs((py - y) * way[0]);
    if (along <= 0.5) return;
    const far = along + 2 * aside;
    if (far < least) {
      least = far;
      best = p;
    }
  });
  if (best !== null) select(best);
  return true;
}

// The first element that a processor holds, then the next one.
function followHeld(processor) {
  const replay = player.replay;
  const cells = replay.goTo(player.step).subarray(processor * replay.slots, (processor + 1) * replay.slots);
  const held = [...cells].filter((token) => token !== nobody);
  if (held.length) follow(held[(held.indexOf(player.token) + 1) % held.length]);
}
