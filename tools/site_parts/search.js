// The site's search, in place of mkdocs' own, which needs a server: a browser gives a page that was opened
// from a folder neither a worker nor a file to read, but it does load scripts. `pages.js` holds the
// words of all pages, lunr.js is mkdocs'; both are loaded when the search is first opened.
(function () {
  "use strict";
  const shown = 40, around = 100;
  const here = document.currentScript.src.replace(/[^/]*$/, "");
  let pages = null, index = null, loading = null;

  function script(name) {
    return new Promise((good, bad) => {
      const one = document.createElement("script");
      one.src = here + name;
      one.onload = good;
      one.onerror = () => bad(new Error(name + " is not there"));
      document.head.append(one);
    });
  }

  function load() {
    loading = loading || Promise.all([script("lunr.js"), script("pages.js")]).then(() => {
      lunr.tokenizer.separator = /[^\p{L}\p{N}_]+/u;  // words of code, too: parse_layout(text) is two
      pages = new Map(faro_pages.map(page => [page.location, page]));
      index = lunr(function () {
        this.ref("location");
        this.field("title", {boost: 10});
        this.field("text");
        faro_pages.forEach(page => this.add(page));
      });
    });
    return loading;
  }

  // The words of a question, without those that stand everywhere unless there are no others.
  function words(question) {
    const all = question.toLowerCase().split(lunr.tokenizer.separator).filter(word => word);
    const telling = all.filter(word => lunr.stopWordFilter(new lunr.Token(word, {})));
    return telling.length ? telling : all;
  }

  // Sections that have every word, as it is or at the beginning of a longer one; best first.
  function find(wanted) {
    let sums = null;
    for (const word of wanted) {
      const next = new Map();
      for (const {ref, score} of index.query(query => {
        query.term(word, {boost: 10});
        query.term(word, {wildcard: lunr.Query.wildcard.TRAILING, usePipeline: false});
      })) {
        if (!sums || sums.has(ref)) next.set(ref, score + (sums ? sums.get(ref) : 0));
      }
      sums = next;
    }
    // A whole page stands for its sections only where none of them has all the words, or its title has.
    const pageOf = ref => ref.split("#")[0];
    const sections = new Set([...sums.keys()].filter(ref => ref !== pageOf(ref)).map(pageOf));
    const tells = ref => wanted.every(word => pages.get(ref).title.toLowerCase().includes(word));
    return [...sums].filter(([ref]) => ref !== pageOf(ref) || !sections.has(ref) || tells(ref))
      .sort((a, b) => b[1] - a[1]).map(([ref]) => pages.get(ref));
  }

  // "Page: section", and the text around the first word that is found.
  function result(page, wanted) {
    const whole = pages.get(page.location.split("#")[0]);
    const article = document.createElement("article");
    const title = article.appendChild(document.createElement("h3")).appendChild(document.createElement("a"));
    title.href = here + "../" + page.location;
    title.textContent = whole && whole !== page && whole.title !== page.title ? whole.title + ": " + page.title : page.title;
    const text = page.text, lower = text.toLowerCase();
    const at = Math.max(0, Math.min(...wanted.map(word => lower.indexOf(word)).filter(i => i >= 0), text.length));
    const from = at === text.length ? 0 : Math.max(0, at - around);
    article.appendChild(document.createElement("p")).textContent =
      (from ? "... " : "") + text.slice(from, from + 2 * around) + (from + 2 * around < text.length ? " ..." : "");
    return article;
  }

  function say(list, ...what) {
    list.replaceChildren(...what.map(one => {
      if (typeof one !== "string") return one;
      const words = document.createElement("p");
      words.textContent = one;
      return words;
    }));
  }

  document.addEventListener("DOMContentLoaded", () => {
    const field = document.getElementById("mkdocs-search-query");
    const list = document.getElementById("mkdocs-search-results");
    if (!field || !list) return;
    const answer = async () => {
      if (field.value.trim().length < 2) return say(list);
      if (!index) say(list, "Reading the index ...");
      try {
        await load();
      } catch (error) {
        return say(list, "The search's index cannot be loaded: " + error.message);
      }
      const wanted = words(field.value);
      const found = wanted.length ? find(wanted) : [];
      const more = found.length > shown ? ["and " + (found.length - shown) + " more; another word says which"] : [];
      say(list, ...(found.length ? found.slice(0, shown).map(page => result(page, wanted)) : ["No page has these words"]), ...more);
    };
    field.addEventListener("focus", () => load().catch(() => {}));
    field.addEventListener("input", answer);
    field.form && field.form.addEventListener("submit", event => event.preventDefault());
  });
})();
