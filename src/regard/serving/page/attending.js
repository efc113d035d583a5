// The definition of attention in plain numbers, as regard.explain has it: scores, mask, softmax, average.
// A score is the log of a kernel, so one softmax serves them all.

export const dot = (a, b) => a.reduce((sum, each, at) => sum + each * b[at], 0);
export const distance = (a, b) => Math.sqrt(a.reduce((sum, each, at) => sum + (each - b[at]) ** 2, 0));
export const times = (matrix, vector) => matrix.map((row) => dot(row, vector));

/** The logs of the kernels, each of the distance divided by the bandwidth. */
const KERNELS = {
  gaussian: (u) => -(u * u) / 2,
  boxcar: (u) => (u <= 1 ? 0 : -Infinity),
  triangular: (u) => Math.log(Math.max(1 - u, 0)),
  epanechnikov: (u) => Math.log(Math.max(1 - u * u, 0)),
};

/** Every score by its name: a query, a key, and what is set. */
export const SCORES = {
  dot: (query, key, { scaled }) => dot(query, key) / (scaled ? Math.sqrt(query.length) : 1),
  // Projections are the identity and v is all ones: tanh(q + k), summed.
  additive: (query, key) => query.reduce((sum, each, at) => sum + Math.tanh(each + key[at]), 0),
  ...Object.fromEntries(
    Object.entries(KERNELS).map(([name, log]) => [name, (query, key, { bandwidth }) => log(distance(query, key) / bandwidth)]),
  ),
  uniform: () => 0,
};
export const KERNEL_NAMES = Object.keys(KERNELS);

/** Weights that sum to one over the keys that are kept, or to zero where there is none. */
export const softmax = (scores, keep = null, temperature = 1) => {
  const cooled = scores.map((score, at) => (keep && !keep[at] ? -Infinity : score / temperature));
  const largest = Math.max(...cooled);
  const raised = cooled.map((score) => (largest === -Infinity ? 0 : Math.exp(score - largest)));
  const sum = raised.reduce((total, each) => total + each, 0);
  return { cooled, largest, raised, sum, weights: raised.map((each) => (sum > 0 ? each / sum : 0)) };
};

export const average = (weights, values) =>
  values[0].map((_, part) => weights.reduce((sum, weight, key) => sum + (weight > 0 ? weight * values[key][part] : 0), 0));

/** Every step for every query: scores, then weights, then output. */
export const attend = (queries, keys, values, { score = "dot", scaled = true, bandwidth = 1, temperature = 1, keep = null, bias = null } = {}) =>
  queries.map((query, row) => {
    const scores = keys.map((key, column) => SCORES[score](query, key, { scaled, bandwidth }) + (bias ? bias(row, column) : 0));
    const step = softmax(scores, keep ? keys.map((_, column) => keep(row, column)) : null, temperature);
    return { scores, ...step, output: average(step.weights, values) };
  });

/** Position `at` of width `width`: sines and cosines of ever longer waves (Vaswani et al., 2017). */
export const sinusoid = (at, width) =>
  Array.from({ length: width }, (_, part) => {
    const angle = at / 10000 ** ((part - (part % 2)) / width);
    return part % 2 ? Math.cos(angle) : Math.sin(angle);
  });

/** A vector turned by its position, pair by pair (Su et al., 2021). */
export const rotated = (vector, at) => {
  const turned = [...vector];
  for (let part = 0; part + 1 < vector.length; part += 2) {
    const angle = at / 10000 ** (part / vector.length);
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
    turned[part] = vector[part] * cos - vector[part + 1] * sin;
    turned[part + 1] = vector[part] * sin + vector[part + 1] * cos;
  }
  return turned;
};

/** Numbers that are the same for everyone who opens the page (mulberry32). */
export const dice = (seed) => () => {
  seed = (seed + 0x6d2b79f5) | 0;
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
};
