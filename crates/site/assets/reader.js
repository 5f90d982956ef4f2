// Makes published pages more comfortable to read: theme switch, copy buttons, tabs that remember,
// an outline that follows, images that open, and pages that load ahead. Each page is complete
// without this script. It runs in the head, so that a chosen theme applies to the first frame.
(() => {
  const root = document.documentElement;
  const text = document.currentScript.dataset;
  const one = (selector, part = document) => part.querySelector(selector);
  const all = (selector, part = document) => [...part.querySelectorAll(selector)];
  const read = (key) => {
    try { return localStorage.getItem(key); } catch { return null; }
  };
  const write = (key, value) => {
    try { localStorage.setItem(key, value); } catch { /* The choice lasts for this page. */ }
  };
  const make = (tag) => document.createElement(tag);
  const rect = (part) => part.getBoundingClientRect();
  const on = (part, name, run) => part.addEventListener(name, run);
  const button = (name, label) => {
    const made = make("button");
    made.type = "button";
    made.className = name;
    made.title = label;
    made.ariaLabel = label;
    return made;
  };

  // Theme. The stored choice replaces the site's and that of the reader's system.
  const system = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => root.dataset.scheme ? root.dataset.scheme === "dark" : system.matches;
  const chosen = text.dark && read("theme");
  if (chosen === "dark" || chosen === "light") root.dataset.scheme = chosen;
  const showTheme = (force) => {
    for (const toggle of all(".theme-switch")) toggle.ariaPressed = isDark();
    if (!force) return;
    for (const source of all("picture > source[media]")) {
      const scheme = source.dataset.scheme ??= /^(not )?all$/.test(source.media) ? "dark"
        : source.media.match(/^\(prefers-color-scheme: (dark|light)\)$/)?.[1] ?? "";
      if (scheme) source.media = (scheme === "dark") === isDark() ? "all" : "not all";
    }
  };
  const themes = () => {
    showTheme(chosen);
    on(system, "change", () => showTheme(false));
    for (const toggle of all(".theme-switch")) {
      on(toggle, "click", () => {
        root.dataset.scheme = isDark() ? "light" : "dark";
        write("theme", root.dataset.scheme);
        showTheme(true);
      });
    }
    addEventListener("storage", ({ key, newValue }) => {
      if (key !== "theme" || !text.dark || !/^(dark|light)$/.test(newValue)) return;
      root.dataset.scheme = newValue;
      showTheme(true);
    });
  };

  // Copying. `content` is a text, or a promise of one that Safari accepts within the click.
  const copyByCommand = (content) => {
    const field = make("textarea");
    field.value = content;
    field.className = "sr";
    document.body.append(field);
    field.select();
    const copied = document.execCommand("copy");
    field.remove();
    if (!copied) throw new Error("the browser refused to copy");
  };
  const copy = async (content) => {
    if (!navigator.clipboard) return copyByCommand(await content);
    if (typeof content === "string" || !window.ClipboardItem) {
      return navigator.clipboard.writeText(await content);
    }
    const blob = content.then((value) => new Blob([value], { type: "text/plain" }));
    return navigator.clipboard.write([new ClipboardItem({ "text/plain": blob })]);
  };
  let live;
  const announce = (message) => {
    if (!live) {
      live = make("p");
      live.className = "sr";
      live.role = "status";
      document.body.append(live);
    }
    live.textContent = message;
  };
  const copies = (from, content) => on(from, "click", async () => {
    try {
      await copy(content());
    } catch {
      return;
    }
    from.dataset.copied = "";
    announce(text.copied);
    setTimeout(() => {
      delete from.dataset.copied;
      announce("");
    }, 2000);
  });

  const code = () => {
    const wraps = new ResizeObserver((entries) => {
      for (const { target: pre } of entries) {
        const figure = pre.parentElement;
        if (!figure.classList.contains("wrap")) {
          figure.toggleAttribute("data-overflows", pre.scrollWidth > pre.clientWidth + 1);
        }
      }
    });
    for (const figure of all(".prose figure.code")) {
      const pre = one("pre", figure);
      if (!pre) continue;
      const tools = make("div");
      tools.className = "code-tools";
      if (!figure.classList.contains("wrap")) {
        const wrap = button("tool tool-wrap", text.wrap);
        wrap.ariaPressed = false;
        on(wrap, "click", () => {
          wrap.ariaPressed = figure.classList.toggle("wrap");
        });
        tools.append(wrap);
        wraps.observe(pre);
      }
      const copied = button("tool tool-copy", text.copy);
      copies(copied, () => one("code", pre).textContent.replace(/\n$/, ""));
      tools.append(copied);
      figure.append(tools);
    }
    for (const page of all("button[data-copy-page]")) {
      copies(page, () => fetch(page.dataset.copyPage).then((response) => {
        if (!response.ok) throw new Error(response.statusText);
        return response.text();
      }));
    }
    for (const value of all("button[data-copy-text]")) {
      copies(value, () => value.dataset.copyText);
    }
  };

  // Tabs with equal titles follow each other, on a page and across pages.
  const tabs = () => {
    const title = (tab) => one("summary", tab).textContent.trim();
    const groups = all(".tabs").map((group) => [...group.children]);
    let titles = [];
    try { titles = JSON.parse(read("tabs")) ?? []; } catch { /* Another program's value. */ }
    if (!Array.isArray(titles)) titles = [];
    const open = (items, tab) => {
      for (const item of items) item.open = item === tab;
    };
    const target = document.getElementById(decode(location.hash.slice(1)));
    for (const items of groups) {
      const wanted = titles.map((name) => items.find((tab) => title(tab) === name)).find(Boolean);
      if (wanted && !items.some((tab) => tab.contains(target))) open(items, wanted);
      for (const [at, tab] of items.entries()) {
        const summary = one("summary", tab);
        on(summary, "click", (event) => {
          if (tab.open) return event.preventDefault();
          const name = title(tab);
          const before = rect(summary).top;
          for (const others of groups) {
            const same = others !== items && others.find((other) => title(other) === name);
            if (same) open(others, same);
          }
          titles = [name, ...titles.filter((known) => known !== name)].slice(0, 20);
          write("tabs", JSON.stringify(titles));
          requestAnimationFrame(() => {
            scrollBy({ top: rect(summary).top - before, behavior: "instant" });
          });
        });
        on(summary, "keydown", (event) => {
          const rtl = getComputedStyle(summary).direction === "rtl";
          const steps = { ArrowLeft: rtl ? 1 : -1, ArrowRight: rtl ? -1 : 1 };
          const ends = { Home: 0, End: items.length - 1 };
          const to = event.key in ends ? ends[event.key]
            : event.key in steps ? (at + steps[event.key] + items.length) % items.length : at;
          if (to === at || event.ctrlKey || event.metaKey || event.altKey) return;
          event.preventDefault();
          const next = one("summary", items[to]);
          next.focus();
          next.click();
        });
      }
    }
  };
  const decode = (value) => {
    try { return decodeURIComponent(value); } catch { return value; }
  };

  // The outline marks the headings in the upper half of the window, else the last one above.
  const outline = () => {
    const nav = one(".outline");
    if (!nav) return;
    const entries = all("a", nav)
      .map((link) => ({ link, heading: document.getElementById(decode(link.hash.slice(1))) }))
      .filter(({ heading }) => heading);
    nav.dataset.live = "";
    // In a wide window, the outline is shown whether it is open or not: it is announced as open.
    // Elsewhere, it closes when the reader chooses a heading.
    const fold = (stays) => {
      const list = one("details", nav);
      list.open = stays && list.open || !one("summary", nav).offsetWidth;
    };
    on(nav, "click", ({ target }) => {
      if (target.closest("a")) fold();
    });
    let waits = false;
    const mark = () => {
      waits = false;
      const tops = entries.map(({ heading }) => rect(heading).top);
      const above = tops.findLastIndex((top) => top < 0);
      const seen = tops.map((top) => top >= 0 && top <= innerHeight / 2);
      if (!seen.includes(true) && above >= 0) seen[above] = true;
      for (const [at, { link }] of entries.entries()) {
        link.ariaCurrent = seen[at] ? "location" : null;
      }
      const first = one("[aria-current]", nav);
      if (first && nav.scrollHeight > nav.clientHeight) {
        const top = rect(first).top - rect(nav).top;
        if (top < 0 || top > nav.clientHeight - 40) nav.scrollTop += top - nav.clientHeight / 2;
      }
    };
    const plan = () => {
      if (!waits) requestAnimationFrame(mark);
      waits = true;
    };
    addEventListener("scroll", plan, { passive: true });
    addEventListener("resize", () => {
      fold(true);
      plan();
    });
    fold(true);
    mark();
  };

  // Images that are shown smaller than they are open in full.
  const images = () => {
    const enlarge = (image) => {
      const dialog = make("dialog");
      dialog.className = "zoom";
      dialog.ariaLabel = image.alt || text.enlarge;
      const large = make("img");
      large.src = image.currentSrc;
      large.alt = image.alt;
      const close = button("tool tool-close", text.close);
      dialog.append(large, close);
      on(dialog, "click", () => dialog.close());
      on(dialog, "close", () => {
        dialog.remove();
        image.focus();
      });
      document.body.append(dialog);
      dialog.showModal();
    };
    const check = (image) => {
      if (image.role || image.naturalWidth < image.clientWidth * 1.15 || !image.clientWidth) return;
      image.role = "button";
      image.tabIndex = 0;
      image.classList.add("zoomable");
      image.ariaLabel = image.alt ? `${text.enlarge}: ${image.alt}` : text.enlarge;
      on(image, "click", () => enlarge(image));
      on(image, "keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        enlarge(image);
      });
    };
    for (const image of all(".prose :is(figure.image, .gallery) img")) {
      if (image.closest("a, button, summary")) continue;
      if (image.complete) check(image);
      else on(image, "load", () => check(image));
    }
  };

  // A player of another host is loaded when the reader asks for it.
  const players = () => {
    for (const link of all("a[data-player]")) {
      on(link, "click", (event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
        event.preventDefault();
        const frame = make("iframe");
        frame.className = "player";
        frame.title = one(".embed-title, .embed-host", link).textContent;
        frame.allow = "fullscreen; encrypted-media; picture-in-picture";
        frame.sandbox = "allow-scripts allow-same-origin allow-presentation allow-popups";
        frame.referrerPolicy = "strict-origin-when-cross-origin";
        frame.src = link.dataset.player;
        link.replaceWith(frame);
        frame.focus();
      });
    }
  };

  // A page is loaded when its link is pointed at, so that it is there at the click.
  const ahead = () => {
    if (navigator.connection?.saveData) return;
    const seen = new Set();
    const load = (link) => {
      const url = new URL(link.href);
      url.hash = "";
      const path = url.pathname.slice(url.pathname.lastIndexOf("/") + 1);
      if (url.origin !== location.origin || url.href === location.href.split("#")[0]
        || url.search || link.download || url.pathname.includes("/~") || path.includes(".")
        || !link.closest(".site-nav, main, .sections, .breadcrumbs, .pagination")
        || seen.has(url.href) || seen.size >= 50) return;
      seen.add(url.href);
      const hint = make("link");
      hint.rel = "prefetch";
      hint.href = url.href;
      document.head.append(hint);
    };
    let timer;
    on(document, "pointerover", ({ target }) => {
      clearTimeout(timer);
      const link = target.closest?.("a[href]");
      if (link) timer = setTimeout(load, 65, link);
    });
    on(document, "pointerdown", ({ target }) => {
      const link = target.closest?.("a[href]");
      if (link) load(link);
    });
  };

  // Ratings and comments are sent without leaving the page; the form of the answer replaces the
  // sent one.
  const feedback = () => {
    on(document, "submit", async (event) => {
      const form = event.target.closest(".feedback");
      if (!form || form.dataset.plain) return;
      event.preventDefault();
      const body = new URLSearchParams(new FormData(form, event.submitter));
      form.inert = true;
      try {
        const answer = await fetch(form.action, { method: "POST", body });
        if (!answer.ok) throw answer;
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        const next = one(".feedback", page) ?? make("form");
        const said = make("p");
        said.textContent = one("h1", page).textContent;
        said.role = "status";
        next.className = "feedback";
        next.prepend(said);
        form.replaceWith(next);
        one("textarea", next)?.focus();
      } catch {
        form.inert = false;
        form.dataset.plain = "true";
        form.requestSubmit(event.submitter);
      }
    });
  };

  // Related pages are asked for when the reader comes near the end of the page.
  const related = () => {
    const foot = one(".page-foot[data-related]");
    if (!foot) return;
    const nears = new IntersectionObserver(async (entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      nears.disconnect();
      const answer = await fetch(foot.dataset.related).catch(() => null);
      if (!answer?.ok) return;
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      foot.append(...all(".related", page));
    }, { rootMargin: "0px 0px 400px" });
    nears.observe(foot);
  };

  // The header of a long table sticks to the window. The stylesheet does this for tables that fit;
  // the header of a table that scrolls sideways is moved here.
  const tables = () => {
    const boxes = all(".table").filter((box) => one("thead", box));
    if (!boxes.length) return;
    const place = (box) => {
      const head = one("thead", box);
      const { top: start, height } = rect(box);
      const room = height - head.offsetHeight * 2;
      const down = "fits" in box.dataset ? 0 : Math.min(edge() - start, room);
      head.toggleAttribute("data-stuck", down > 0);
      head.style.transform = down > 0 ? `translateY(${down}px)` : "";
    };
    const edge = () => Math.max(0, ...all(".site-header, .outline summary")
      .map((bar) => rect(bar).bottom));
    const sizes = new ResizeObserver((entries) => {
      for (const { target: box } of entries) {
        box.toggleAttribute("data-fits", box.scrollWidth <= box.clientWidth + 1);
        place(box);
      }
    });
    for (const box of boxes) sizes.observe(box);
    addEventListener("scroll", () => boxes.forEach(place), { passive: true });
  };

  // Menus, and the outline where it is one, close with Escape, and when the reader presses elsewhere.
  const menus = () => {
    const opened = () => all("details.menu[open], .outline [open]")
      .filter((menu) => one("summary", menu).offsetWidth);
    on(document, "keydown", ({ key }) => {
      const menu = key === "Escape" && opened()[0];
      if (!menu) return;
      menu.open = false;
      one("summary", menu).focus();
    });
    on(document, "pointerdown", ({ target }) => {
      for (const menu of opened()) menu.open = menu.contains(target);
    });
  };

  // Shows the current section where the stylesheet cannot.
  const sections = () => {
    const here = one(".sections [aria-current]");
    if (!here || CSS.supports("scroll-initial-target", "nearest")) return;
    here.closest("nav").scrollLeft = here.offsetLeft - 56;
  };

  // Tells the site that the page is shown, which a page that is made ahead is later.
  const view = () => {
    const address = one(".page-foot")?.dataset.view;
    const tell = () =>
      navigator.sendBeacon(`${address}&from=${encodeURIComponent(document.referrer)}`);
    if (!address) return;
    if (document.prerendering) document.onprerenderingchange = tell;
    else tell();
  };

  on(document, "DOMContentLoaded", () => {
    for (const part of [view, themes, menus, sections, code, tables, tabs, outline, images, players, feedback, related, ahead]) part();
  });
})();
