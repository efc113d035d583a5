"""Nouns with what stands before them: articles, numbers and their classifiers, owners, adjectives."""

from functools import cache

from regard.text.embedded.english_chinese import inflection
from regard.text.embedded.english_chinese.nouns import Noun
from regard.text.embedded.english_chinese.phrases import Phrase, phrase

NUMBERS = {
    "two": "两",
    "three": "三",
    "four": "四",
    "five": "五",
    "six": "六",
    "seven": "七",
    "eight": "八",
    "nine": "九",
    "ten": "十",
    "twelve": "十二",
    "fifteen": "十五",
    "twenty": "二十",
    "thirty": "三十",
    "forty": "四十",
    "fifty": "五十",
    "sixty": "六十",
    "eighty": "八十",
}


@cache
def a(noun: Noun) -> Phrase:
    """*a book*: 一本书."""
    return phrase(
        "{a}/d {noun}/n",
        "一/d {classifier}/d?n? {noun}",
        a=inflection.article(noun.singular.english[0]),
        classifier=noun.classifier,
        noun=noun.singular,
    )


@cache
def role(noun: Noun) -> Phrase:
    """*a doctor*, said of someone: 医生, without number or classifier."""
    return phrase(
        "{a}/n? {noun}", "{noun}/n", a=inflection.article(noun.singular.english[0]), noun=noun.singular
    )


@cache
def number(name: str, noun: Noun) -> Phrase:
    """*two books*: 两本书."""
    return phrase(
        f"{name}/d {{noun}}/n",
        f"{NUMBERS[name]}/d {{classifier}}/d?n? {{noun}}",
        classifier=noun.classifier,
        noun=noun.plural,
    ).agreeing("many")


@cache
def several(noun: Noun) -> Phrase:
    """*a few books*: 几本书."""
    return phrase(
        "a/d? few/d {noun}/n",
        "几/d {classifier}/d?n? {noun}",
        classifier=noun.classifier,
        noun=noun.plural,
    ).agreeing("many")


@cache
def many(noun: Noun) -> Phrase:
    """*many books*: 很多书."""
    return phrase("many/d {noun}", "很多/d {noun}", noun=noun.plural).agreeing("many")


@cache
def bare(noun: Noun) -> Phrase:
    """Books, water or cake in general: the noun alone."""
    return noun.singular if noun.kinds & {"mass", "stuff"} else noun.plural


@cache
def the(noun: Noun) -> Phrase:
    """*the book*: 书, as Chinese leaves the known unmarked."""
    return phrase("the/d? {noun}", "{noun}/d", noun=noun.singular).agreeing(noun.singular.agreement)


@cache
def the_people(noun: Noun) -> Phrase:
    """*the children*: 孩子们."""
    (person,) = noun.plural.chinese
    group = phrase("the/d? {noun}/n", f"{person}们/nd", noun=noun.plural)
    return group.agreeing("many")


@cache
def _pointed(english: str, english_many: str, chinese: str, noun: Noun) -> Phrase:
    pointer = english_many if noun.is_always_plural else english
    return phrase(
        f"{pointer}/d {{noun}}/n",
        f"{chinese}/d {{classifier}}/d?n? {{noun}}",
        classifier=noun.classifier,
        noun=noun.singular,
    ).agreeing(noun.singular.agreement)


def this(noun: Noun) -> Phrase:
    """*this book*: 这本书; *these shoes*: 这双鞋; *these clothes*: 这些衣服."""
    return these(noun) if noun.is_collective else _pointed("this", "these", "这", noun)


def that(noun: Noun) -> Phrase:
    """*that book*: 那本书; *those shoes*: 那双鞋; *those clothes*: 那些衣服."""
    return those(noun) if noun.is_collective else _pointed("that", "those", "那", noun)


def which(noun: Noun) -> Phrase:
    """*which book*: 哪本书."""
    return _pointed("which", "which", "哪", noun)


@cache
def these(noun: Noun) -> Phrase:
    """*these books*: 这些书."""
    return phrase("these/d {noun}", "这些/d {noun}", noun=noun.plural).agreeing("many")


@cache
def those(noun: Noun) -> Phrase:
    """*those books*: 那些书."""
    return phrase("those/d {noun}", "那些/d {noun}", noun=noun.plural).agreeing("many")


@cache
def owned(owner: Phrase, noun: Noun) -> Phrase:
    """*my mother's book*: 我妈妈的书."""
    whole = phrase("{owner}/p {noun}", "{owner} 的/p? {noun}", owner=owner.owning, noun=noun.singular)
    return whole.agreeing(noun.singular.agreement)


@cache
def modified(noun: Noun, adjective: Phrase, joint: str) -> Noun:
    """A noun with an adjective before it: *red flower*, 红色的花; *big house*, 大房子."""

    def form(core: Phrase) -> Phrase:
        whole = phrase(
            "{adjective}/a {noun}",
            "{adjective} {joint}/a? {noun}",
            adjective=adjective,
            joint=joint,
            noun=core,
        )
        return whole.agreeing(core.agreement)

    return Noun(form(noun.singular), form(noun.plural), noun.classifier, noun.kinds)
