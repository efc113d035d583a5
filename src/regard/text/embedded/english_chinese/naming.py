"""Who people are, what they are called, where they come from, and whose things are."""

from collections.abc import Iterator
from dataclasses import replace

from regard.text.embedded.english_chinese.noun_phrases import owned, role, that, this
from regard.text.embedded.english_chinese.nouns import NOUNS, nouns
from regard.text.embedded.english_chinese.people import (
    ASKED,
    KIN,
    KNOWN,
    NAMED,
    ONE,
    SIBLINGS,
    THEY,
    TITLED,
    WE,
    WORKING,
    YOU,
    YOUR_KIN,
    Person,
    absolute,
    has_such_kin,
    possessed,
    possessive,
)
from regard.text.embedded.english_chinese.phrases import Phrase, pair, phrase
from regard.text.embedded.english_chinese.places import FAR
from regard.text.embedded.english_chinese.spreading import spread
from regard.text.embedded.english_chinese.things import OWNABLE, OWNERS, may_own
from regard.text.embedded.pairs import AlignedPair

JOBS = nouns("profession")
_IS_A = (
    ("{who.be}/b {what} .", "{who} 是/b {what} 。"),
    ("{who.be}/b {what} .", "{who} 是/b {what} 。"),
    ("{who.be}/b not/n {what} .", "{who} 不/n 是/b {what} 。"),
)
_IS_SHE_A = ("{be.who}/bq? {who} {what} ?", "{who} 是/b {what} 吗/q? ？")
_WHICH = ("{be.who}/b {who} {what} or/o {other} ?", "{who} 是/b {what} 还是/o {other} ？")
_WANTS = ("{who} {want.who} to/b? be/b {what} .", "{who} {want} 当/b {what} 。")
_WANT = phrase("want/h", "想/h")


def _is_single(person: Person) -> bool:
    return person not in (WE, THEY)


def professions() -> Iterator[AlignedPair]:
    """*his father is a lawyer*: 他爸爸是律师."""
    for person, job, rule in spread(260, "job", list(filter(_is_single, WORKING)), JOBS, _IS_A):
        yield pair("be", rule, who=person.subject, what=role(job))
    asked = [person for person in ASKED if person.is_grown and _is_single(person)]
    for person, job in spread(100, "job asked", asked, JOBS):
        yield pair("be", _IS_SHE_A, who=person.subject, what=role(job))
    for person, job, other in spread(100, "which job", asked, JOBS, JOBS):
        if job is not other:
            yield pair("be", _WHICH, who=person.subject, what=role(job), other=role(other))
    dreamers = [person for person in ONE if person.is_pronoun or not person.is_grown]
    for person, job in spread(
        110, "job wanted", dreamers, [job for job in JOBS if job is not NOUNS["student"]]
    ):
        yield pair("become", _WANTS, who=person.subject, want=_WANT, what=role(job))


_THIS_IS = (
    ("this/t is/b {who} .", "这/t 是/b {who} 。"),
    ("that/t is/b {who} .", "那/t 是/b {who} 。"),
    ("this/t is/b not/n {who} .", "这/t 不/n 是/b {who} 。"),
)
_ONE_IS = (
    ("{one} is/b {who} .", "{one} 是/b {who} 。"),
    ("is/bq? {one} {who} ?", "{one} 是/b {who} 吗/q? ？"),
)
_WHO = ("who/w is/b {one} ?", "{one} 是/b 谁/w ？")
_FOLK = {
    "woman": (
        "mother",
        "older sister",
        "aunt",
        "wife",
        "friend",
        "neighbor",
        "colleague",
        "teacher",
        "doctor",
    ),
    "man": (
        "father",
        "older brother",
        "uncle",
        "husband",
        "friend",
        "neighbor",
        "colleague",
        "teacher",
        "doctor",
    ),
    "girl": ("younger sister", "daughter", "classmate", "student", "friend"),
    "boy": ("younger brother", "son", "classmate", "student", "friend"),
    "child": ("son", "daughter", "younger brother", "younger sister", "student"),
}
MATCHES = [(NOUNS[folk], (NOUNS | KIN)[name]) for folk, names in _FOLK.items() for name in names]
"""Whom one may turn out to be: that woman, my aunt."""


def introductions() -> Iterator[AlignedPair]:
    """*this is my friend*: 这是我的朋友; *that woman is my aunt*: 那个女人是我姑姑."""
    circle = [*KIN.values(), *nouns("acquaintance teacher doctor")]
    for owner, noun, rule in spread(80, "this is", OWNERS, circle, _THIS_IS):
        if has_such_kin(owner, noun):
            yield pair("introduce", rule, who=possessed(owner, noun))
    for (folk, noun), owner, point, rule in spread(160, "that man", MATCHES, OWNERS, (this, that), _ONE_IS):
        if has_such_kin(owner, noun) and (owner != "i" or rule is _ONE_IS[0]):
            yield pair("introduce", rule, one=point(folk), who=possessed(owner, noun))
    for folk, point in spread(30, "who is that", nouns("folk profession"), (this, that)):
        yield pair("who", _WHO, one=point(folk))


def _as_content(name: Phrase) -> Phrase:
    return replace(name, lemmas=(name.name,))


def names() -> Iterator[AlignedPair]:
    """*his name is peter*: 他叫彼得; *what is your uncle's name ?*: 你叔叔叫什么名字？"""
    rule = ("{whose} name/n is/n? {name} .", "{whose} 叫/n {name} 。")
    bearers = [person for person in KNOWN if person.subject.lemmas]
    for person in NAMED:
        for owner in ("i", person.pronoun):
            yield pair("name", rule, whose=possessive(owner), name=_as_content(person.subject))
    for person, named in spread(100, "their name", bearers, NAMED):
        if person.pronoun == named.pronoun:
            yield pair("name", rule, whose=person.subject.owning, name=_as_content(named.subject))
    rule = ("what/w is/n? {whose} name/n ?", "{whose} 叫/n? 什么/w 名字/n ？")
    for person in [*YOUR_KIN, *bearers]:
        if person.subject.english[0] != "my":
            yield pair("what name", rule, whose=person.subject.owning)


def origins() -> Iterator[AlignedPair]:
    """*her husband comes from france*: 她丈夫来自法国."""
    rule = ("{who} {come.who}/f? from/f {place} .", "{who} 来自/f {place} 。")
    come = phrase("come", "来")
    near = {"son", "daughter", *(noun.singular.name for noun in SIBLINGS)}
    others = [
        person for person in KNOWN if person is not YOU and not near.intersection(person.subject.lemmas)
    ]
    for person, place in spread(150, "from", others, FAR):
        yield pair("from", rule, who=person.subject, come=come, place=place)
    rule = ("{do.who}/q? {who} come/f? from/f {place} ?", "{who} 来自/f {place} 吗/q? ？")
    for person, place in spread(60, "from?", [person for person in ASKED if not person.subject.lemmas], FAR):
        yield pair("from", rule, who=person.subject, place=place)


_IS_OWNED = (
    ("this/t is/b {thing} .", "这/t 是/b {thing} 。"),
    ("that/t is/b {thing} .", "那/t 是/b {thing} 。"),
    ("this/t is/b not/n {thing} .", "这/t 不/n 是/b {thing} 。"),
    ("that/t is/b not/n {thing} .", "那/t 不/n 是/b {thing} 。"),
)
_WHOSE = (
    ("whose/w {thing} is/b this/t ?", "这/t 是/b 谁/w 的/w? {thing} ？"),
    ("whose/w {thing} is/b that/t ?", "那/t 是/b 谁/w 的/w? {thing} ？"),
)
_IS_MINE = (
    ("{thing} {be.thing}/b {whose} .", "{thing} 是/b {whose} 。"),
    ("{be.thing}/bq? {thing} {whose} ?", "{thing} 是/b {whose} 吗/q? ？"),
)


def possessions() -> Iterator[AlignedPair]:
    """*that is my uncle's car*: 那是我叔叔的车; *whose umbrella is this ?*: 这是谁的雨伞？"""
    things = [noun for noun in OWNABLE if "chamber" not in noun.kinds]
    single = [noun for noun in things if not noun.is_always_plural]
    owners = [person for person in [*KNOWN, *NAMED, *TITLED] if not person.is_pronoun]
    for person, noun, rule in spread(340, "whose", owners, single, _IS_OWNED):
        if may_own(person.pronoun, noun):
            yield pair("own", rule, thing=owned(person.subject, noun))
    for noun, rule in spread(50, "whose is this", single, _WHOSE):
        yield pair("whose", rule, thing=noun.singular)
    for noun, owner, point, rule in spread(150, "is mine", things, OWNERS, (this, that), _IS_MINE):
        if may_own(owner, noun):
            yield pair("own", rule, thing=point(noun), whose=absolute(owner))


RULES = (professions, introductions, names, origins, possessions)
