// Runs in a worker made from a Blob, after Emscripten's own text: holds the library and answers one request
// after another. {id, ask} or {id, hold: bytes, ask}; {id, moves: true} asks for the numbers of "play".
"use strict";
let library = null;

async function start(message) {
  let module = message.module;
  if (!module) {
    const bytes = Uint8Array.from(atob(message.wasm), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    module = await WebAssembly.compile(await new Response(stream).arrayBuffer());
  }
  library = await faroModule({
    instantiateWasm(imports, done) {
      WebAssembly.instantiate(module, imports).then((instance) => done(instance, module));
      return {};
    },
    print() {},
    printErr() {},
  });
  postMessage({ started: true, module });
}

function ask(text) {
  const size = library.lengthBytesUTF8(text) + 1;
  const at = library._malloc(size);
  library.stringToUTF8(text, at, size);
  const answer = library.UTF8ToString(library._faro_ask(at));
  library._free(at);
  return answer;
}

function hold(bytes) {
  const at = library._malloc(bytes.length + 1);
  library.HEAPU8.set(bytes, at);
  library._faro_hold(at, bytes.length);
  library._free(at);
}

function moves() {
  const at = library._faro_moves() / 4;
  return library.HEAPU32.slice(at, at + library._faro_moves_size());
}

onmessage = ({ data }) => {
  if (data.start) {
    start(data).catch((error) => postMessage({ failed: String(error) }));
    return;
  }
  try {
    if (data.hold) hold(data.hold);
    const text = ask(data.ask);
    const numbers = data.moves ? moves() : null;
    postMessage({ id: data.id, text, numbers }, numbers ? [numbers.buffer] : []);
  } catch (error) {
    postMessage({ id: data.id, broken: String(error) });
  }
};
