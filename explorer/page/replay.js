// Where every element is before each step, from the moves that the library told. A place is processor *
// slots + slot; what is in it is home_processor * elements + home_slot, or nobody.
const nobody = 0xffffffff;

class Replay {
  constructor(play, numbers) {
    Object.assign(this, play);
    this.numbers = numbers;
    this.first = [0];
    for (const step of play.steps) this.first.push(this.first.at(-1) + step[3]);
    this.cells = new Uint32Array(play.processors * play.slots);
    this.marks = new Map(); // copies of the cells, so that going back is quick
    this.restart();
  }

  get count() {
    return this.steps.length;
  }

  restart() {
    this.at = 0;
    this.cells.fill(nobody);
    if (!this.moves) return;
    const per = this.program ? 1 : this.elements;
    const slot = this.program ? 1 : 0; // the data register
    for (let p = 0; p < this.processors; ++p)
      for (let s = 0; s < per; ++s) this.cells[p * this.slots + slot + s] = p * per + s;
  }

  moveOf(index) {
    const n = this.numbers;
    const at = index * 7;
    return { from: n[at], from_slot: n[at + 1], to: n[at + 2], to_slot: n[at + 3], channel: n[at + 4], home: n[at + 5], home_slot: n[at + 6] };
  }

  // The element that a move carries.
  tokenOf(at) {
    const home = this.numbers[at + 5];
    return home === nobody ? nobody : home * (this.program ? 1 : this.elements) + this.numbers[at + 6];
  }

  apply(step) {
    const { cells, numbers, slots } = this;
    // A route takes all of the routed register along; what leaves is no longer there.
    if (this.program && this.steps[step][2] > 0) for (let p = 0; p < this.processors; ++p) cells[p * slots] = nobody;
    for (let i = this.first[step]; i < this.first[step + 1]; ++i) {
      const at = i * 7;
      cells[numbers[at + 2] * slots + numbers[at + 3]] = this.tokenOf(at);
    }
  }

  // The cells before step `step`; after the last one where step is the number of steps.
  goTo(step) {
    if (step < this.at) {
      let from = 0;
      for (const mark of this.marks.keys()) if (mark <= step && mark > from) from = mark;
      if (from > 0) {
        this.cells.set(this.marks.get(from));
        this.at = from;
      } else {
        this.restart();
      }
    }
    while (this.at < step) {
      this.apply(this.at++);
      if (this.at % 16 === 0 && this.marks.size < 64 && !this.marks.has(this.at)) this.marks.set(this.at, this.cells.slice());
    }
    return this.cells;
  }

  wordsOf(token) {
    if (token === nobody) return "";
    const per = this.program ? 1 : this.elements;
    return per === 1 ? String(token) : `${Math.floor(token / per)}.${token % per}`;
  }

  // Every stop of an element: [step, from, to, channel].
  pathOf(token) {
    const stops = [];
    for (let step = 0; step < this.count; ++step)
      for (let i = this.first[step]; i < this.first[step + 1]; ++i)
        if (this.tokenOf(i * 7) === token) {
          const move = this.moveOf(i);
          stops.push([step, move.from, move.to, move.channel, move.from_slot, move.to_slot]);
        }
    return stops;
  }
}
