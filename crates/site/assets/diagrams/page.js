// Draws the Mermaid diagrams of a page. Only pages with a diagram load this script; without it, the
// source stays readable. The library runs in a frame of its own with an opaque origin, where it
// cannot reach the page, and its drawings are shown as images, in which nothing runs and nothing is
// loaded.
(() => {
  const text = document.currentScript.dataset;
  // Time after which a diagram stays source, in milliseconds.
  const PATIENCE = 20000;
  // Maximum length of a source. Drawing a longer one can block the page for seconds.
  const MAX_LENGTH = 20000;
  const waiting = new Map();
  let frame;
  let queue = [];
  let count = 0;

  const draw = (source, dark) => new Promise((resolve, reject) => {
    const id = ++count;
    const timer = setTimeout(() => {
      waiting.delete(id);
      reject(new Error("late"));
    }, PATIENCE);
    waiting.set(id, { resolve, reject, timer });
    const message = { id, source, dark };
    if (queue) queue.push(message);
    else frame.contentWindow.postMessage(message, "*");
    if (frame) return;
    frame = document.createElement("iframe");
    frame.setAttribute("sandbox", "allow-scripts");
    frame.setAttribute("aria-hidden", "true");
    frame.tabIndex = -1;
    frame.className = "diagram-frame";
    frame.src = text.frame;
    document.body.append(frame);
  });

  addEventListener("message", ({ source, data }) => {
    if (!frame || source !== frame.contentWindow) return;
    if (data === "ready") {
      for (const message of queue ?? []) source.postMessage(message, "*");
      queue = null;
      return;
    }
    const answer = waiting.get(data.id);
    if (!answer) return;
    waiting.delete(data.id);
    clearTimeout(answer.timer);
    if (typeof data.svg === "string") answer.resolve(data);
    else answer.reject(new Error("not drawn"));
  });

  const address = (svg) => `data:image/svg+xml,${encodeURIComponent(svg)}`;

  const show = async (figure, code) => {
    const source = code.textContent;
    if (source.length > MAX_LENGTH) return;
    let drawings;
    try {
      drawings = await Promise.all([draw(source, false), draw(source, true)]);
    } catch {
      return;
    }
    const [light, dark] = drawings;
    const image = document.createElement("img");
    image.src = address(light.svg);
    image.alt = light.title || text.diagram;
    // Below three fifths of its size, a drawing is not legible.
    const room = figure.clientWidth - 32;
    const width = Math.max(Math.min(light.width, room), Math.round(light.width * 0.6));
    image.width = width;
    image.height = Math.round(light.height * width / light.width);
    const other = document.createElement("source");
    other.srcset = address(dark.svg);
    // The theme switch finds the media condition of images with a dark variant.
    other.media = "(prefers-color-scheme: dark)";
    const scheme = document.documentElement.dataset.scheme;
    if (scheme) {
      other.dataset.scheme = "dark";
      other.media = scheme === "dark" ? "all" : "not all";
    }
    const picture = document.createElement("picture");
    picture.className = width > room ? "diagram-image wide" : "diagram-image";
    if (width > room) picture.tabIndex = 0;
    picture.append(other, image);
    const toggle = document.createElement("button");
    toggle.type = "button";
    toggle.className = "tool tool-source";
    toggle.title = text.source;
    toggle.setAttribute("aria-label", text.source);
    toggle.setAttribute("aria-pressed", "false");
    toggle.addEventListener("click", () => {
      const isSource = figure.classList.toggle("source");
      toggle.setAttribute("aria-pressed", isSource);
    });
    figure.classList.add("diagram");
    figure.querySelector("pre").before(picture);
    let tools = figure.querySelector(".code-tools");
    if (!tools) {
      tools = document.createElement("div");
      tools.className = "code-tools";
      figure.append(tools);
    }
    tools.prepend(toggle);
  };

  document.addEventListener("DOMContentLoaded", () => {
    const near = new IntersectionObserver((entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        near.unobserve(target);
        show(target, target.querySelector("code"));
      }
    }, { rootMargin: "800px" });
    for (const code of document.querySelectorAll("figure.code code.language-mermaid")) {
      near.observe(code.closest("figure"));
    }
  });
})();
