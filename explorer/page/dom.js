// Small words for the document.
const $ = (id) => document.getElementById(id);
const svg_space = "http://www.w3.org/2000/svg";

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value === true) made.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

function drawn(name, attributes = {}, ...children) {
  const made = document.createElementNS(svg_space, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function toast(text) {
  $("toast").textContent = text;
  clearTimeout(toast.timer);
  toast.timer = setTimeout(() => ($("toast").textContent = ""), 4000);
}

// The library's picture, for the page: its own colours are for files, here the page's theme has them. What
// does not fit is scrolled, by keys too.
function showFigure(id, svg) {
  const place = $(id);
  place.textContent = "";
  if (!svg) return null;
  const parsed = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement;
  parsed.querySelector("style")?.remove();
  const title = parsed.querySelector("title")?.textContent ?? "";
  const description = parsed.querySelector("desc")?.textContent ?? "";
  parsed.setAttribute("aria-label", title + ". " + description);
  place.append(document.importNode(parsed, true));
  const shown = place.firstElementChild;
  const natural = Number(shown.getAttribute("width"));
  const scale = Math.max(0.75, Math.min(1.5, place.clientWidth / natural));
  shown.setAttribute("width", natural * scale);
  shown.setAttribute("height", Number(shown.getAttribute("height")) * scale);
  return shown;
}

// What is scrolled with a wheel must be reached by keys too.
function letKeysScroll(place) {
  if (place.scrollWidth > place.clientWidth || place.scrollHeight > place.clientHeight) {
    place.tabIndex = 0;
    place.setAttribute("role", "region");
    place.setAttribute("aria-label", place.dataset.name);
  } else {
    for (const name of ["tabindex", "role", "aria-label"]) place.removeAttribute(name);
  }
}

// That there is more at the right is seen.
function showMore(place) {
  place.classList.toggle("more", place.scrollWidth - place.clientWidth - place.scrollLeft > 1);
}

function watchMore(place) {
  new ResizeObserver(() => showMore(place)).observe(place);
  place.addEventListener("scroll", () => showMore(place), { passive: true });
}

function watchFigures() {
  const watch = new ResizeObserver((changes) => changes.forEach((change) => letKeysScroll(change.target)));
  for (const place of document.querySelectorAll(".figure")) {
    watch.observe(place);
    watchMore(place);
    new MutationObserver(() => {
      letKeysScroll(place);
      showMore(place);
    }).observe(place, { childList: true });
  }
}

function plural(count, word) {
  return `${count} ${word}${String(count) === "1" ? "" : "s"}`;
}
