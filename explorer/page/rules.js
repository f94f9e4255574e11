// The steps as the schedule's file says them: rules over the bits of processor numbers, which do not grow
// with the machine. Filled: the bit is in the sum; the sum must be what stands at the right.
const rules_view = { steps: null, bits: 0, machine: null, text: "" };

const rules_text_max = 1 << 25;
const rules_shown_max = 60;

async function loadRules() {
  rules_view.steps = null;
  $("rules-figure").replaceChildren();
  const answer = await ask({ do: "schedule" });
  if (!answer.ok) return;
  rules_view.text = answer.text;
  if (answer.text.length > rules_text_max) {
    $("rules-words").textContent = "This schedule's file is too long to show its rules here; it can be saved.";
    return;
  }
  let file = null;
  try {
    file = JSON.parse(answer.text);
  } catch {
    return; // the verdict says what is wrong with it
  }
  rules_view.steps = stepsOf(file);
  rules_view.machine = file.machine ?? {};
  rules_view.bits = bitsOf(rules_view.machine);
  if (!player.replay) {
    setStepRange(rules_view.steps.length);
    showStep(Number(state.step) || 0);
  } else {
    showRules();
  }
}

function stepsOf(file) {
  for (const name of ["steps", "program", "slots_list"]) if (Array.isArray(file[name])) return file[name];
  return [];
}

const log2 = (x) => Math.round(Math.log2(Number(x) || 1));

function bitsOf(machine) {
  if (machine.kind === "hypercube") return Number(machine.dimensions) || 0;
  if (machine.kind === "mesh") return (machine.shape ?? []).reduce((sum, side) => sum + log2(side), 0);
  if (machine.kind === "pops") return log2(machine.d) + log2(machine.g);
  return log2(machine.processors);
}

const mask_of = (mask) => {
  try {
    return BigInt(mask);
  } catch {
    return 0n;
  }
};

function sumWords(mask) {
  const bits = [];
  for (let b = rules_view.bits - 1; b >= 0; --b) if ((mask >> BigInt(b)) & 1n) bits.push(b);
  return bits.length === 0 ? "no bit" : "bit " + bits.join(" + ");
}

// Rows of {conditions: [[mask, value]], ternary, words}.
function rowsOf(step) {
  if (step === null || typeof step !== "object") return [];
  if (step.op) return [{ conditions: step.if ?? [], ternary: step.mask ?? "", words: operationWords(step) }];
  const rows = [];
  for (const [entry, rule] of (step.rules ?? []).entries())
    rows.push({ conditions: rule.if ?? [], words: ruleWords(rule), at: `rules[${entry}]` });
  for (const [entry, rule] of (step.butterfly_rules ?? []).entries())
    rows.push({ conditions: rule.if ?? [], at: `butterfly_rules[${entry}]`, words: `stage ${rule.stage} on slots ${rule.low} and ${rule.high}` });
  const lists = [["moves", "single move"], ["sends", "send"], ["receives", "receive"], ["ops", "operation"], ["butterflies", "single butterfly"]];
  for (const [name, word] of lists)
    if (step[name]?.length) rows.push({ conditions: [], list: true, words: `${plural(step[name].length, word)}, spelled out` });
  return rows;
}

function ruleWords(rule) {
  if (rule.register !== undefined)
    return `register ${rule.register} to (${(rule.to ?? []).map(([mask, c]) => sumWords(mask_of(mask)) + (c ? " + 1" : "")).join("; ")}) into ${rule.into}`;
  return rule.across === undefined ? `slot ${rule.slot} to slot ${rule.to}, inside` : `slot ${rule.slot} across ${rule.across} into slot ${rule.to}`;
}

function operationWords(step) {
  if (step.op === "route") return `route along dimension ${step.dim} by ${step.by}`;
  return step.op === "copy" ? `copy ${step.from} to ${step.to}` : `swap ${step.a} and ${step.b}`;
}

function showRules() {
  const { steps, bits } = rules_view;
  if (!steps || !$("rules").open) return;
  const step = steps[player.step];
  const rows = step === undefined ? [] : rowsOf(step);
  const shown = rows.slice(0, rules_shown_max);
  $("rules-words").textContent =
    step === undefined
      ? "Every step is done."
      : `Step ${player.step}: ${plural(rows.filter((row) => !row.list).length, "rule")}${rows.length > shown.length ? `, the first ${shown.length} drawn` : ""}. ` +
        `A rule holds for every processor whose number meets its conditions; a row of ${bits} squares is a sum of address bits, filled where a bit is in it.`;
  $("rules-figure").replaceChildren(...(shown.length ? [rulesFigure(shown, bits)] : []));
}

function rulesFigure(rows, bits) {
  const cell = bits > 40 ? 9 : 13;
  const left = 8;
  const figure = drawn("svg", { class: "faro-figure", role: "img", "font-size": 12 });
  const words = [];
  let y = 22;
  const right = left + cell * bits;
  for (let b = 0; b < bits; ++b)
    if (b % (bits > 20 ? 10 : 1) === 0)
      figure.append(drawn("text", { x: left + cell * (bits - 1 - b) + cell / 2, y: 14, "text-anchor": "middle", class: "line" }, String(b)));
  for (const row of rows) {
    const height = Math.max(1, row.conditions.length || (row.ternary ? 1 : 0)) * 18;
    const sums = row.conditions.map(([mask, value]) => [mask_of(mask), value]);
    sums.forEach(([mask, value], i) => sumRow(figure, left, y + i * 18, cell, bits, (b) => (mask >> BigInt(b)) & 1n, `= ${value}`));
    if (row.ternary && /[01]/.test(row.ternary))
      sumRow(figure, left, y + sums.length * 18, cell, bits, (b) => row.ternary.at(-1 - b) !== "x", row.ternary.length <= 20 ? `= ${row.ternary}` : "");
    else if (!sums.length)
      figure.append(drawn("text", { x: left, y: y + 13, class: "line" }, row.list ? "" : "every processor"));
    const wrong = row.at !== undefined && player.wrong?.step === player.step && `${player.wrong.in}[${player.wrong.move}]` === row.at;
    if (wrong) figure.append(drawn("rect", { x: 2, y: y - 1, width: right + 50, height: height + 3, class: "bad wrong", fill: "none" }));
    figure.append(drawn("text", { x: right + 60 + (row.ternary && row.ternary.length <= 20 ? row.ternary.length * 7.3 : 0), y: y + 13, class: "line" }, row.words));
    words.push((sums.length ? "where " + sums.map(([mask, value]) => `${sumWords(mask)} = ${value}`).join(" and ") + ": " : "") + row.words);
    y += height + 6;
  }
  figure.prepend(drawn("title", {}, `The rules of step ${player.step}`), drawn("desc", {}, words.join("; ")));
  const width = right + 90 + Math.max(...rows.map((row) => (row.words.length + (row.ternary?.length ?? 0)) * 7.3));
  figure.setAttribute("width", width);
  figure.setAttribute("height", y + 6);
  figure.setAttribute("viewBox", `0 0 ${width} ${y + 6}`);
  return figure;
}

function sumRow(figure, left, y, cell, bits, isIn, value) {
  for (let b = 0; b < bits; ++b) {
    const x = left + cell * (bits - 1 - b);
    const filled = isIn(b);
    figure.append(drawn("rect", { x: x + 0.5, y: y + 2, width: cell - 1, height: 13, class: filled ? "accent solid" : "faint" }));
  }
  figure.append(drawn("text", { x: left + cell * bits + 6, y: y + 13, class: "line" }, value));
}
