"use strict";
// Runs frechet.wasm beside the page: a question in, an answer out.
importScripts("wasm_exec.js");
const go = new Go();
const ready = WebAssembly.instantiateStreaming(fetch("frechet.wasm"), go.importObject).then((r) => { go.run(r.instance); });
onmessage = async (m) => {
  await ready;
  postMessage({ id: m.data.id, answer: await frechet(m.data.name, m.data.question) });
};
