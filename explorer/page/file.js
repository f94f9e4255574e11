// A schedule file that somebody brings: judged by the library's verifiers, shown from its first violation.
// `goal` and `baked` come with the page (faro verify --html): the map to hold the file to, the verdict then.
const file_view = { name: "", bytes: null, goal: null, baked: null, verdict: null };

async function openFile(file) {
  const bytes = new Uint8Array(await file.arrayBuffer());
  await openBytes(bytes, file.name);
}

async function openBytes(bytes, name) {
  file_view.name = name;
  file_view.bytes = bytes;
  file_view.goal = file_view.baked = null;
  let inLink = bytes.length < file_link_max * 24 ? await packed(bytes) : "";
  if (inLink.length > file_link_max) inLink = "";
  Object.assign(state, { map: "", on: "", elements: "", algorithm: "", step: "", follow: "", view: "file", file: inLink });
  writeLink("");
  fillForm();
  await update();
}

async function judgeFile() {
  const copy = file_view.bytes.slice();
  $("h-plan").textContent = "A schedule file";
  showPlanFrame();
  if (file_view.baked) showVerdict({ ok: true, verdict: file_view.baked });
  else $("plan-words").textContent = `${file_view.name || "The schedule"}: being judged…`;
  const answer = await ask({ do: "verify", map: file_view.goal }, { hold: copy });
  if (answer.dropped) return null;
  file_view.verdict = answer;
  showVerdict(answer);
  return answer;
}

function showPlanFrame() {
  for (const id of ["numbers", "considered", "violations", "verified"]) $(id).replaceChildren();
}

function showVerdict(answer) {
  showPlanFrame();
  player.wrong = null;
  const name = file_view.name || "The schedule";
  if (!answer.ok) {
    $("verified").append(element("span", { class: "bad" }, "✗ no schedule"));
    $("plan-words").textContent = `${name}: ${answer.message}`;
    return;
  }
  const verdict = answer.verdict;
  const by = { both: "proof and replay", reader: "the reader" }[verdict.by] ?? verdict.by;
  const words = { yes: ["good", `✓ right, by ${by}`], no: ["bad", `✗ wrong, by ${by}`], unprovable: ["bad", "not provable by subspaces"] }[verdict.answer];
  $("verified").append(element("span", { class: words[0] }, words[1]));
  const warnings = verdict.warnings.length ? " Warnings: " + verdict.warnings.join("; ") + "." : "";
  $("plan-words").textContent = `${name}${answer.machine ? ", for " + answer.machine : ""}. ${verdict.limit ?? ""}${warnings}`;
  const numbers = $("numbers");
  for (const [part, count] of Object.entries(verdict.cost)) numbers.append(bigNumber(count, part.replaceAll("_", " ")));
  numbers.append(bigNumber(`${verdict.delivered} / ${verdict.expected}`, "delivered", verdict.answer === "yes"));
  const list = $("violations");
  if (verdict.violations.length === 0) return;
  list.append(element("h3", {}, `${plural(verdict.violation_count, "violation")}${verdict.violations.length < Number(verdict.violation_count) ? `, the first ${verdict.violations.length}` : ""}`));
  verdict.violations.forEach((violation) =>
    list.append(
      element(
        "div",
        { class: "violation", "data-step": violation.step, "data-rule": violation.rule },
        element("button", { type: "button", onclick: () => showViolation(violation) }, `step ${violation.step}`),
        element("code", {}, violation.rule),
        ` ${violation.message}`,
        element("span", { class: "dim" }, placeWords(violation.at)),
      ),
    ),
  );
}

// Where: as much as the verifier knows.
function placeWords(at = {}) {
  const words = [];
  if (at.processor !== undefined && at.to !== undefined) words.push(`from ${at.processor} to ${at.to}`);
  else if (at.processor !== undefined || at.to !== undefined) words.push(`processor ${at.processor ?? at.to}`);
  if (at.slot !== undefined) words.push(`slot ${at.slot}`);
  if (at.dimension !== undefined) words.push(`dimension ${at.dimension}`);
  if (at.in !== undefined) words.push(`${at.in}[${at.move}]`);
  return words.length ? ` (${words.join(", ")})` : "";
}

// The player stands at the step, with what is at fault ringed and the wrong move in red.
function showViolation(violation) {
  player.wrong = { step: Number(violation.step), ...violation.at };
  showStep(player.wrong.step);
}
