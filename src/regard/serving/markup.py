"""Text with tags in it: what stands between the tags is translated, the tags stay as they are."""

from html import escape, unescape
from html.parser import HTMLParser

SILENT = {"script", "style", "code", "pre", "textarea", "title"}


class Markup(HTMLParser):
    """An HTML text in pieces.

    >>> markup = Markup('<p>the <b class="x">cat</b> &amp; dog</p>')
    >>> markup.texts
    ['the ', 'cat', ' & dog']
    >>> markup.filled(["le ", "chat", " & chien"])
    '<p>le <b class="x">chat</b> &amp; chien</p>'
    """

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=False)
        self._pieces: list[str] = []
        self._translated: list[int] = []
        self._silent = 0
        self._open = ""
        self.feed(text)
        self.close()
        self._end_text()

    @property
    def texts(self) -> list[str]:
        """What is to be translated, in order."""
        return [unescape(self._pieces[place]) for place in self._translated]

    def filled(self, translations: list[str]) -> str:
        """The same with translations in place of the texts."""
        pieces = [*self._pieces]
        for place, translation in zip(self._translated, translations, strict=True):
            pieces[place] = escape(translation, quote=False)
        return "".join(pieces)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """A tag stays."""
        self._verbatim(self.get_starttag_text() or "")
        self._silent += tag in SILENT

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """A tag that is closed at once stays."""
        self._verbatim(self.get_starttag_text() or "")

    def handle_endtag(self, tag: str) -> None:
        """Its end stays."""
        self._verbatim(f"</{tag}>")
        self._silent = max(self._silent - (tag in SILENT), 0)

    def handle_data(self, data: str) -> None:
        """Text between tags."""
        self._open += data

    def handle_entityref(self, name: str) -> None:
        """A character by its name, part of the text."""
        self._open += f"&{name};"

    def handle_charref(self, name: str) -> None:
        """A character by its number, part of the text."""
        self._open += f"&#{name};"

    def handle_comment(self, data: str) -> None:
        """A comment stays."""
        self._verbatim(f"<!--{data}-->")

    def handle_decl(self, decl: str) -> None:
        """A declaration stays."""
        self._verbatim(f"<!{decl}>")

    def handle_pi(self, data: str) -> None:
        """An instruction stays."""
        self._verbatim(f"<?{data}>")

    def parse_html_declaration(self, i: int) -> int:
        """``<![…`` stays as far as its end, and is text without one; Pythons differ in what they do."""
        if not self.rawdata.startswith("<![", i):
            return super().parse_html_declaration(i)
        mark = "]]>" if self.rawdata.startswith("<![CDATA[", i) else ">"
        end = self.rawdata.find(mark, i) + len(mark)
        if end < len(mark):
            self.handle_data(self.rawdata[i:])
            return len(self.rawdata)
        self._verbatim(self.rawdata[i:end])
        return end

    def _verbatim(self, piece: str) -> None:
        self._end_text()
        self._pieces.append(piece)

    def _end_text(self) -> None:
        if self._open:
            if not self._silent and self._open.strip():
                self._translated.append(len(self._pieces))
            self._pieces.append(self._open)
            self._open = ""
