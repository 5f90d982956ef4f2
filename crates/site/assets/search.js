// Shows the results of a search while the reader types. Without this script, the form of each page
// leads to a page with the same results.
(() => {
  const text = document.currentScript.dataset;
  const forms = [...document.querySelectorAll(".search-start")];
  const [form] = forms;
  if (!form) return;
  const label = form.querySelector("input").ariaLabel;
  const apple = /mac|iphone|ipad/i.test(navigator.userAgentData?.platform ?? navigator.platform);
  const recentKey = `searches ${new URL(form.action).pathname}`;
  const MAX_RECENT = 5;
  const MAX_KNOWN = 50;

  const make = (tag, properties, ...children) => {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
  };
  const on = (node, event, act) => node.addEventListener(event, act);
  const recent = () => {
    try {
      const found = JSON.parse(localStorage.getItem(recentKey));
      return Array.isArray(found) ? found.filter((one) => typeof one === "string") : [];
    } catch {
      return [];
    }
  };
  const keep = (searches) => {
    try {
      localStorage.setItem(recentKey, JSON.stringify(searches.slice(0, MAX_RECENT)));
    } catch {
      // Nothing is remembered.
    }
  };
  // Tells the site of an opened search or result.
  const tell = (type, page = "") => navigator.sendBeacon(
    `${form.action}/events?${new URLSearchParams({ type, page, q: input.value.trim() })}`);
  const remember = () => {
    const typed = input.value.trim();
    if (typed) keep([typed, ...recent().filter((one) => one !== typed)]);
  };

  // The dialog is made when it is first opened. Its results are options of the field, so that the
  // reader types and chooses without moving the focus.
  let dialog, input, options, note, status, parts;
  let links = [];
  let at = -1;
  let shownFor;
  const build = () => {
    const search = form.querySelector(".search").cloneNode(true);
    search.querySelector("kbd")?.remove();
    input = search.querySelector("input");
    for (const [name, value] of Object.entries({
      role: "combobox", "aria-expanded": false, "aria-controls": "B--options",
      "aria-autocomplete": "list", "aria-haspopup": "listbox", enterkeyhint: "search",
    })) input.setAttribute(name, value);
    input.removeAttribute("aria-keyshortcuts");
    const close = make("button", { type: "button", className: "search-close", title: text.close, ariaLabel: text.close },
      make("span", { className: "glyph glyph-close" }));
    on(close, "click", () => dialog.close());
    parts = make("span", { className: "search-parts" });
    const own = make("form", { className: "search-form", action: form.action }, search, parts, close);
    own.role = "search";
    note = make("div", { className: "found-note" });
    options = make("div", { id: "B--options", role: "listbox", hidden: true, ariaLabel: label });
    status = make("p", { className: "sr", role: "status" });
    dialog = make("dialog", { className: "search-box", ariaLabel: label }, own,
      make("div", { className: "search-results", tabIndex: 0 }, note, options), status);
    document.body.append(dialog);
    on(own, "submit", remember);
    on(own, "input", () => update());
    on(input, "keydown", press);
    on(dialog, "click", (event) => {
      if (event.target === dialog) dialog.close();
    });
    on(options, "click", follow);
    on(options, "pointermove", ({ target }) => {
      const to = links.indexOf(target.closest("a"));
      if (to >= 0 && to !== at) choose(to, false);
    });
  };

  const choose = (to, scrolls = true) => {
    links[at]?.setAttribute("aria-selected", false);
    at = to;
    const link = links[at];
    if (!link) return input.removeAttribute("aria-activedescendant");
    link.setAttribute("aria-selected", true);
    input.setAttribute("aria-activedescendant", link.id);
    if (scrolls) link.scrollIntoView({ block: "nearest" });
  };

  // Shows a note and options. Lists between them and the field have no role of their own.
  const show = (notes, lists) => {
    note.replaceChildren(...notes);
    options.replaceChildren(...lists);
    links = [...options.querySelectorAll("a")];
    for (const list of options.querySelectorAll("ol, ul, li, p")) list.role = "none";
    for (const [number, link] of links.entries()) {
      link.id = `B--option-${number}`;
      link.role = "option";
      link.tabIndex = -1;
    }
    options.hidden = !links.length;
    input.setAttribute("aria-expanded", Boolean(links.length));
    at = -1;
    choose(links.length ? 0 : -1, false);
    options.parentElement.scrollTop = 0;
  };

  const showRecent = () => {
    const searches = recent();
    if (!searches.length) return show([], []);
    const clear = make("button", { type: "button", className: "text-button" }, text.clear);
    on(clear, "click", () => {
      keep([]);
      showRecent();
      input.focus();
    });
    const entries = searches.map((search) => {
      const link = make("a", { className: "found-page", href: address(search) }, search);
      link.dataset.search = search;
      return make("li", {}, link);
    });
    show([make("p", {}, text.recent, " · ", clear)], [make("ol", { className: "found" }, ...entries)]);
    choose(-1);
  };

  // Results are asked for as the reader types. Only the answer to the present text is shown.
  const known = new Map();
  let request;
  const part = () => parts.querySelector("select")?.value ?? "";
  const address = (query, ...more) => {
    const values = new URLSearchParams({ q: query });
    if (part()) values.set("in", part());
    for (const [name, value] of more) values.set(name, value);
    return `${form.action}?${values}`;
  };
  const load = async (wanted) => {
    request?.abort();
    if (known.has(wanted)) return known.get(wanted);
    request = new AbortController();
    const answer = await fetch(wanted, { signal: request.signal });
    const html = await answer.text();
    if (answer.ok) {
      if (known.size >= MAX_KNOWN) known.clear();
      known.set(wanted, html);
    }
    return html;
  };
  const present = () => address(input.value.trimStart(), ["part", "results"]);
  const update = async () => {
    if (!input.value.trim()) {
      shownFor = undefined;
      showRecent();
    }
    const wanted = present();
    let html;
    try {
      html = await load(wanted);
    } catch {
      return;
    }
    if (wanted !== present()) return;
    const page = new DOMParser().parseFromString(html, "text/html");
    const filter = page.querySelector("select");
    if (filter && !part() && !parts.firstChild) parts.append(filter);
    if (!input.value.trim()) return;
    shownFor = input.value;
    show(page.querySelector(".found-note")?.childNodes ?? [],
      page.querySelectorAll(".found, .found-all"));
    announce(note.textContent);
  };
  let announcement;
  const announce = (message) => {
    clearTimeout(announcement);
    announcement = setTimeout(() => { status.textContent = message; }, 400);
  };

  const follow = (event) => {
    const link = event.target.closest("a");
    if (!link) return;
    if (link.dataset.search) {
      event.preventDefault();
      input.value = link.dataset.search;
      input.focus();
      return update();
    }
    remember();
    if (link.dataset.page) tell("result", link.dataset.page);
    if (!event.ctrlKey && !event.metaKey && !event.shiftKey) dialog.close();
  };
  const press = (event) => {
    const { key, isComposing, ctrlKey, metaKey } = event;
    if (isComposing) return;
    const steps = { ArrowDown: 1, ArrowUp: -1 };
    if (key in steps && links.length) {
      event.preventDefault();
      choose((Math.max(at, key === "ArrowUp" ? 0 : -1) + steps[key] + links.length) % links.length);
    } else if (key === "Enter" && links[at] && (shownFor ?? "") === input.value) {
      event.preventDefault();
      links[at].dispatchEvent(
        new MouseEvent("click", { bubbles: true, cancelable: true, ctrlKey, metaKey }),
      );
    } else if (key === "Escape") {
      event.preventDefault();
      dialog.close();
    }
  };

  let styled;
  const style = () => styled ??= new Promise((done) => {
    const sheet = make("link", { rel: "stylesheet", href: text.style });
    on(sheet, "load", done);
    on(sheet, "error", done);
    document.head.append(sheet);
  });
  const open = async (typed) => {
    if (!dialog) build();
    await style();
    if (!dialog.open) {
      tell("open");
      dialog.showModal();
    }
    if (typed !== undefined) input.value = typed;
    input.focus();
    if (typed === undefined) input.select();
    update();
  };

  for (const one of forms) {
    const field = one.querySelector("input");
    field.setAttribute("aria-keyshortcuts", apple ? "Meta+K" : "Control+K");
    const hint =
      make("kbd", { className: "search-key", ariaHidden: true }, apple ? "⌘K" : "Ctrl K");
    field.after(hint);
    on(one, "submit", (event) => {
      event.preventDefault();
      open();
    });
    for (const early of ["pointerenter", "focusin"]) on(one, early, style);
    on(field, "click", () => open());
    on(field, "input", () => {
      const typed = field.value;
      field.value = "";
      open(typed);
    });
  }
  on(document, "keydown", (event) => {
    if (event.key.toLowerCase() !== "k" || event.shiftKey || event.altKey) return;
    if (apple ? !event.metaKey : !event.ctrlKey) return;
    event.preventDefault();
    if (dialog?.open) dialog.close();
    else open();
  });
  for (const filter of document.querySelectorAll("main .search-filter")) {
    on(filter, "change", () => filter.form.requestSubmit());
  }
})();
