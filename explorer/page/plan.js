// The plan: what it costs beside the paper and the bound, and every planner that was asked.
const plan_view = { answer: null, about: new Map() };

function bigNumber(value, label, good) {
  return element("div", {}, element("b", good ? { class: "good" } : {}, String(value)), element("span", {}, label));
}

function showPlan(answer) {
  plan_view.answer = answer;
  const numbers = $("numbers");
  numbers.replaceChildren();
  $("considered").replaceChildren();
  $("violations").replaceChildren();
  $("verified").replaceChildren();
  $("h-plan").textContent = "The plan";
  if (!answer) {
    $("plan-words").textContent = "Name a machine, and every algorithm that applies is asked for its cheapest schedule.";
    return;
  }
  if (!answer.ok) {
    $("plan-words").textContent = "";
    const [first, ...rest] = answer.message.split("\n");
    $("plan-words").append(first);
    // A caret stands below its place only among letters of one width.
    if (rest.length) $("plan-words").append(element("span", { class: "code lines" }, rest.join("\n")));
    return;
  }
  const plan = answer.plan;
  const value = plan.formula.value;
  numbers.append(bigNumber(valueOf(plan, answer.unit), answer.unit + ", this plan", String(plan.gap) === "0"));
  if (plan.paper) numbers.append(bigNumber(plan.paper.value, "the paper's count"));
  numbers.append(bigNumber(plan.bound.value, "no plan takes fewer", String(plan.gap) === "0"));
  const reason = `Bound: ${plan.bound.reason}.`;
  const paper = plan.paper ? ` Paper: ${plan.paper.citation}, ${plan.paper.text}.` : "";
  const below =
    plan.paper && BigInt(plan.paper.value) < BigInt(plan.bound.value)
      ? " The paper's count is below the proven bound: as printed it cannot be reached."
      : "";
  $("plan-words").textContent = `${plan.planner}: ${answer.title}. ${reason}${paper}${below}`;
  $("verified").append(verifiedWords(plan.verified));
  $("considered").append(plannerTable(plan, answer.unit));
  void value;
}

// The cost in the machine's unit: bound and gap are in it.
function valueOf(plan) {
  return String(BigInt(plan.bound.value) + BigInt(plan.gap));
}

function verifiedWords(verified) {
  if (!verified) return element("span", { class: "dim" }, "being verified…");
  const by = { both: "proof and replay", proof: "proof", replay: "replay" }[verified.by];
  return verified.ok ? element("span", { class: "good" }, "✓ right, by " + by) : element("span", { class: "bad" }, "✗ refused by " + by);
}

function plannerTable(plan, unit) {
  const offers = plan.considered.filter((c) => c.value !== undefined);
  const others = plan.considered.filter((c) => c.value === undefined);
  offers.sort((a, b) => (BigInt(a.value) < BigInt(b.value) ? -1 : BigInt(a.value) > BigInt(b.value) ? 1 : 0));
  const table = element("table", {}, element("caption", { class: "dim" }, `${plural(offers.length, "algorithm")} offered a schedule`));
  table.append(
    element("thead", {}, element("tr", {}, ...["algorithm", unit, "formula", "paper", "from"].map((text, i) => element("th", { scope: "col", class: i === 1 || i === 3 ? "number" : null }, text)))),
  );
  const body = element("tbody");
  for (const offer of offers) {
    const about = plan_view.about.get(offer.name);
    body.append(
      element(
        "tr",
        { class: offer.name === plan.planner ? "taken" : null },
        element("td", {}, plannerButton(offer.name, about)),
        element("td", { class: "number" }, String(offer.value)),
        element("td", {}, offer.formula ?? ""),
        element("td", { class: "number" }, offer.paper ? String(offer.paper.value) : ""),
        element("td", {}, offer.paper?.citation ?? about?.citation ?? ""),
      ),
    );
  }
  table.append(body);
  const refusals = element("table", {}, element("caption", { class: "dim" }, "What each of the others said"));
  for (const one of others)
    refusals.append(
      element("tr", {}, element("th", { scope: "row", class: "code" }, one.name), element("td", {}, one.refusal ?? one.not_asked ?? "")),
    );
  const more = element("details", {}, element("summary", {}, `${plural(others.length, "algorithm")} did not apply or could not win`), element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Refusals" }, refusals));
  const offered = element("div", { class: "planners", tabindex: 0, role: "region", "aria-label": "Offers" }, table);
  watchMore(offered);
  const all = element("div", {}, offered);
  if (state.algorithm)
    all.append(element("p", {}, element("button", { type: "button", onclick: () => edit({ algorithm: "" }) }, "Ask every algorithm again")));
  if (others.length) all.append(more);
  return all;
}

function plannerButton(name, about) {
  const asked = state.algorithm === name;
  return element(
    "button",
    { type: "button", title: about?.title ?? "", "aria-current": asked ? "true" : null, onclick: () => edit({ algorithm: asked ? "" : name, step: "" }) },
    name,
  );
}
