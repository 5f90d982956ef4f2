// Sends requests to an API from the page of its reference. The site forwards them, so that they do
// not depend on the API's rules for other origins. Credentials are kept in variables only.
(() => {
  const text = document.currentScript.dataset;
  const MAX_INDENTED = 300_000;
  const MAX_INDENTATION = 40;
  const language = document.documentElement.lang || undefined;
  const apple = /mac|iphone|ipad/i.test(navigator.userAgentData?.platform ?? navigator.platform);
  // The texts of the interface, which come with each operation.
  let labels;

  const make = (tag, properties, ...children) => {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
  };
  const on = (node, event, act) => node.addEventListener(event, act);
  const code = (value) => make("code", { dir: "ltr" }, value);
  const button = (label, act, name = "button") => {
    const made = make("button", { type: "button", className: name }, label);
    on(made, "click", act);
    return made;
  };
  const amount = (value, unit, unitDisplay = "short") => new Intl.NumberFormat(language,
    { style: "unit", unit, unitDisplay, maximumFractionDigits: 1 }).format(value);
  const size = (bytes) => bytes < 1000 ? amount(bytes, "byte", "long")
    : bytes < 1e6 ? amount(bytes / 1000, "kilobyte") : amount(bytes / 1e6, "megabyte");

  // Returns the answer of the site, or throws an error with a message for the reader.
  const ask = async (query, options) => {
    const failed = labels?.failed ?? text.failed;
    let answer, found;
    try {
      answer = await fetch(text.at + query, options);
      found = await answer.json();
    } catch {
      throw new Error(failed);
    }
    if (answer.ok) return found;
    const seconds = Number(answer.headers.get("retry-after"));
    const retry = labels && seconds ? labels.retry.replace("{time}", amount(seconds, "second", "long")) : "";
    throw new Error(`${found?.error?.message ?? failed} ${retry}`.trim());
  };

  // A field is a control with its label and the text about it. `read` returns the values that are
  // filled in. A proposed value is filled in if the field is required, and else only shown.
  let ids = 0;
  const field = ({ name, label, required, type, description, values = [], value, multiple, kind = "text", rows }) => {
    const id = `B--try-${ids += 1}`;
    const properties = { id, required, spellcheck: false, autocomplete: "off", autocapitalize: "off" };
    let control;
    if (values.length) {
      const options = values.map((one) => new Option(one, one, false, required && one === value));
      if (!required && !multiple) options.unshift(new Option(labels.notSet, ""));
      control = make("select", { ...properties, multiple }, ...options);
    } else {
      control = multiple || rows ? make("textarea", { ...properties, rows: rows ?? 2 })
        : make("input", { ...properties, type: kind });
      if (kind !== "file") Object.assign(control, { dir: "auto", [required ? "value" : "placeholder"]: value ?? "" });
    }
    const hints = [description, multiple && !values.length && labels.onePerLine].filter(Boolean);
    const error = make("p", { className: "try-error", id: `${id}-error`, hidden: true });
    const about = hints.map((hint, at) => make("p", { className: "api-limit", id: `${id}-${at}`, dir: "auto" }, hint));
    control.setAttribute("aria-describedby", [...about, error].map((one) => one.id).join(" "));
    const head = make("div", { className: "api-head" }, make("label", { htmlFor: id }, label ?? code(name)));
    if (type) head.append(make("span", { className: "api-type" }, type));
    if (required) head.append(make("span", { className: "api-required", ariaHidden: true }, labels.required));
    const warn = (message) => {
      error.textContent = message;
      error.hidden = !message;
      control.ariaInvalid = message ? "true" : null;
    };
    const read = () => {
      if (control.files) return [...control.files];
      if (control.selectedOptions) return [...control.selectedOptions].map((one) => one.value).filter(Boolean);
      return (multiple ? control.value.split("\n").map((line) => line.trim()) : [control.value]).filter(Boolean);
    };
    const check = () => {
      const misses = required && !read().length;
      warn(misses ? labels.missing : "");
      return !misses;
    };
    on(control, "input", () => warn(""));
    return { node: make("div", { className: "try-field" }, head, control, ...about, error), control, name, warn, read, check };
  };

  const group = (title, nodes, ...marks) =>
    make("fieldset", { className: "try-group" }, make("legend", {}, title, ...marks), ...nodes);

  // Parts of the form, of which one is chosen and shown: their `nodes`, then their `fields`.
  const choice = (label, options) => {
    const select = make("select", { ariaLabel: label }, ...options.map(({ title }) => new Option(title)));
    const parts = options.map(({ nodes, fields }) =>
      make("div", { className: "try-part" }, ...nodes ?? [], ...(fields ?? []).map(({ node }) => node)));
    const index = () => options.length > 1 ? select.selectedIndex : 0;
    const show = () => parts.forEach((part, at) => { part.hidden = at !== index(); });
    on(select, "change", show);
    show();
    const [{ only }] = options;
    const head = options.length > 1 ? [select] : only ? [make("p", { className: "try-only" }, code(only))] : [];
    return { nodes: [...head, ...parts], select, index, chosen: () => options[index()], fields: () => options[index()].fields ?? [] };
  };

  const serverPart = (servers) => choice(labels.server, servers.map(({ url, description, variables, refusal }) => ({
    title: description ? `${url} · ${description}` : url,
    only: url,
    refusal,
    nodes: refusal ? [make("p", { className: "try-error" }, refusal)] : [],
    fields: variables.map((one) =>
      field({ ...one, values: one.enum ?? [], value: one.default, required: true })),
  })));

  // All operations with the same scheme of a specification share its credentials.
  const secrets = new Map();
  const secret = (spec, scheme, part, options) => {
    const made = field(options);
    const key = JSON.stringify([spec, scheme, part]);
    const { control } = made;
    control.dir = "ltr";
    control.dataset.secret = key;
    control.value = secrets.get(key) ?? "";
    on(control, "input", () => {
      secrets.set(key, control.value);
      for (const other of document.querySelectorAll(".try [data-secret]")) {
        if (other.dataset.secret === key && other !== control) other.value = control.value;
      }
    });
    return Object.assign(made, { name: scheme, part });
  };
  const credentialPart = (spec, security) => choice(labels.credentials, security.map((schemes) => ({
    title: schemes.map(({ name }) => name).join(" + ") || labels.withoutCredentials,
    fields: schemes.flatMap(({ name, kind, parameter }) => kind === "basic" ? [
      secret(spec, name, "user", { label: `${name}: ${labels.user}` }),
      secret(spec, name, "password", { label: `${name}: ${labels.password}`, kind: "password" }),
    ] : [secret(spec, name, "value", { name, kind: "password", type: parameter ?? "Bearer" })]),
  })));
  const credentials = (fields) => {
    const found = new Map();
    for (const { name, part, read } of fields) {
      const [value] = read();
      if (value) found.set(name, { ...found.get(name), name, [part]: value });
    }
    // A user without a password, or the reverse, sends the other part empty.
    return [...found.values()].map((one) => "value" in one ? one : { user: "", password: "", ...one });
  };

  // A body is a text, or a form with fields and files.
  const bodyPart = (bodies, required) => {
    const options = bodies.map(({ type, example, fields }) => {
      if (fields) {
        return { type, title: type, only: type, isForm: true, fields: fields.map((one) =>
          field({ ...one, kind: one.isFile ? "file" : "text" })) };
      }
      const rows = Math.min(Math.max(example.split("\n").length + 1, 4), 18);
      const area = field({ label: labels.body, rows, required, value: "" });
      area.control.value = example;
      area.control.dir = "ltr";
      area.node.firstChild.classList.add("sr");
      return { type, title: type, only: type, fields: [area] };
    });
    if (!required) options.push({ title: labels.noBody });
    return choice(labels.mediaType, options);
  };
  // Returns the field with a body that should be JSON and is not.
  const broken = ({ type, isForm, fields }) => {
    const value = type && !isForm && /[/+]json\b/i.test(type) && fields[0].read()[0];
    if (!value) return null;
    try {
      JSON.parse(value);
      return null;
    } catch {
      return fields[0];
    }
  };
  const base64 = (file) => new Promise((done, failed) => {
    const reader = new FileReader();
    reader.onload = () => done(reader.result.slice(reader.result.indexOf(",") + 1));
    reader.onerror = () => failed(new Error(labels.unreadable));
    reader.readAsDataURL(file);
  });
  const formValue = async (name, value) => typeof value === "string" ? { name, value }
    : { name, file: { name: value.name, type: value.type, base64: await base64(value) } };

  // Indents JSON. Numbers stay as they are written, since parsing rounds those with many digits.
  const indent = (json) => {
    JSON.parse(json);
    let depth = 0;
    const line = () => `\n${"  ".repeat(Math.min(depth, MAX_INDENTATION))}`;
    return json.replace(/"[^"\\]*(?:\\.[^"\\]*)*"|[[{]\s*[\]}]|[[\]{},:]|\s+/g, (part) => {
      if (part[0] === '"') return part;
      if (!part.trim()) return "";
      if (part.length > 1) return part[0] + part.at(-1);
      if (part === ":") return ": ";
      if (part === ",") return part + line();
      depth += "[{".includes(part) ? 1 : -1;
      return "[{".includes(part) ? part + line() : line() + part;
    });
  };
  const readable = (body, type) => {
    if (!/[/+]json\b/i.test(type) || body.length > MAX_INDENTED) return body;
    try {
      return indent(body);
    } catch {
      return body;
    }
  };

  const ENDINGS = new Map([["plain", "txt"], ["svg+xml", "svg"], ["jpeg", "jpg"]]);
  const fileName = (type) => {
    const kind = type.split("/")[1] ?? "";
    return `response.${ENDINGS.get(kind) ?? /^(?:.*\+)?(\w{1,10})$/.exec(kind)?.[1] ?? "bin"}`;
  };
  const download = ({ body, encoding }, type) => {
    const content = encoding === "base64" ? Uint8Array.from(atob(body), (byte) => byte.charCodeAt(0)) : body;
    const link = make("a", { href: URL.createObjectURL(new Blob([content], { type })), download: fileName(type) });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  };
  const copy = (from) => {
    if (navigator.clipboard) return navigator.clipboard.writeText(from.textContent);
    getSelection().selectAllChildren(from);
    return document.execCommand("copy") ? null : Promise.reject();
  };

  const copyButton = (shown, announce) => {
    const copies = button(labels.copy, async () => {
      try {
        await copy(shown);
      } catch {
        return;
      }
      copies.dataset.copied = "";
      announce(labels.copied);
      setTimeout(() => { delete copies.dataset.copied; }, 2000);
    });
    return copies;
  };
  const textOf = (value) => make("pre", { className: "try-body", dir: "ltr", tabIndex: 0 }, value);

  // Returns the body of an answer with its buttons.
  const bodyOf = (answer, announce) => {
    const { headers, body, encoding, isCut } = answer;
    const note = (message) => make("p", { className: "api-limit" }, message);
    if (!body) return [note(labels.empty)];
    const header = headers.find(([name]) => name.toLowerCase() === "content-type")?.[1] ?? "";
    const type = header.split(";")[0].trim().toLowerCase();
    const tools = make("div", { className: "try-tools" }, make("h3", {}, code(header)));
    let shown = note(labels.binary);
    if (encoding === "text") {
      shown = textOf(isCut ? body : readable(body, type));
      tools.append(copyButton(shown, announce));
    } else if (!isCut && /^image\/[\w.+-]+$/.test(type)) {
      const image = make("img", { className: "try-image", alt: labels.image, src: `data:${type};base64,${body}` });
      on(image, "error", () => image.replaceWith(note(labels.binary)));
      shown = image;
    }
    tools.append(button(labels.download, () => download(answer, type)));
    return [tools, shown, ...isCut ? [note(labels.cut)] : []];
  };
  const headersOf = (headers) => make("details", { className: "try-headers" },
    make("summary", {}, `${labels.headers} (${headers.length})`),
    make("dl", { dir: "ltr" }, ...headers.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)])));
  const summaryOf = ({ status, reason, milliseconds, size: bytes }) =>
    [`${status} ${reason ?? ""}`.trim(), amount(milliseconds, "millisecond"), size(bytes)];
  const answerOf = (answer, announce) => {
    const [result, ...facts] = summaryOf(answer);
    const status = make("strong", { className: "api-code", dir: "ltr" }, result);
    status.dataset.class = String(answer.status)[0];
    const { method, url } = answer.request;
    return [
      make("p", { className: "try-status" }, status, ...facts.map((fact) => make("span", {}, fact))),
      make("p", { className: "try-sent" }, code(`${method} ${url}`)),
      ...answer.headers.length ? [headersOf(answer.headers)] : [],
      ...bodyOf(answer, announce),
    ];
  };

  // Returns the form of an operation: its nodes, the fields that are shown, whether its server can
  // be used, and the message that is sent.
  const formOf = (operation, spec) => {
    const { servers, parameters, bodies, security, bodyRequired } = operation;
    const nodes = [];
    const server = servers.length ? serverPart(servers) : null;
    nodes.push(group(labels.server,
      server?.nodes ?? [make("p", { className: "try-error" }, labels.noServer)]));
    const access = security.some((schemes) => schemes.length) ? credentialPart(spec, security) : null;
    if (access) {
      const note = make("p", { className: "api-limit" }, labels.credentialsNote);
      nodes.push(group(labels.credentials, [...access.nodes, note]));
    }
    const inputs = [];
    for (const [place, title] of [
      ["path", labels.pathParameters], ["query", labels.queryParameters],
      ["header", labels.headers], ["cookie", labels.cookies],
    ]) {
      const here = parameters.filter((one) => one.in === place).map((one) => {
        const values = one.enum?.length ? one.enum : one.type === "boolean" ? ["true", "false"] : [];
        return Object.assign(field({ ...one, values }), { place });
      });
      if (here.length) nodes.push(group(title, here.map(({ node }) => node)));
      inputs.push(...here);
    }
    const body = bodies.length ? bodyPart(bodies, bodyRequired) : null;
    if (body) {
      const marks = bodyRequired ? [" ", make("span", { className: "api-required" }, labels.required)] : [];
      nodes.push(group(labels.body, body.nodes, ...marks));
    }
    const message = async () => {
      const chosen = body?.chosen();
      const content = chosen?.isForm ? undefined : chosen?.fields?.[0].read()[0];
      const form = [];
      for (const { name, read } of chosen?.isForm ? chosen.fields : []) {
        for (const value of read()) form.push(await formValue(name, value));
      }
      return {
        server: server.index(),
        variables: Object.fromEntries(server.fields().map(({ name, read }) => [name, read()[0]])),
        parameters: inputs.map(({ name, place, read }) => ({ name, in: place, values: read() }))
          .filter(({ values }) => values.length),
        contentType: content || chosen?.isForm ? chosen.type : null,
        body: content ?? null,
        form: chosen?.isForm ? form : null,
        credentials: access ? credentials(access.fields()) : [],
      };
    };
    return {
      nodes, message, server,
      fields: () => [server, access, { fields: () => inputs }, body].flatMap((part) => part?.fields() ?? []),
      broken: () => body && broken(body.chosen()),
      usable: () => server && !server.chosen().refusal,
    };
  };

  // Returns a dialog with the name of an operation above its nodes.
  const frame = (title, method, path, close, nodes) => {
    const id = `B--try-${ids += 1}`;
    const badge = make("span", { className: "openapi-method" }, method);
    badge.dataset.method = method;
    const closes = button("", () => dialog.close(), "tool tool-close");
    closes.title = closes.ariaLabel = close;
    const dialog = make("dialog", { className: "try", closedBy: "any" }, make("header", { className: "try-head" },
      make("div", {}, make("h2", { id, dir: "auto" }, title), make("p", {}, badge, " ", code(path))), closes), ...nodes);
    dialog.setAttribute("aria-labelledby", id);
    document.body.append(dialog);
    return dialog;
  };

  // Returns the dialog of an operation, which stays until the page is left and so keeps its values.
  const build = (operation, { spec, key: proof }) => {
    const form = formOf(operation, spec);
    const status = make("p", { className: "sr", role: "status" });
    const announce = (message) => { status.textContent = message; };
    const answer = make("section", { className: "try-answer", ariaLabel: labels.response, tabIndex: 0 },
      make("p", { className: "try-hint" }, labels.hint));
    let request, warned;
    const show = (message, ...nodes) => {
      answer.replaceChildren(...nodes);
      answer.scrollTop = 0;
      announce(message);
      answer.scrollIntoView({ block: "nearest" });
    };
    const fail = (message) => show(message, make("p", { className: "try-error" }, message));

    const send = make("button", { className: "button button-primary" }, labels.send);
    send.setAttribute("aria-keyshortcuts", apple ? "Meta+Enter" : "Control+Enter");
    const cancel = button(labels.cancel, () => request?.abort());
    const key = make("kbd", { className: "search-key", dir: "ltr", ariaHidden: true }, apple ? "⌘ ↵" : "Ctrl ↵");
    const showBusy = (isBusy) => {
      if (!isBusy && document.activeElement === cancel) send.focus();
      cancel.hidden = !isBusy;
      key.hidden = isBusy;
      send.ariaDisabled = isBusy ? "true" : null;
      answer.ariaBusy = isBusy ? "true" : null;
    };
    showBusy(false);

    // Sends the values of the form, after they were checked, and shows what `nodesOf` returns.
    const submit = async (nodesOf, more) => {
      if (request || !form.usable()) return;
      const wrong = form.fields().filter((one) => !one.check());
      if (wrong.length) return wrong[0].control.focus();
      const broken = form.broken();
      if (broken && warned !== broken.control.value) {
        warned = broken.control.value;
        broken.warn(labels.invalidJson);
        return broken.control.focus();
      }
      request = new AbortController();
      const { signal } = request;
      showBusy(true);
      announce(labels.sending);
      try {
        const body = JSON.stringify({ key: proof, ...await form.message(), ...more });
        const found = await ask("", { method: "POST", headers: { "content-type": "application/json" }, body, signal });
        show(...nodesOf(found));
      } catch (error) {
        fail(signal.aborted ? labels.cancelled : error.message);
      } finally {
        request = undefined;
        showBusy(false);
      }
    };
    const call = () => submit((found) => [summaryOf(found).join(", "), ...answerOf(found, announce)]);
    const curl = button("cURL", () => submit(({ curl: command }) => {
      const shown = textOf(command);
      return ["cURL", make("div", { className: "try-tools" }, make("h3", {}, "cURL"), copyButton(shown, announce)), shown];
    }, { asCurl: true }));
    const fields = make("form", { className: "try-request", noValidate: true, autocomplete: "off", ariaLabel: labels.request },
      make("div", { className: "try-fields" }, ...form.nodes),
      make("div", { className: "try-actions" }, send, cancel, curl, key));
    on(fields, "submit", (event) => {
      event.preventDefault();
      call();
    });
    send.disabled = curl.disabled = !form.usable();
    if (form.server) {
      on(form.server.select, "change", () => {
        send.disabled = curl.disabled = !form.usable();
        announce(form.server.chosen().refusal ?? "");
      });
    }

    const dialog = frame(operation.title, operation.method, operation.path, labels.close, [fields, answer, status]);
    on(dialog, "keydown", (event) => {
      if (event.key !== "Enter" || !(apple ? event.metaKey : event.ctrlKey)) return;
      event.preventDefault();
      call();
    });
    on(dialog, "close", () => request?.abort());
    return dialog;
  };

  let styled;
  const style = () => styled ??= new Promise((done) => {
    const sheet = make("link", { rel: "stylesheet", href: text.style });
    on(sheet, "load", done);
    on(sheet, "error", done);
    document.head.append(sheet);
  });
  const dialogs = new Map();
  const load = async (from) => {
    const { key, path, method } = from.dataset;
    try {
      const operation = await ask(`?${new URLSearchParams({ key })}`);
      labels = operation.labels;
      const dialog = build(operation, from.dataset);
      dialogs.set(from, dialog);
      return dialog;
    } catch (error) {
      // The next click tries again.
      const dialog = frame(from.textContent, method.toUpperCase(), path, labels?.close ?? text.close,
        [make("p", { className: "try-error", role: "alert" }, error.message)]);
      on(dialog, "close", () => dialog.remove());
      return dialog;
    }
  };
  const open = async (from) => {
    if (from.ariaBusy) return;
    from.ariaBusy = "true";
    const [dialog] = await Promise.all([dialogs.get(from) ?? load(from), style()]);
    from.ariaBusy = null;
    dialog.showModal();
    [...dialog.querySelectorAll(".try-fields :is(input, select, textarea)")]
      .find((control) => control.offsetParent)?.focus();
    dialog.onclose = () => from.focus();
  };
  for (const one of document.querySelectorAll(".api-try")) {
    one.hidden = false;
    on(one, "click", () => open(one));
    for (const early of ["pointerenter", "focusin"]) on(one, early, style);
  }
})();
