"""Asking one's way, and asking how, when and where something came about (是 ... 的)."""

from collections.abc import Iterator

from regard.text.embedded.english_chinese.noun_phrases import role, the, this
from regard.text.embedded.english_chinese.people import ASKED, possessive
from regard.text.embedded.english_chinese.phrases import pair
from regard.text.embedded.english_chinese.places import FAR, VENUES
from regard.text.embedded.english_chinese.spreading import spread
from regard.text.embedded.english_chinese.verbs import countable
from regard.text.embedded.pairs import AlignedPair

_WAY = (
    ("excuse/e? me/e , where/w is/b {place} ?", "请问/e ， {place} 在/b 哪里/w ？"),
    ("how/h do/h? i/h? get/g to/g? {place} ?", "去/g {place} 怎么/h 走/h? ？"),
    ("excuse/e? me/e , how/h do/h? i/h? get/g to/g? {place} ?", "请问/e ， 去/g {place} 怎么/h 走/h? ？"),
    ("is/q? {place} far/f from/l here/h ?", "{place} 离/l 这里/h 远/f 吗/q? ？"),
    ("{place} is/f? very/v far/f from/l here/h .", "{place} 离/l 这里/h 非常/v 远/f 。"),
    ("{place} is/f? not/n far/f from/l here/h .", "{place} 离/l 这里/h 不/n 远/f 。"),
    ("how/h far/f is/f? {place} from/l here/p ?", "{place} 离/l 这里/p 多/h 远/f ？"),
    ("is/hq? there/h? {one} near/f here/p ?", "这/p? 附近/fp? 有/h {one} 吗/q? ？"),
)
_FROM_HOME = (
    ("{whose} home/o is/k? very/d far/k from/l {place} .", "{whose} 家/o 离/l {place} 非常/d 远/k 。"),
    ("{whose} home/o is/k? not/n far/k from/l {place} .", "{whose} 家/o 离/l {place} 不/n 远/k 。"),
    ("{whose} home/o is/k? too/d far/k from/l {place} .", "{whose} 家/o 离/l {place} 太/d 远/k 了/d? 。"),
    ("{whose} home/o is/k? very/d close/k to/l {place} .", "{whose} 家/o 离/l {place} 非常/d 近/k 。"),
)


def directions() -> Iterator[AlignedPair]:
    """*is the bank far from here ?*: 银行离这里远吗？ *how do i get to the zoo ?*: 去动物园怎么走？"""
    for noun in VENUES:
        for rule in _WAY:
            yield pair("way", rule, place=the(noun), one=role(noun))
    for noun, owner, rule in spread(
        120, "far from home", VENUES, ("i", "he", "she", "you", "they"), _FROM_HOME
    ):
        yield pair("far", rule, whose=possessive(owner), place=the(noun))


_BOUGHT = {
    "where": ("where/w did/d? {who} buy/bd {what} ?", "{who} 是/d? 在/w? 哪里/w 买/b 的/d? {what} ？"),
    "when": ("when/w did/d? {who} buy/bd {what} ?", "{who} 是/d? 什么时候/w 买/b 的/d? {what} ？"),
}
_WENT = {
    "how": ("how/w did/d? {who} go/gd to/g? {place} ?", "{who} 是/d? 怎么/w 去/g {place} 的/d? ？"),
    "when": ("when/w did/d? {who} go/gd to/g? {place} ?", "{who} 是/d? 什么时候/w 去/g {place} 的/d? ？"),
}


def circumstances() -> Iterator[AlignedPair]:
    """*where did you buy this hat ?*: 你是在哪里买的这顶帽子？ *when did he go ?*: 他是什么时候去的？"""
    bought = countable(
        "garment headwear device machine bag bicycle car painting violin guitar furniture doll dictionary"
    )
    for person, noun, about in spread(130, "bought where", ASKED, bought, list(_BOUGHT)):
        yield pair(about, _BOUGHT[about], who=person.subject, what=this(noun))
    for person, place, about in spread(120, "went how", ASKED, FAR, list(_WENT)):
        yield pair(about, _WENT[about], who=person.subject, place=place)


RULES = (directions, circumstances)
