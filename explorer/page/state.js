// What the page shows, as its link says it: #v1:map=...&on=...&elements=...&algorithm=...&step=...
// Version 1 is read for ever; what a later page adds are new keys, which this one leaves alone.
const keys_of_state = ["map", "on", "elements", "algorithm", "step", "follow", "view", "file", "gpu", "element", "language", "in_place"];
const state = Object.fromEntries(keys_of_state.map((key) => [key, ""]));

function linkOf(what) {
  const parts = [];
  for (const key of keys_of_state)
    if (what[key] !== "" && what[key] !== undefined) parts.push(key + "=" + encodeURIComponent(what[key]));
  return "#v1:" + parts.join("&");
}

// Nothing for a link of no version that is known.
function readLink(hash) {
  const found = /^#v1:(.*)$/s.exec(hash);
  if (!found) return null;
  const what = Object.fromEntries(keys_of_state.map((key) => [key, ""]));
  for (const part of found[1].split("&")) {
    const at = part.indexOf("=");
    const key = part.slice(0, at);
    if (at < 0 || !keys_of_state.includes(key)) continue;
    try {
      what[key] = decodeURIComponent(part.slice(at + 1).replaceAll("+", "%20"));
    } catch {
      what[key] = "";
      toast("A part of this link is damaged and was left out.");
    }
  }
  return what;
}

let edited = { field: "", at: 0 };

// Writes the link. A new entry of the history for what was done at once; typing in one field is one entry,
// and steps are none.
function writeLink(field) {
  clearTimeout(writeLink.timer);
  // Browsers take few entries a second; the step is written when it has settled.
  if (field === "step") writeLink.timer = setTimeout(() => writeNow("step"), 200);
  else writeNow(field);
}

// What is shown first has a link too, so that back leads to it.
function writeFirst() {
  try {
    history.replaceState(null, "", linkOf(state));
  } catch {
    // A browser that keeps no history for files: the first change writes the link.
  }
}

function writeNow(field) {
  const link = linkOf(state);
  if (link === location.hash) return;
  const now = Date.now();
  const same = field === "step" || (field !== "" && field === edited.field && now - edited.at < 3000);
  if (field !== "step") edited = { field, at: now };
  try {
    if (same) history.replaceState(null, "", link);
    else history.pushState(null, "", link);
  } catch {
    if (!same) location.hash = link; // a browser that keeps no history for files
  }
}

// ---- a schedule in a link: deflated, in the letters of base64 for addresses

const file_link_max = 8192;

async function squeezed(bytes, stream) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

async function packed(file) {
  const bytes = await squeezed(file, new CompressionStream("deflate-raw"));
  let letters = "";
  for (let i = 0; i < bytes.length; i += 4096) letters += String.fromCharCode(...bytes.subarray(i, i + 4096));
  return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

async function unpacked(text) {
  const letters = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return squeezed(Uint8Array.from(letters, (c) => c.charCodeAt(0)), new DecompressionStream("deflate-raw"));
}
