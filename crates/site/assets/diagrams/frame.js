// Runs in a frame without an origin: draws the diagrams that the page sends. The address of the
// library depends on its content and is inserted by the server.
import mermaid from "MERMAID";

{
  const FONT = "ui-sans-serif, system-ui, -apple-system, \"Segoe UI\", Roboto, \"Noto Sans\", Arial, sans-serif";
  // Colours as hexadecimal numbers, which the library computes with.
  const LIGHT = {
    background: "#ffffff", primaryColor: "#eef2f9", primaryTextColor: "#1d2330",
    primaryBorderColor: "#8a96ad", secondaryColor: "#f3f0fa", tertiaryColor: "#f6f7f9",
    lineColor: "#5b657a", textColor: "#1d2330", noteBkgColor: "#fdf6df", noteTextColor: "#1d2330",
    noteBorderColor: "#c9a94f", edgeLabelBackground: "#ffffff", clusterBkg: "#f6f7f9",
    clusterBorder: "#c5ccd8", pieStrokeColor: "#ffffff", pieOuterStrokeColor: "#8a96ad", errorBkgColor: "#fdecea", errorTextColor: "#8f1d14",
  };
  const DARK = {
    background: "#14171c", primaryColor: "#252c3a", primaryTextColor: "#e3e6ec",
    primaryBorderColor: "#6f7c95", secondaryColor: "#2d2a3d", tertiaryColor: "#1d2129",
    lineColor: "#9aa5ba", textColor: "#e3e6ec", noteBkgColor: "#3a3320", noteTextColor: "#f0e9d2",
    noteBorderColor: "#8a7435", edgeLabelBackground: "#14171c", clusterBkg: "#1b1f27",
    clusterBorder: "#3d4656", pieStrokeColor: "#14171c", pieOuterStrokeColor: "#6f7c95", errorBkgColor: "#3d1f1c", errorTextColor: "#f6c1bb",
  };
  // Areas that differ by colour only, such as those of a pie, with legible text on each.
  const LIGHT_AREAS = ["#b9d0f5", "#c9e4c5", "#f6dcae", "#dfc8f0", "#f3c6c4", "#bfe3e6", "#e6e0b0", "#d5d9e2"];
  const DARK_AREAS = ["#2d4a7a", "#2f5a36", "#6b4f1d", "#553a73", "#702f2f", "#22565c", "#57531f", "#434b5c"];
  const areas = (dark) => Object.fromEntries((dark ? DARK_AREAS : LIGHT_AREAS).flatMap((color, at) => {
    const text = (dark ? DARK : LIGHT).textColor;
    return [[`pie${at + 1}`, color], [`cScale${at}`, color], [`cScaleLabel${at}`, text],
      [`git${at}`, color], [`gitBranchLabel${at}`, text]];
  }));
  const configuration = (dark) => ({
    startOnLoad: false,
    securityLevel: "strict",
    theme: "base",
    darkMode: dark,
    themeVariables: {
      ...(dark ? DARK : LIGHT), ...areas(dark), darkMode: dark, fontFamily: FONT, fontSize: "15px",
    },
    fontFamily: FONT,
    // Labels are text of the drawing, because some browsers draw no HTML in images.
    htmlLabels: false,
    flowchart: { htmlLabels: false, useMaxWidth: false },
    class: { htmlLabels: false, useMaxWidth: false },
    // The library places these labels as if they were HTML.
    themeCSS: ".mindmap-node > .label[transform^=\"translate(0,\"] text { text-anchor: middle; }",
    maxTextSize: 50000,
    maxEdges: 500,
    secure: ["secure", "securityLevel", "startOnLoad", "maxTextSize", "maxEdges", "htmlLabels",
      "suppressErrorRendering", "fontFamily", "themeCSS"],
    suppressErrorRendering: true,
  });

  const drawn = async (id, source, dark) => {
    mermaid.initialize(configuration(dark));
    const { svg } = await mermaid.render(`d${id}`, source);
    const root = new DOMParser().parseFromString(svg, "text/html").querySelector("svg");
    const [, , width, height] = (root.getAttribute("viewBox") ?? "").split(/[ ,]+/).map(Number);
    if (!(width > 0 && height > 0)) throw new Error("no size");
    // An image without a size would take that of its place.
    root.setAttribute("width", width);
    root.setAttribute("height", height);
    const title = root.querySelector(":scope > title")?.textContent ?? "";
    return {
      id, title, svg: new XMLSerializer().serializeToString(root),
      width: Math.round(width), height: Math.round(height),
    };
  };

  let last = Promise.resolve();
  addEventListener("message", ({ source, data }) => {
    if (source !== parent) return;
    // One diagram after the other, because the library keeps its configuration globally.
    last = last.then(async () => {
      try {
        parent.postMessage(await drawn(data.id, data.source, data.dark), "*");
      } catch {
        parent.postMessage({ id: data.id }, "*");
      }
    });
  });
  parent.postMessage("ready", "*");
}
