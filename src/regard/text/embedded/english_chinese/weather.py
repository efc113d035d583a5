"""The weather: 下雨, 下雪, hot and cold, in cities and seasons."""

from collections.abc import Iterator

from regard.text.embedded.english_chinese.adjectives import (
    DEGREES,
    NOT_VERY,
    PLAIN,
    REALLY,
    VERY,
    WEATHERS,
)
from regard.text.embedded.english_chinese.phrases import pair, phrase
from regard.text.embedded.english_chinese.places import CITIES, FAR
from regard.text.embedded.english_chinese.spreading import spread
from regard.text.embedded.english_chinese.times import SEASONS, SOON, WINTER
from regard.text.embedded.english_chinese.verbs import verb
from regard.text.embedded.pairs import AlignedPair

_FELT = {"spring": "warm", "summer": "hot", "autumn": "cool", "winter": "cold"}
_CLIMATE = (
    "it/f? is/f? {feel} in/p? {place} {season} {mark}/z",
    "{place}/p {season} {feel}/f {point}/z",
)
_TODAY = (
    ("it/f? is/f? {feel} today/d .", "今天/d {feel}/f 。"),
    ("it/f? was/f? {feel} yesterday/d .", "昨天/d {feel}/f 。"),
    ("it/f? was/f? {feel} this/d morning/e .", "今天/d 早上/e {feel}/f 。"),
    ("it/f? is/f? {feel} in/p? {place} today/d .", "{place}/p 今天/d {feel}/f 。"),
    ("it/f? was/f? {feel} in/p? {place} yesterday/d .", "{place}/p 昨天/d {feel}/f 。"),
    ("it/f? was/f? {feel} in/p? {place} this/d morning/e .", "{place}/p 今天/d 早上/e {feel}/f 。"),
)


def temperatures() -> Iterator[AlignedPair]:
    """*it is very cold in beijing in winter*: 北京冬天非常冷."""
    for place, feel, season, degree in spread(
        250, "climate", FAR, WEATHERS, SEASONS, [PLAIN, VERY, REALLY, NOT_VERY]
    ):
        if feel.name == _FELT[season.english[-1]]:
            yield pair("climate", _CLIMATE, feel=degree.of(feel), place=place, season=season, **degree.marks)
    for place, feel, degree, rule in spread(190, "weather", CITIES, WEATHERS, DEGREES, _TODAY):
        if degree.fits(feel) and degree.mark == ".":
            yield pair("weather", rule, feel=degree.of(feel), place=place)


_WILL = (
    ("it/f? will/w {fall} {when} .", "{when} 会/w {fall}/f 。"),
    ("it/f? won't/w {fall} {when} .", "{when} 不/w 会/w {fall}/f 。"),
    ("will/wq? it/f? {fall} {when} ?", "{when} 会/w {fall}/f 吗/q? ？"),
    ("it/f? will/w {fall} in/p? {place} {when} .", "{place}/p {when} 会/w {fall}/f 。"),
    ("it/f? won't/w {fall} in/p? {place} {when} .", "{place}/p {when} 不/w 会/w {fall}/f 。"),
    ("will/wq? it/f? {fall} in/p? {place} {when} ?", "{place}/p {when} 会/w {fall}/f 吗/q? ？"),
)
_OFTEN = (
    ("it/f? often/o {fall.it} in/p? {place} {season} .", "{place}/p {season} 经常/o {fall}/f 。"),
    ("it/f? doesn't/n often/o {fall} in/p? {place} {season} .", "{place}/p {season} 不/n 常/o {fall}/f 。"),
)
_SNOWY = ("beijing", "canada", "germany", "japan", "america")
_ABOUT_TO = ("it/f? is/a? about/a to/a? {fall} in/p? {place} .", "{place}/p 快要/a {fall}/f 了/a? 。")


def rain_and_snow() -> Iterator[AlignedPair]:
    """*will it rain tomorrow ?*: 明天会下雨吗？ *it often snows in beijing in winter*: 北京冬天经常下雪."""
    rain, snow = verb("rain = 下雨"), verb("snow = 下雪")
    for fall, place, when, rule in spread(170, "will rain", (rain, snow), CITIES, SOON, _WILL):
        yield pair("will", rule, fall=fall, place=place, when=when)
    it = phrase("it", "它")
    for fall, place, season, rule in spread(110, "often rains", (rain, snow), FAR, SEASONS, _OFTEN):
        if fall is rain or (season is WINTER and place.name in _SNOWY):
            yield pair("climate", rule, fall=fall, it=it, place=place, season=season)
    for place in CITIES:
        for fall in (rain, snow):
            yield pair("about", _ABOUT_TO, fall=fall, place=place)


RULES = (temperatures, rain_and_snow)
