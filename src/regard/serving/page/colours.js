// Colours come from the stylesheet; a ramp is a straight line through its stops in OKLab (Ottosson, 2020),
// so that equal steps of weight look like equal steps of colour.

const darkSystem = matchMedia("(prefers-color-scheme: dark)");
const root = document.documentElement;
const listeners = new Set();
let chosen = "auto";

export const onTheme = (listen) => listeners.add(listen);
export const themeChosen = () => chosen;
export const chooseTheme = (name) => {
  chosen = ["auto", "light", "dark"].includes(name) ? name : "auto";
  root.dataset.theme = chosen === "auto" ? (darkSystem.matches ? "dark" : "light") : chosen;
  read.clear();
  ramps.clear();
  for (const listen of listeners) listen();
};
darkSystem.addEventListener("change", () => chooseTheme(chosen));

const read = new Map();
const ramps = new Map();
/** A colour of the theme by its name, such as ink, paper, link, masked, query, key, output. */
export const colour = (name) => {
  if (!read.has(name)) read.set(name, getComputedStyle(root).getPropertyValue(`--${name}`).trim());
  return read.get(name);
};
export const letters = () => colour("letters");

export const channels = (text) => [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16));
const linear = (byte) => (byte <= 10.31475 ? byte / 255 / 12.92 : ((byte / 255 + 0.055) / 1.055) ** 2.4);
const gamma = (value) => Math.round(255 * Math.min(Math.max(value <= 0.0031308 ? 12.92 * value : 1.055 * value ** (1 / 2.4) - 0.055, 0), 1));
const toLab = (text) => {
  const [r, g, b] = channels(text).map(linear);
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
};
const fromLab = ([lightness, a, b]) => {
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const rgb = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ].map(gamma);
  return `#${rgb.map((each) => each.toString(16).padStart(2, "0")).join("")}`;
};

/** 256 colours: for weights from nothing to one, or for signed numbers, zero in the middle. */
export const ramp = (signed = false) => {
  const name = signed ? "signed" : "weights";
  if (!ramps.has(name)) {
    const stops = colour(name).split(/\s+/).map(toLab);
    const at = (share) => {
      const from = Math.min(Math.floor(share * (stops.length - 1)), stops.length - 2);
      const part = share * (stops.length - 1) - from;
      return fromLab(stops[from].map((each, axis) => each + part * (stops[from + 1][axis] - each)));
    };
    ramps.set(name, Array.from({ length: 256 }, (_, step) => at(step / 255)));
  }
  return ramps.get(name);
};

export const shade = (value, { low = 0, high = 1, signed = false } = {}) =>
  ramp(signed)[Math.round(255 * Math.min(Math.max((value - low) / (high - low), 0), 1)) || 0];
export const inkOn = (text) => {
  const [r, g, b] = channels(text).map((each) => (each / 255) ** 2.2);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.3 ? "#1a1d23" : "#ffffff";
};
/** Give a node the colour of a value, and letters that can be read on it. */
export const tint = (node, value, scale) => {
  const text = shade(value, scale);
  node.style.background = text;
  node.style.color = inkOn(text);
  return node;
};
