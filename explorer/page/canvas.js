// The machine on a canvas: processors where the library's own pictures have them, what they hold, and what
// is on its way. A quarter of a million lines a second are no task for a document of elements.
const scene = { scale: 1, border: 14, width: 0, height: 0, inks: {}, background: null };

function readInks() {
  const style = getComputedStyle(document.documentElement);
  for (const name of ["card", "ink", "dim", "line", "accent", "bad", "shade", "mark"]) scene.inks[name] = style.getPropertyValue("--" + name).trim();
  scene.dark = document.documentElement.dataset.theme === "dark";
  scene.background = null;
}

// An element has the hue of the processor that it comes from.
function hueOf(token, replay) {
  const per = replay.program ? 1 : replay.elements;
  const hue = (360 * Math.floor(token / per)) / replay.processors;
  return scene.dark ? `hsl(${hue} 60% 62%)` : `hsl(${hue} 62% 42%)`;
}

function fitCanvas(replay) {
  const canvas = $("canvas");
  const { layout } = replay;
  const most = Math.max(280, Math.min(760, window.innerHeight * 0.72));
  const room = Math.max(64, canvas.parentElement.clientWidth);
  const scale = Math.min(room / (layout.width + 2 * scene.border), most / (layout.height + 2 * scene.border), 2);
  const pixels = window.devicePixelRatio || 1;
  scene.scale = scale;
  scene.width = (layout.width + 2 * scene.border) * scale;
  scene.height = (layout.height + 2 * scene.border) * scale;
  canvas.style.width = scene.width + "px";
  canvas.style.height = scene.height + "px";
  canvas.width = Math.round(scene.width * pixels);
  canvas.height = Math.round(scene.height * pixels);
  scene.pixels = pixels;
  scene.background = null;
}

// What does not change between steps, drawn once.
function backgroundOf(replay) {
  if (scene.background) return scene.background;
  const canvas = $("canvas");
  const back = document.createElement("canvas");
  back.width = canvas.width;
  back.height = canvas.height;
  const g = back.getContext("2d");
  g.scale(scene.scale * scene.pixels, scene.scale * scene.pixels);
  g.translate(scene.border, scene.border);
  const { layout } = replay;
  g.strokeStyle = scene.inks.line;
  g.lineWidth = 1 / Math.max(scene.scale, 0.3);
  g.beginPath();
  for (const [x, y, x2, y2] of layout.links) {
    g.moveTo(x, y);
    g.lineTo(x2, y2);
  }
  g.stroke();
  g.fillStyle = scene.inks.line;
  for (const [x, y] of layout.couplers) g.fillRect(x - 4, y - 4, 8, 8);
  scene.background = back;
  return back;
}

// `part` of the way, 0 to 1: a dot for each element that travels.
function drawMachine(replay, step, part, marks) {
  const canvas = $("canvas");
  const g = canvas.getContext("2d");
  g.setTransform(1, 0, 0, 1, 0, 0);
  g.fillStyle = scene.inks.card;
  g.fillRect(0, 0, canvas.width, canvas.height);
  g.drawImage(backgroundOf(replay), 0, 0);
  g.scale(scene.scale * scene.pixels, scene.scale * scene.pixels);
  g.translate(scene.border, scene.border);
  if (step < replay.count) drawMoves(g, replay, step, part);
  const cells = replay.goTo(step);
  if (replay.processors <= 256) drawProcessors(g, replay, cells, marks);
  else drawSmall(g, replay, cells, marks);
  if (marks.path) drawPath(g, replay, marks.path);
  if (marks.wrong) drawWrong(g, replay, step, marks.wrong);
  if (marks.selected !== null && marks.selected !== undefined) ring(g, replay, marks.selected, scene.inks.accent);
}

// What a verdict says is wrong: its processors, and in its step the move between them.
function drawWrong(g, replay, step, wrong) {
  const [from, to] = [wrong.processor, wrong.to];
  if (step === wrong.step && from !== undefined && to !== undefined) {
    const a = replay.layout.senders[from];
    const b = (replay.layout.receivers ?? replay.layout.senders)[to];
    if (a && b) {
      g.strokeStyle = scene.inks.bad;
      g.lineWidth = 4;
      g.beginPath();
      g.moveTo(a[0], a[1]);
      g.lineTo(b[0], b[1]);
      g.stroke();
    }
  }
  for (const p of [from, to]) if (p !== undefined) ring(g, replay, p, scene.inks.bad);
}

function ring(g, replay, processor, ink) {
  const at = replay.layout.senders[processor];
  if (!at) return;
  g.strokeStyle = ink;
  g.lineWidth = 3;
  g.setLineDash([5, 3]);
  for (const point of [at, replay.layout.receivers?.[processor]]) {
    if (!point) continue;
    g.beginPath();
    g.arc(point[0], point[1], replay.layout.radius + 4, 0, 7);
    g.stroke();
  }
  g.setLineDash([]);
}

// Points of a move's way: beside its link, so that both directions show; around a ring by its stubs.
function wayOf(replay, at) {
  const { layout, numbers } = replay;
  const from = layout.senders[numbers[at]];
  const to = (layout.receivers ?? layout.senders)[numbers[at + 2]];
  if (layout.couplers.length) {
    const coupler = layout.couplers[numbers[at + 4]];
    return coupler ? [from, coupler, to] : [from, to];
  }
  const length = Math.max(1, Math.hypot(to[0] - from[0], to[1] - from[1]));
  const dx = ((to[1] - from[1]) / length) * -3;
  const dy = ((to[0] - from[0]) / length) * 3;
  return [[from[0] + dx, from[1] + dy], [to[0] + dx, to[1] + dy]];
}

function goesAround(replay, way) {
  return replay.kind === "mesh" && replay.machine.startsWith("torus") && Math.hypot(way[1][0] - way[0][0], way[1][1] - way[0][1]) > 60;
}

function drawMoves(g, replay, step, part) {
  const small = replay.processors > 256;
  const first = replay.first[step];
  const end = replay.first[step + 1];
  g.strokeStyle = scene.inks.accent;
  g.globalAlpha = small ? 0.35 : 0.75;
  g.lineWidth = small ? 1.2 / scene.scale : 1.4;
  g.beginPath();
  const dots = [];
  for (let i = first; i < end; ++i) {
    const at = i * 7;
    const inside = replay.numbers[at] === replay.numbers[at + 2];
    if (inside && !replay.layout.couplers.length) continue;
    const way = wayOf(replay, at);
    if (goesAround(replay, way)) {
      const [a, b] = way;
      const length = Math.hypot(b[0] - a[0], b[1] - a[1]);
      const ux = ((b[0] - a[0]) / length) * 20;
      const uy = ((b[1] - a[1]) / length) * 20;
      g.moveTo(a[0], a[1]);
      g.lineTo(a[0] - ux, a[1] - uy);
      g.moveTo(b[0] + ux, b[1] + uy);
      g.lineTo(b[0], b[1]);
      dots.push(part < 0.5 ? [a[0] - ux * part * 2, a[1] - uy * part * 2, at] : [b[0] + ux * (2 - part * 2), b[1] + uy * (2 - part * 2), at]);
      continue;
    }
    g.moveTo(way[0][0], way[0][1]);
    for (const point of way.slice(1)) g.lineTo(point[0], point[1]);
    const leg = Math.min(way.length - 2, Math.floor(part * (way.length - 1)));
    const within = part * (way.length - 1) - leg;
    const a = way[leg];
    const b = way[leg + 1];
    dots.push([a[0] + (b[0] - a[0]) * within, a[1] + (b[1] - a[1]) * within, at]);
  }
  g.stroke();
  g.globalAlpha = 1;
  if (small && dots.length > 512) return;
  for (const [x, y, at] of dots) {
    const token = replay.tokenOf(at);
    g.fillStyle = token === nobody ? scene.inks.dim : hueOf(token, replay);
    const size = small ? 5 : 4;
    g.beginPath();
    g.arc(x, y, size, 0, 7);
    g.fill();
  }
}

function drawProcessors(g, replay, cells, marks) {
  const { layout, slots } = replay;
  const r = layout.radius;
  const sides = layout.receivers ? [layout.senders, layout.receivers] : [layout.senders];
  g.textAlign = "center";
  g.textBaseline = "middle";
  g.font = `9px ${getComputedStyle($("map")).fontFamily}`;
  const columns = Math.ceil(Math.sqrt(slots));
  for (const [side, points] of sides.entries())
    for (let p = 0; p < points.length; ++p) {
      const [x, y] = points[p];
      g.fillStyle = scene.inks.card;
      g.strokeStyle = scene.inks.ink;
      g.lineWidth = 1;
      g.beginPath();
      g.arc(x, y, r, 0, 7);
      g.fill();
      g.stroke();
      if (slots <= 64 && side === 0 && replay.moves) {
        const cell = (r * 1.42) / columns;
        for (let s = 0; s < slots; ++s) {
          const token = cells[p * slots + s];
          if (token === nobody) continue;
          g.fillStyle = hueOf(token, replay);
          if (marks.token !== undefined && marks.token === token) g.fillStyle = scene.inks.bad;
          const size = cell * 0.86;
          g.fillRect(x - r * 0.71 + cell * (s % columns), y - r * 0.71 + cell * Math.floor(s / columns), size, size);
        }
      }
      if (slots > 64 || side === 1 || !replay.moves) {
        g.fillStyle = scene.inks.ink;
        g.fillText(String(p), x, y + 0.5);
      } else {
        // At the left above, where no link of a cube or a mesh leaves; elements that pass leave a margin.
        g.strokeStyle = scene.inks.card;
        g.lineWidth = 3;
        g.strokeText(String(p), x - r - 5, y - r + 1);
        g.fillStyle = scene.inks.dim;
        g.fillText(String(p), x - r - 5, y - r + 1);
      }
    }
}

const hues_of_small = 48;

// Thousands of processors: a square each, in the hue of what its first slot holds; all of one hue at once.
function drawSmall(g, replay, cells, marks) {
  const { layout, slots } = replay;
  const per = replay.program ? 1 : replay.elements;
  const first = replay.program ? 1 : 0;
  const groups = Array.from({ length: hues_of_small + 2 }, () => []);
  for (let p = 0; p < replay.processors; ++p) {
    const token = cells[p * slots + first];
    const group = token === nobody ? hues_of_small : token === marks.token ? hues_of_small + 1 : Math.floor((hues_of_small * Math.floor(token / per)) / replay.processors);
    groups[group].push(p);
  }
  groups.forEach((group, hue) => {
    if (hue === hues_of_small) g.fillStyle = scene.inks.line;
    else if (hue > hues_of_small) g.fillStyle = scene.inks.bad;
    else g.fillStyle = scene.dark ? `hsl(${(360 * hue) / hues_of_small} 60% 62%)` : `hsl(${(360 * hue) / hues_of_small} 62% 42%)`;
    for (const p of group) g.fillRect(layout.senders[p][0] - 9, layout.senders[p][1] - 9, 18, 18);
  });
}

function drawPath(g, replay, path) {
  g.strokeStyle = scene.inks.bad;
  g.lineWidth = 3;
  g.beginPath();
  for (const [, from, to, channel] of path) {
    const a = replay.layout.senders[from];
    const b = (replay.layout.receivers ?? replay.layout.senders)[to];
    const coupler = replay.layout.couplers[channel];
    if (from === to && !coupler) continue;
    g.moveTo(a[0], a[1]);
    if (coupler) g.lineTo(coupler[0], coupler[1]);
    g.lineTo(b[0], b[1]);
  }
  g.stroke();
}

// The processor at a place of the canvas, or null.
function processorAt(replay, x, y) {
  const px = x / scene.scale - scene.border;
  const py = y / scene.scale - scene.border;
  let best = null;
  let least = (replay.layout.radius + 6) ** 2;
  for (const points of [replay.layout.senders, replay.layout.receivers ?? []])
    for (let p = 0; p < points.length; ++p) {
      const distance = (points[p][0] - px) ** 2 + (points[p][1] - py) ** 2;
      if (distance < least) {
        least = distance;
        best = p;
      }
    }
  return best;
}
