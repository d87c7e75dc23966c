"use strict";
// The page asks questions of frechet and shows the answers: by HTTP of the program that serves it, or of the program in a worker.

const gallery = [
  ["Least squares", "norm2(X*w - y)^2 + lambda*norm2(w)^2", "w"],
  ["Logistic regression", "declare X[m,n] w[n] y[m]\nexpression sum(log(1 + exp(-y .* (X*w))))", "w"],
  ["Softmax cross-entropy", "declare W[k,n] x[n] y[k]\nexpression logsumexp(W*x) - y'*(W*x)", "W"],
  ["Gaussian process", "declare K[n,n] y[n]\nexpression y'*inv(K)*y + logdet(K)", "K"],
  ["Attention", "declare Q[m,d] K[n,d] V[n,p]\nexpression sum(softmax(Q*K' / sqrt(d), axis=1)*V)", "Q"],
  ["Matrix factorisation", "declare A[m,n] U[m,k] V[n,k]\nexpression sum((A - U*V') .^ 2)", "U"],
  ["Convolution", "declare x[9] w[3]\ny[i] = sum{k}_0^2 (x[2*i + k]*w[k])", "w"],
  ["Deep net", "declare x[n] y[k] A[h,n] b[h] C[k,h]\nlet z = tanh(A*x + b)\nexpression sum((C*z - y) .^ 2)", "A"],
];
const tabs = ["Formulas", "Steps", "Plan", "Check", "Numbers", "Code"];
const targets = ["numpy", "torch", "jax", "dask", "julia", "c", "go", "octave", "sql"];
const $ = (id) => document.getElementById(id);
let tab = "Formulas", target = "numpy", values = "", timer = 0, asking = null;

// element makes an element with attributes and children; on.. attributes are listeners.
function element(name, attributes = {}, ...children) {
  const e = document.createElement(name);
  for (const [k, v] of Object.entries(attributes)) {
    if (k.startsWith("on")) e.addEventListener(k.slice(2), v);
    else if (v !== undefined) e.setAttribute(k, v);
  }
  e.append(...children.filter((c) => c !== null && c !== undefined));
  return e;
}

// printed is text in columns, which keys can scroll where it is wide.
const printed = (text) => element("pre", { class: "text", tabindex: "0" }, text);

// byServer and byWorker are the two ways to ask: both give {output, notes, error, false}.
async function byServer(name, question, signal) {
  const r = await fetch("api/" + name, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(question), signal });
  if (!r.ok) return { error: { message: r.status === 503 ? "too many requests at once; try again" : "the request was refused", rendered: await r.text() } };
  return r.json();
}

let worker = null, pending = new Map(), next = 0;
function startWorker() {
  worker = new Worker("worker.js");
  worker.onmessage = (m) => { pending.get(m.data.id)?.(JSON.parse(m.data.answer)); pending.delete(m.data.id); };
}
function byWorker(name, question, signal) {
  if (!worker) startWorker();
  return new Promise((resolve, reject) => {
    const id = next++;
    pending.set(id, resolve);
    signal.addEventListener("abort", () => {
      if (!pending.has(id)) return;
      worker.terminate(); // a computation is ended with its worker
      worker = null;
      pending.clear();
      reject(new DOMException("cancelled", "AbortError"));
    });
    worker.postMessage({ id, name, question: JSON.stringify(question) });
  });
}
const ask = document.documentElement.dataset.engine === "wasm" ? byWorker : byServer;

function question(more = {}) {
  const q = { program: $("program").value, ...more };
  const wrt = $("wrt").value.split(/[\s,]+/).filter(Boolean);
  if (wrt.length) q.wrt = wrt;
  if ($("language").value !== "auto") q.language = $("language").value;
  return q;
}

// showError shows an error, and marks its place in the program. Offsets count bytes.
function showError(error) {
  const box = $("error"), text = $("program").value;
  box.replaceChildren();
  box.hidden = !error;
  $("mirror").textContent = "";
  if (!error) return;
  box.append(element("strong", {}, error.message));
  if (error.hint) box.append(element("div", {}, "Hint: " + error.hint));
  const bytes = new TextEncoder().encode(text), at = (n) => new TextDecoder().decode(bytes.slice(0, n)).length;
  if (error.place) {
    const [from, to] = [at(error.place.start), at(Math.max(error.place.end, error.place.start + 1))];
    $("mirror").append(text.slice(0, from), element("mark", {}, text.slice(from, to) || " "), text.slice(to));
    box.append(printed(error.rendered));
  } else if (error.rendered && !error.rendered.includes(error.message)) box.append(printed(error.rendered));
}

function copyButton(text, label = "Copy") {
  return element("button", { type: "button", onclick: async (e) => {
    await copy(text);
    e.target.textContent = "Copied";
    setTimeout(() => { e.target.textContent = label; }, 1500);
  } }, label);
}

async function copy(text) {
  try { await navigator.clipboard.writeText(text); } catch {
    const area = element("textarea", {}, text); // where the clipboard is closed to pages
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}

function typeset(latex) {
  const box = element("div", { class: "math", tabindex: "0", role: "group", "aria-label": "formula" });
  try { temml.render(latex.replace(/^\s+|\s+$/g, ""), box, { displayMode: true, throwOnError: true, wrap: "none" }); } catch { box.replaceChildren(printed(latex)); }
  return box;
}

const names = { 0: "Value", 1: "First derivative", 2: "Second derivative" };
function formulaCard(latex, text) {
  const by = latex.wrt?.length ? " by " + latex.wrt.join(", ") : "";
  const axes = latex.wrt?.length ? "[" + latex.axes.map((a) => a.size).join(", ") + "]" : "";
  const name = latex.operation || names[latex.order] || "Derivative of order " + latex.order;
  return element("div", { class: "card" },
    element("h2", {}, element("span", {}, (latex.output ? latex.output + ": " : "") + name + by + " " + axes), element("span", {}, copyButton(text.text ?? "", "Copy"), " ", copyButton(latex.text ?? "", "LaTeX"))),
    latex.text ? typeset(latex.text) : element("p", { class: "note" }, latex.note ?? ""),
    element("details", {}, element("summary", {}, "as text"), printed(text.text ?? "")));
}

const show = {
  async Formulas(panel, get) {
    const value = [await get("simplify", { json: true, format: "latex" }), await get("simplify", { json: true })];
    const parts = [value];
    let derived = await get("hessian", { json: true, format: "latex" }, false);
    if (derived?.error === undefined) parts.push([derived, await get("hessian", { json: true })]);
    const first = JSON.parse(value[0].output);
    if (first.assumed) panel.append(element("p", { class: "note" }, "Assumed: ", element("code", {}, first.assumed)));
    for (const [latex, text] of parts) {
      const results = JSON.parse(text.output).results;
      JSON.parse(latex.output).results.forEach((r, i) => panel.append(formulaCard(r, results[i])));
    }
    if (derived?.error) panel.append(element("p", { class: "note" }, derived.error.message + ". Name the variable above, after “by”."));
    const used = derived?.output ? JSON.parse(derived.output).conventions : [];
    if (used.length) panel.append(element("p", { class: "note" }, "Conventions: " + used.join(", ")));
  },
  async Steps(panel, get) {
    const steps = JSON.parse((await get("steps", { json: true })).output).steps;
    for (const part of new Set(steps.map((s) => s.part))) {
      const list = steps.filter((s) => s.part === part);
      panel.append(element("details", { class: "card", open: "" }, element("summary", {}, `${part}: ${list.length} ${list.length === 1 ? "line" : "lines"}`),
        ...list.map((s) => element("div", {}, s.rule ? element("p", { class: "note" }, [...(s.before ?? []), s].map((l) => l.rule + (l.detail ? " " + l.detail : "") + (l.source ? ": " + l.source : "")).join("; ")) : null,
          printed(s.term)))));
    }
  },
  async Plan(panel, get) { panel.append(element("div", { class: "card" }, printed((await get("plan")).output))); },
  async Check(panel, get) {
    const a = await get("check", { order: 0 });
    panel.append(element("div", { class: "card" }, element("h2", { class: a.false ? "bad" : "good" }, a.false ? "It fails" : "It holds"), printed(a.output)));
  },
  async Numbers(panel, get) {
    const area = element("textarea", { id: "values", rows: "4", spellcheck: "false" }, values);
    const out = element("div", {});
    const run = async () => {
      values = area.value;
      out.replaceChildren();
      try { out.append(printed((await get("evaluate", { values: JSON.parse(values || "{}") })).output)); } catch (e) {
        if (e.name === "SyntaxError") out.append(element("p", { class: "bad" }, "The values are no JSON: " + e.message)); else throw e;
      }
    };
    panel.append(element("div", { class: "card" }, element("label", { for: "values" }, 'Values as JSON: {"X": [[1, 2], [3, 4]], "w": [1, 0]}'), element("div", { class: "editor" }, area),
      element("button", { type: "button", onclick: () => guarded(run) }, "Compute"), out));
    if (values) await run();
  },
  async Code(panel, get) {
    const choose = element("select", { id: "target", "aria-label": "target", onchange: (e) => { target = e.target.value; refresh(); } }, ...targets.map((t) => element("option", t === target ? { selected: "" } : {}, t)));
    const code = (await get("code", { target })).output;
    panel.append(element("div", { class: "card" }, element("h2", {}, choose, copyButton(code)), printed(code)));
  },
};

// guarded does work that asks, and shows what goes wrong; work that is overtaken shows nothing.
async function guarded(work) {
  try { await work(); } catch (e) {
    if (e.name === "AbortError") return;
    if (!e.answer) throw e;
    showError(e.answer.error);
  }
}

async function refresh() {
  asking?.abort();
  const mine = asking = new AbortController();
  save();
  const panel = $("panel"), fresh = element("div");
  if (!$("program").value.trim()) { showError(null); panel.replaceChildren(element("p", { class: "note" }, "Write a formula, or take one of the gallery.")); return; }
  const get = async (name, more, strict = true) => {
    const a = await ask(name, question(more), asking.signal);
    if (a.error && strict) throw Object.assign(new Error(a.error.message), { answer: a });
    return a;
  };
  $("status").textContent = "Working…";
  $("cancel").hidden = false;
  await guarded(async () => {
    await show[tab](fresh, get);
    if (mine !== asking) return;
    showError(null);
    panel.replaceChildren(fresh);
  });
  if (mine === asking) { $("status").textContent = ""; $("cancel").hidden = true; }
}

function save() {
  const state = { program: $("program").value, wrt: $("wrt").value, language: $("language").value, tab };
  history.replaceState(null, "", "#" + encodeURIComponent(JSON.stringify(state)));
}

function restore() {
  let state = { program: gallery[0][1], wrt: gallery[0][2] };
  try { if (location.hash.length > 1) state = JSON.parse(decodeURIComponent(location.hash.slice(1))); } catch { /* a link that holds no program */ }
  $("program").value = String(state.program ?? "");
  $("wrt").value = String(state.wrt ?? "");
  if ([...$("language").options].some((o) => o.value === state.language)) $("language").value = state.language;
  if (tabs.includes(state.tab)) tab = state.tab;
}

function drawTabs() {
  $("tabs").replaceChildren(...tabs.map((t) => element("button", { role: "tab", type: "button", id: "tab-" + t, "aria-controls": "panel", "aria-selected": String(t === tab), tabindex: t === tab ? "0" : "-1",
    onclick: () => { tab = t; drawTabs(); refresh(); },
    onkeydown: (e) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
      if (!step) return;
      tab = tabs[(tabs.indexOf(tab) + step + tabs.length) % tabs.length];
      drawTabs();
      $("tab-" + tab).focus();
      refresh();
    } }, t)));
  $("panel").setAttribute("aria-labelledby", "tab-" + tab);
}

function later() { clearTimeout(timer); timer = setTimeout(refresh, 350); }
$("program").addEventListener("input", () => { $("mirror").textContent = ""; later(); });
$("program").addEventListener("scroll", () => { $("mirror").scrollTop = $("program").scrollTop; });
$("wrt").addEventListener("input", later);
$("language").addEventListener("change", refresh);
$("cancel").addEventListener("click", () => { asking?.abort(); $("status").textContent = "Cancelled"; $("cancel").hidden = true; });
$("link").addEventListener("click", async () => { save(); await copy(location.href); $("status").textContent = "The link is copied"; });
for (const [name, program, wrt] of gallery) {
  $("gallery").append(element("button", { type: "button", onclick: () => { $("program").value = program; $("wrt").value = wrt; $("language").value = "auto"; values = ""; refresh(); } }, name));
}
window.addEventListener("hashchange", () => { restore(); drawTabs(); refresh(); });
restore();
drawTabs();
refresh();
