"""Relative clauses, which Chinese puts before the noun: 汤姆买的苹果, 在唱歌的女孩."""

from collections.abc import Iterator

from regard.text.embedded.english_chinese.adjectives import NOT, PLAIN, QUALITIES, VERY, Adjective
from regard.text.embedded.english_chinese.having import WORN
from regard.text.embedded.english_chinese.naming import MATCHES
from regard.text.embedded.english_chinese.noun_phrases import role
from regard.text.embedded.english_chinese.nouns import NOUNS, Noun, nouns
from regard.text.embedded.english_chinese.people import KNOWN, YOU, has_such_kin, possessed
from regard.text.embedded.english_chinese.phrases import Phrase, pair, phrase
from regard.text.embedded.english_chinese.spreading import spread
from regard.text.embedded.english_chinese.things import colours_of
from regard.text.embedded.english_chinese.times import RECENTLY
from regard.text.embedded.english_chinese.verbs import activities, deeds
from regard.text.embedded.pairs import AlignedPair

_THAT_IS = (
    ("the/n? {what} that/d {who} {act.past} is/l? {like} .", "{who} {act} 的/d {what}/n {like}/l 。"),
    (
        "the/n? {what} that/d {who} {act.past} {when} is/l? {like} .",
        "{who} {when} {act} 的/d {what}/n {like}/l 。",
    ),
)
_THIS_IS = ("this/t is/b the/n? {what} that/d {who} {act.past} .", "这/t 是/b {who} {act} 的/d {what}/n 。")
_LIKES = (
    "{fan} {like.fan} the/n? {what} that/d {who} {act.past} .",
    "{fan} {like} {who} {act} 的/d {what}/n 。",
)
_UNREMARKABLE = ["old", "useful", "clean", "dirty", "dark", "new", "small", "big", "good", "famous"]


def _is_remarkable(verb: str, adjective: Adjective) -> bool:
    """Whether one would say it of a thing so come by; of what is drawn, only that it is pretty or cute."""
    return adjective.name in ("pretty", "cute") if verb == "draw" else adjective.name not in _UNREMARKABLE


def relative_objects() -> Iterator[AlignedPair]:
    """*the apple that tom bought is sweet*: 汤姆买的苹果很甜; *the cake that she made*: 她做的蛋糕."""
    got = [
        (deed, adjective)
        for deed in dict.fromkeys(deeds("buy read write draw borrow make receive watch plant pick order"))
        for adjective, noun in dict.fromkeys(QUALITIES)
        if noun is deed.noun and _is_remarkable(deed.verb.name, adjective)
    ]
    people = [person for person in KNOWN if person is not YOU]
    said = [(rule, degree) for rule in _THAT_IS for degree in (PLAIN, VERY, NOT)]
    for person, (deed, adjective), (rule, degree) in spread(230, "that i bought", people, got, said):
        if degree.fits(adjective):
            slots = {"what": deed.noun.singular, "like": degree.of(adjective), "when": RECENTLY[0]}
            yield pair("that", rule, who=person.subject, act=deed.verb, **slots)
    like = phrase("like/h", "喜欢/h")
    admired = [
        deed
        for deed in deeds("make draw write buy take sing plant")
        if deed.verb.name != "buy" or deed.is_lasting
    ]
    for fan, person, deed, rule in spread(
        230, "like what you made", people, people, admired, (_THIS_IS, _LIKES)
    ):
        if not fan.is_same_as(person) and fan.pronoun != person.pronoun:
            slots = {"fan": fan.subject, "like": like, "what": deed.noun.singular}
            yield pair("that", rule, **slots, who=person.subject, act=deed.verb)


_WHO_IS = ("the/n? {folk} who/r is/d? {act.ing}/d is/b {who} .", "在/d? {act} 的/r {folk}/n 是/b {who} 。")
_WEARING = ("the/n? {folk} wearing/w {what} is/b {who} .", "{on}/w {what} 的/w? {folk}/n 是/b {who} 。")
_KNOW = (
    (
        "do/q? you/y know/k that/t {folk}/c wearing/w {what} ?",
        "你/y 认识/k 那/t 个/t?c? {on}/w {what} 的/w? {folk} 吗/q? ？",
    ),
    (
        "i/y don't/n know/k that/t {folk}/c wearing/w {what} .",
        "我/y 不/n 认识/k 那/t 个/t?c? {on}/w {what} 的/w? {folk} 。",
    ),
)


def _garment(noun: Noun, colour: Adjective) -> Phrase:
    """*a red hat*, worn by someone spoken of: 红色帽子, without 的, since another is to follow."""
    article = role(colour.before(noun)).english[0]
    return phrase(
        "{a}/l? {colour} {noun}", "{colour} {noun}/l", a=article, colour=colour.positive, noun=noun.singular
    )


def relative_subjects() -> Iterator[AlignedPair]:
    """*the girl who is singing is my younger sister*: 在唱歌的女孩是我妹妹."""
    doings = [doing for doing in activities("now") if not doing.kinds & {"pupil", "grown"}]
    for (folk, noun), doing, owner in spread(140, "who is singing", MATCHES, doings, ("i", "he", "she")):
        if has_such_kin(owner, noun):
            yield pair("who", _WHO_IS, folk=folk.singular, act=doing, who=possessed(owner, noun))
    dressed = [
        (noun, on, colour) for noun, on in WORN if not noun.is_always_plural for colour in colours_of(noun)
    ]
    for (folk, noun), (worn, on, colour), owner in spread(
        140, "in red", MATCHES, dressed, ("i", "he", "she")
    ):
        if has_such_kin(owner, noun) and _may_wear(folk, worn):
            slots = {"what": _garment(worn, colour), "who": possessed(owner, noun)}
            yield pair("wear", _WEARING, folk=folk.singular, on=on, **slots)
    for folk, (worn, on, colour), rule in spread(
        90, "know in red", nouns("woman man girl boy"), dressed, _KNOW
    ):
        if _may_wear(folk, worn):
            yield pair("know", rule, folk=folk.singular, what=_garment(worn, colour), on=on)


def _may_wear(folk: Noun, worn: Noun) -> bool:
    return "feminine" not in worn.kinds or folk in (NOUNS["woman"], NOUNS["girl"])


RULES = (relative_objects, relative_subjects)
