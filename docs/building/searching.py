"""Search in English and Chinese at once: Chinese is cut into single characters and pairs of neighbours."""

import re

from sphinx.application import Sphinx
from sphinx.search import languages
from sphinx.search.en import SearchEnglish

CHINESE = "\u4e00-\u9fff"

SPLITTER = """
function splitQuery(query) {
  const found = [];
  for (const run of query.matchAll(/[\\u4e00-\\u9fff]+|[\\p{L}\\p{N}_]+/gu)) {
    const word = run[0];
    if (!/[\\u4e00-\\u9fff]/.test(word) || word.length === 1) found.push(word);
    else for (let at = 0; at + 1 < word.length; at++) found.push(word.slice(at, at + 2));
  }
  return found;
}
"""


class SearchBoth(SearchEnglish):
    """English words are stemmed, Chinese ones found by their characters."""

    lang = "en-zh"
    language_name = "English"  # after which the stemmer of the page is called
    js_splitter_code = SPLITTER

    def split(self, input: str) -> list[str]:  # noqa: A002
        """The words of a page, as they are indexed."""
        return split(input)

    def word_filter(self, word: str) -> bool:
        """Whether a word is worth finding."""
        return bool(re.match(f"[{CHINESE}]", word)) or super().word_filter(word)


def split(text: str) -> list[str]:
    """Words of letters, and of Chinese every character and every two neighbours.

    >>> split("the 注意力 map")
    ['the', '注', '意', '力', '注意', '意力', 'map']
    """
    found: list[str] = []
    for word in re.findall(rf"[{CHINESE}]+|[^\W{CHINESE}]+", text):
        if re.match(f"[{CHINESE}]", word):
            found += [*word, *(word[at : at + 2] for at in range(len(word) - 1))]
        else:
            found.append(word)
    return found


def setup(app: Sphinx) -> dict[str, bool]:
    """Offer the language."""
    languages["en-zh"] = SearchBoth
    return {"parallel_read_safe": True}
