// The library behind a worker: ask(request) promises its answer. One request is under way at a time, so
// that the worker can be ended, with whatever it computes, and a new one begun.
const engine = { worker: null, module: null, ready: null, waiting: new Map(), next: 1, failed: null };

function startWorker() {
  const source = document.getElementById("worker").textContent;
  const address = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  const worker = new Worker(address);
  engine.worker = worker;
  engine.ready = new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => {
      if (data.started) {
        engine.module = data.module;
        URL.revokeObjectURL(address);
        resolve();
      } else if (data.failed) {
        reject(new Error(data.failed));
      } else {
        const waiting = engine.waiting.get(data.id);
        engine.waiting.delete(data.id);
        if (waiting) settle(waiting, data);
      }
    };
    worker.onerror = (event) => reject(new Error(event.message || "the worker could not be started"));
  });
  const wasm = engine.module ? null : document.getElementById("wasm").textContent.trim();
  worker.postMessage({ start: true, module: engine.module, wasm });
  return engine.ready;
}

function settle(waiting, data) {
  if (data.broken) {
    // Out of memory or stack: that worker is of no use any more.
    restartWorker();
    waiting.resolve({ ok: false, code: "limit", message: "this is too large for the page: " + data.broken });
    return;
  }
  const answer = JSON.parse(data.text);
  if (data.numbers) answer.numbers = data.numbers;
  waiting.resolve(answer);
}

// Ends what is under way; its answers are {ok: false, dropped: true}.
function restartWorker() {
  engine.worker.terminate();
  for (const waiting of engine.waiting.values()) waiting.resolve({ ok: false, dropped: true, message: "" });
  engine.waiting.clear();
  return startWorker();
}

async function ask(request, more = {}) {
  await engine.ready;
  return new Promise((resolve) => {
    const id = engine.next++;
    engine.waiting.set(id, { resolve });
    const transfer = more.hold ? [more.hold.buffer] : [];
    engine.worker.postMessage({ id, ask: JSON.stringify(request), ...more }, transfer);
  });
}
