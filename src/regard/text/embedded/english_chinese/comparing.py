"""More, less, as much and most: 比, 没有, 一样, 最."""

from collections.abc import Iterator

from regard.text.embedded.english_chinese.adjectives import CHARACTERS, QUALITIES
from regard.text.embedded.english_chinese.noun_phrases import this, which
from regard.text.embedded.english_chinese.nouns import Noun
from regard.text.embedded.english_chinese.people import MY_KIN, NAMED, PRONOUNS, absolute, possessed
from regard.text.embedded.english_chinese.phrases import Phrase, pair, phrase
from regard.text.embedded.english_chinese.spreading import spread
from regard.text.embedded.english_chinese.things import may_own
from regard.text.embedded.pairs import AlignedPair

_COMPARED = {
    *("big", "small", "long", "heavy", "new", "old", "expensive", "cheap"),
    *("clean", "comfortable", "interesting", "quiet"),
}
COMPARABLE = [
    (adjective, noun)
    for adjective, noun in QUALITIES
    if not noun.is_collective and adjective.name in _COMPARED
]
_RIVALS = (("i", "you"), ("he", "i"), ("she", "i"), ("you", "she"), ("i", "he"))

_THAN = (
    ("{one} {be.one}/b? {more} than/t {other} .", "{one} 比/t {other} {more}/b 。"),
    ("{one} {be.one}/b? much/m {more} than/t {other} .", "{one} 比/t {other} {more}/b 得/m? 多/m 。"),
    ("{one} {be.one}/b? a/m? bit/m {more} than/t {other} .", "{one} 比/t {other} {more}/b 一点/m 。"),
)
_LESS = ("{one} {be.one}/n? not/n as/c? {like} as/c {other} .", "{one} 没有/nc? {other} {like} 。")
_MOST = (
    ("{which} is/m? the/m? {most} ?", "{which} {most}/m ？"),
    ("{one} is/m? the/m? {most} .", "{one} {most}/m 。"),
)


def _other(noun: Noun) -> Phrase:
    """*that one*, or after a plural *those*: 那 with the classifier."""
    if noun.is_always_plural:
        return phrase("those/d", f"那/d {noun.classifier}/d?")
    return phrase("that/d one/c", f"那/d {noun.classifier}/c")


def comparisons_of_things() -> Iterator[AlignedPair]:
    """*this coat is more expensive than that one*: 这件大衣比那件贵."""
    for (adjective, noun), rivals, rule in spread(
        340, "than", COMPARABLE, [None, None, None, *_RIVALS], _THAN
    ):
        one, other = this(noun), _other(noun)
        if rivals and all(may_own(owner, noun) for owner in rivals):
            one, other = possessed(rivals[0], noun), absolute(rivals[1])
        yield pair("than", rule, one=one, more=adjective.comparative, other=other)
    for ((adjective, noun),) in spread(130, "less", COMPARABLE):
        yield pair("as", _LESS, one=this(noun), like=adjective.positive, other=_other(noun))
    for (adjective, noun), rule in spread(270, "most", COMPARABLE, _MOST):
        if not noun.is_always_plural:
            yield pair("most", rule, one=this(noun), which=which(noun), most=adjective.superlative)


_WHO_THAN = (
    ("{who.be}/b? {more} than/t {other} .", "{who} 比/t {other} {more}/b 。"),
    ("{who.be}/b? much/m {more} than/t {other} .", "{who} 比/t {other} {more}/b 得/m? 多/m 。"),
    ("{who.be}/b? a/m? bit/m {more} than/t {other} .", "{who} 比/t {other} {more}/b 一点/m 。"),
    ("{who.be}/b? as/c? {like} as/c {other} .", "{who} 跟/c {other} 一样/c {like}/b 。"),
)


def comparisons_of_people() -> Iterator[AlignedPair]:
    """*my older brother is taller than me*: 我哥哥比我高; *as tall as me*: 跟我一样高."""
    unfit = ("honest", "healthy", "kind", "polite", "friendly", "careful", "patient", "young")
    traits = [trait for trait in CHARACTERS if trait.name not in unfit]
    people = [*PRONOUNS, *PRONOUNS, *MY_KIN, *NAMED]
    for person, trait, other, rule in spread(430, "than people", people, traits, people, _WHO_THAN):
        if not person.is_same_as(other):
            slots = {"more": trait.comparative, "like": trait.positive, "other": other.object}
            yield pair("than", rule, who=person.subject, **slots)


RULES = (comparisons_of_things, comparisons_of_people)
