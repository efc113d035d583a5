// Attention as the server tells it: levels of each row's largest weight, read back into weights.

export const MEAN = "mean";

/** One map of an answer: `of(head)` are its weights row by row, `masked` is 1 where a query may not look. */
export class AttentionMap {
  constructor(told) {
    Object.assign(this, told);
    const letters = atob(told.levels);
    const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
    const [, rows, columns] = told.shape;
    this.numbers = told.steps > 255 ? new Uint16Array(bytes.buffer, 0, bytes.length >> 1) : bytes;
    this.masked = new Uint8Array(rows * columns);
    for (let at = 0; at < this.masked.length; at++) {
      const [row, column] = [Math.floor(at / columns), at % columns];
      this.masked[at] = told.mask === "causal" ? Number(column > row) : told.mask ? Number(!told.mask[row][column]) : 0;
    }
    this.read = new Map();
  }

  of(head) {
    if (!this.read.has(head)) this.read.set(head, head === MEAN ? this.mean() : this.one(head));
    return this.read.get(head);
  }
  one(head) {
    const [, rows, columns] = this.shape;
    const weights = new Float32Array(rows * columns);
    for (let at = 0; at < weights.length; at++)
      weights[at] = (this.tops[head][Math.floor(at / columns)] * this.numbers[head * rows * columns + at]) / this.steps;
    return weights;
  }
  mean() {
    const all = this.heads.map((_, head) => this.of(head));
    return all[0].map((_, at) => all.reduce((sum, weights) => sum + weights[at], 0) / all.length);
  }

  scene(head, name) {
    return { name, rows: this.queries, columns: this.keys, values: this.of(head), masked: this.masked, axes: this.axes };
  }
}

/** Which words two sentences share, in order: [word, "same" | "gone" | "new"] for each. */
export const difference = (before, after) => {
  const longest = Array.from({ length: before.length + 1 }, () => new Array(after.length + 1).fill(0));
  for (let a = before.length - 1; a >= 0; a--)
    for (let b = after.length - 1; b >= 0; b--)
      longest[a][b] = before[a] === after[b] ? longest[a + 1][b + 1] + 1 : Math.max(longest[a + 1][b], longest[a][b + 1]);
  const told = [];
  let [a, b] = [0, 0];
  while (a < before.length || b < after.length)
    if (a < before.length && b < after.length && before[a] === after[b]) (told.push([before[a], "same"]), a++, b++);
    else if (b < after.length && (a === before.length || longest[a][b + 1] >= longest[a + 1][b])) told.push([after[b++], "new"]);
    else told.push([before[a++], "gone"]);
  return told;
};
/** Words, or characters where a language writes none apart. */
export const unitsOf = (text) => (/[\u3040-\u30ff\u3400-\u9fff]/.test(text) ? Array.from(text) : text.split(/\s+/).filter(Boolean));
