"""Numbers: ages, prices, dates."""

from collections.abc import Iterator
from dataclasses import replace

from regard.text.embedded.english_chinese.noun_phrases import NUMBERS, that, this
from regard.text.embedded.english_chinese.nouns import nouns
from regard.text.embedded.english_chinese.people import KNOWN, ONE, TITLED, YOUR_KIN, Person, possessive
from regard.text.embedded.english_chinese.phrases import Phrase, pair, phrase
from regard.text.embedded.english_chinese.spreading import spread
from regard.text.embedded.english_chinese.times import MONTHS, WEEKDAYS
from regard.text.embedded.pairs import AlignedPair


def _counted(name: str) -> Phrase:
    return phrase(f"{name}/h", f"{NUMBERS[name]}/h", (name,))


_CHILDHOOD = "two three four five six seven eight nine ten twelve fifteen twenty"
_AGES = {
    "son": _CHILDHOOD,
    "daughter": _CHILDHOOD,
    "younger brother": _CHILDHOOD,
    "younger sister": _CHILDHOOD,
    "older brother": "fifteen twenty thirty",
    "older sister": "fifteen twenty thirty",
    "grandmother": "sixty eighty",
    "grandfather": "sixty eighty",
    "": "eight nine ten twelve fifteen twenty thirty forty fifty",
}
_IS_OLD = ("{who.be}/y? {count} years/y old/y .", "{who} {count} 岁/y 。")
_HOW_OLD = ("how/o old/o {be.who}/o? {who} ?", "{who} 多大/o ？")


def _may_be(person: Person, age: str) -> bool:
    kin = "".join(person.subject.lemmas) or ("grown" if person in TITLED else "")
    return age in _AGES.get(kin, "thirty forty fifty").split()


def ages() -> Iterator[AlignedPair]:
    """*my daughter is eight years old*: 我女儿八岁; *how old is your uncle ?*: 你叔叔多大？"""
    for person, age in spread(310, "age", ONE, list(NUMBERS)):
        if _may_be(person, age):
            yield pair("age", _IS_OLD, who=person.subject, count=_counted(age))
    for person in [*YOUR_KIN, *ONE]:
        if person.subject.lemmas and person.subject.english[0] != "my" and "grand" not in person.subject.name:
            yield pair("how old", _HOW_OLD, who=person.subject)


_COSTS = ("{thing} {cost.thing}/y? {count} yuan/y .", "{thing} {count} 块/y 钱/y? 。")
_HOW_MUCH = ("how/m? much/m {be.thing}/m? {thing} ?", "{thing} 多少/m 钱/m ？")


def prices() -> Iterator[AlignedPair]:
    """*how much is this coat ?*: 这件大衣多少钱？ *this pen costs ten yuan*: 这支钢笔十块钱."""
    cheap = nouns("stationery novel magazine cup bowl plate spoon umbrella map cake socks")
    dear = nouns("garment headwear shoes bag dictionary chair lamp clock vase toy doll")
    tags = [
        (noun, count)
        for noun in cheap
        for count in ("five", "six", "eight", "ten", "twelve", "fifteen", "twenty")
    ]
    tags += [(noun, count) for noun in dear for count in ("thirty", "forty", "fifty", "sixty", "eighty")]
    cost = phrase("cost", "块")
    for (noun, count), point in spread(230, "price", tags, (this, that)):
        yield pair("price", _COSTS, thing=point(noun), cost=cost, count=_counted(count))
    sold = nouns(
        "garment headwear footwear device machine bag dictionary car bicycle novel cake painting furniture"
    )
    for noun, point in spread(80, "how much", sold, (this, that)):
        yield pair("how much", _HOW_MUCH, thing=point(noun))


_ORDINALS = {
    "third": "三",
    "fourth": "四",
    "fifth": "五",
    "sixth": "六",
    "seventh": "七",
    "eighth": "八",
    "ninth": "九",
    "tenth": "十",
    "twelfth": "十二",
    "fifteenth": "十五",
    "twentieth": "二十",
}
_BIRTHDAY = phrase("birthday/h", "生日/h", ("birthday",))
_BORN = (
    "{whose}/p {birthday} is/b on/b? {month} {day}/d .",
    "{whose} 的/p? {birthday} 是/b {month} {day}/d 号/d? 。",
)
_BORN_WHEN = ("when/w is/b {whose}/p {birthday} ?", "{whose} 的/p? {birthday} 是/b 什么时候/w ？")
_DAYS = {
    "today": ("today/d is/b {what} .", "今天/d 是/b {what} 。"),
    "tomorrow": ("tomorrow/d is/b {what} .", "明天/d 是/b {what} 。"),
    "yesterday": ("yesterday/d was/b {what} .", "昨天/d 是/b {what} 。"),
}
_IS_DAY = (
    ("is/bq? today/d {what} ?", "今天/d 是/b {what} 吗/q? ？"),
    ("is/bq? tomorrow/d {what} ?", "明天/d 是/b {what} 吗/q? ？"),
    ("today/d is/b not/n {what} .", "今天/d 不/n 是/b {what} 。"),
)


def _owner(person: Person) -> Phrase:
    return possessive(person.pronoun) if person.is_pronoun else person.subject.owning


def dates() -> Iterator[AlignedPair]:
    """*my birthday is on may eighth*: 我的生日是五月八号; *today is monday*: 今天是星期一."""
    days = [phrase(f"{english}/h", f"{chinese}/h") for english, chinese in _ORDINALS.items()]
    months = [replace(month, lemmas=month.english) for month in MONTHS]
    for person, month, day in spread(400, "birthday", ONE, months, days):
        slots = {"birthday": _BIRTHDAY, "month": month, "day": day}
        yield pair("birthday", _BORN, whose=_owner(person), **slots)
    for person in [*YOUR_KIN, *KNOWN]:
        if not person.is_pronoun and person.subject.english[0] != "my":
            yield pair("when", _BORN_WHEN, whose=_owner(person), birthday=_BIRTHDAY)
    rule = ("{whose}/p {birthday}", "{whose} 的/p? {birthday}")
    feasts = [phrase(*rule, whose=_owner(person), birthday=_BIRTHDAY) for person in ONE]
    for what, name in spread(80, "birthday today", feasts, list(_DAYS)):
        yield pair(name, _DAYS[name], what=what)
    for weekday in WEEKDAYS:
        what = replace(weekday, lemmas=weekday.english)
        for name, said in _DAYS.items():
            yield pair(name, said, what=what)
        for asked in _IS_DAY:
            yield pair("day", asked, what=what)


RULES = (ages, prices, dates)
