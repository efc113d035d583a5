// Asking the server. A question may be called back; an answer that says no becomes a Refusal with its sentence.

import { language, say, teach } from "./language.js";

teach({
  unreachable: ["The server does not answer. Is regard serve still running?", "服务器没有回应。regard serve 还在运行吗？"],
});

export class Refusal extends Error {
  constructor({ code = "unknown", message = "", field = null } = {}, status = 0, after = 0) {
    super(message);
    Object.assign(this, { code, field, status, after });
  }
}

/** The server's own sentence; what readers meet often is also told in Chinese. */
const toldIn = (spoken, { code, message }) => {
  if (spoken !== "zh") return message;
  const [most, has] = message.match(/\d[\d,]*/g) ?? [];
  const chinese = {
    overloaded: "服务器现在太忙，请稍后再试。",
    deadline: "用时太久，已放弃。请再试一次，或缩短文字。",
    rate: "请求太频繁，请慢一些。",
    stopping: "服务器正在停止，请稍后再试。",
    key: "需要密钥。",
    unknown_model: "这里没有这个模型。",
    defect: "regard 自身出了问题，详见服务器的日志。",
    too_large: has && `最多 ${most} 个字符，现在有 ${has} 个。`,
    invalid: message.includes("to be looked at") && `要观察的文字最多 ${most} 个词元，现在有 ${has} 个。`,
  };
  return chinese[code] || message;
};

const keyStore = "regard.key";
export const useKey = (key) => sessionStorage.setItem(keyStore, key);

/** GET without a body, POST with one; `signal` calls it back. */
export const ask = async (address, body = null, signal = undefined) => {
  const headers = { accept: "application/json" };
  const key = sessionStorage.getItem(keyStore);
  if (key) headers.authorization = `Bearer ${key}`;
  if (body) headers["content-type"] = "application/json";
  let answer;
  try {
    answer = await fetch(address, { method: body ? "POST" : "GET", headers, body: body ? JSON.stringify(body) : undefined, signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refusal({ code: "unreachable", message: say("unreachable") });
  }
  const found = await answer.json().catch(() => ({}));
  if (answer.ok) return found;
  const problem = found.problem ?? found.error ?? { message: `${answer.status} ${answer.statusText}` };
  throw new Refusal({ ...problem, message: toldIn(language(), problem) }, answer.status, Number(answer.headers.get("retry-after")) || 0);
};

/** One question at a time: a newer one calls the older back. A full server is asked again a little later. */
export const latest = () => {
  let current = null;
  const asking = async (address, body) => {
    current?.abort();
    const mine = (current = new AbortController());
    for (let turn = 0; ; turn++)
      try {
        const found = await ask(address, body, mine.signal);
        return mine === current ? found : null;
      } catch (error) {
        if (error.name === "AbortError") return null;
        const later = turn < 3 && (error.code === "overloaded" || error.code === "rate");
        if (!later) throw error;
        await new Promise((done) => setTimeout(done, 1000 * Math.min(Math.max(error.after, 0.5), 3)));
        if (mine !== current) return null;
      }
  };
  asking.stop = () => {
    current?.abort();
    current = null;
  };
  return asking;
};

/** What is served: filled once, when the studio opens. */
export const served = { default: null, models: [], limits: { look_tokens: 160, alternatives: 10, beam: 16, vectors: 64, width: 256 } };
export const modelCalled = (name) => served.models.find((each) => each.name === name) ?? served.models.find((each) => each.name === served.default) ?? served.models[0];

/** Sentences to begin with, in the words of the corpus that comes with regard. */
const EXAMPLES = {
  "en>fr": ["the red house is old .", "i'm home .", "my sister doesn't like the black cat .", "they're going to help the german student on friday ."],
  "fr>en": ["la maison rouge est vieille .", "je suis chez moi .", "ma sœur n'aime pas le chat noir ."],
  "en>zh": ["where are you going , mary ?", "happy birthday , jack !", "i don't know , miss zhang ."],
  "zh>en": ["你去哪里，玛丽？", "生日快乐，杰克！", "我不知道，张小姐。"],
};
export const examplesOf = ({ source, target }) => EXAMPLES[`${source}>${target}`] ?? [];

/** A language in the reader's own; one that the browser does not know is called as the server does. */
const languageCalled = (code, name) => {
  try {
    return new Intl.DisplayNames([language()], { type: "language" }).of(code);
  } catch {
    return name;
  }
};
export const directionOf = (model) => `${languageCalled(model.source, model.source_name)} → ${languageCalled(model.target, model.target_name)}`;
