"""What people have done, have already or not yet done, and have finished: 过, 已经, 还没, 完."""

from collections.abc import Iterator

from regard.text.embedded.english_chinese.noun_phrases import bare, that, this
from regard.text.embedded.english_chinese.nouns import nouns
from regard.text.embedded.english_chinese.people import ASKED, KNOWN, TOLD, YOU
from regard.text.embedded.english_chinese.phrases import Phrase, pair, phrase
from regard.text.embedded.english_chinese.spreading import spread
from regard.text.embedded.english_chinese.verbs import act, deeds, verb
from regard.text.embedded.pairs import AlignedPair

_HAVE_DONE = (
    ("{who} {have.who}/d? {act.done}/d {what} .", "{who} {act} 过/d? {what} 。"),
    ("{who} {have.who}/d? never/n {act.done}/d {what} .", "{who} 从来/n 没/n {act} 过/d? {what} 。"),
    ("{who} {have.who}/d? {act.done}/d {what} before/e .", "{who} 以前/e {act} 过/d? {what} 。"),
)
_EVER_DONE = ("{have.who}/q?d? {who} ever/d? {act.done}/d {what} ?", "{who} {act} 过/d {what} 吗/q? ？")
_AS_FOR = (
    ("as/t? for/t? {what}/t , {who} {have.who}/d? {act.done}/d it/t? .", "{what}/t ， {who} {act} 过/d? 。"),
    (
        "as/t? for/t? {what}/t , {who} {have.who}/d? already/y {act.done}/d it/t? .",
        "{what}/t ， {who} 已经/y {act} 过/d? 了/y? 。",
    ),
    (
        "as/t? for/t? {what}/t , {who} {haven't.who}/n {act.done}/d it/t? yet/y .",
        "{what}/t ， {who} 还/y 没/n {act} 过/d? 。",
    ),
)


def experiences() -> Iterator[AlignedPair]:
    """*i have read this book*: 我看过这本书; *as for this book , i have read it*: 这本书，我看过."""
    tried = [(deed.verb, this(deed.noun)) for deed in deeds("read watch")]
    tried += [(deed.verb, bare(deed.noun)) for deed in deeds("eat") if deed.noun.kinds & {"dish", "treat"}]
    tried += [(deed.verb, bare(deed.noun)) for deed in deeds("make")]
    tried += [(verb("plant = 种"), bare(noun)) for noun in nouns("plant")]
    tried += [(verb("see = 见"), bare(noun)) for noun in nouns("wild")]
    tried += [(verb("repair = 修"), bare(noun)) for noun in nouns("device machine bicycle car motorcycle")]
    tried += [(verb("keep = 养"), bare(noun)) for noun in nouns("pet")]
    for person, (doing, what), rule in spread(200, "have done", TOLD, tried, _HAVE_DONE):
        yield pair("done", rule, who=person.subject, act=doing, what=what)
    for person, (doing, what) in spread(150, "ever done", ASKED, tried):
        yield pair("done", _EVER_DONE, who=person.subject, act=doing, what=what)
    tellers = [person for person in KNOWN if person is not YOU]
    for deed, point, person, rule in spread(
        170, "as for", deeds("read watch"), (this, that), tellers, _AS_FOR
    ):
        yield pair("done", rule, who=person.subject, act=deed.verb, what=point(deed.noun))


_MEALS = (("breakfast", "早饭"), ("lunch", "午饭"), ("dinner", "晚饭"))
_CHORES = (
    ("wash/h clothes/o", "洗", "衣服"),
    ("wash/h the/o? dishes/o", "洗", "碗"),
    ("clean/h the/o? room/o", "打扫", "房间"),
    ("water/h the/o? flowers/o", "浇", "花"),
    ("feed/h the/o? cat/o", "喂", "猫"),
    ("walk/h the/o? dog/o", "遛", "狗"),
)
FINISHED = [
    *(verb(f"eat/h {meal}/o = 吃完/h {chinese}/o") for meal, chinese in _MEALS),
    *(verb(f"{english} = {does}完/h {thing}/o") for english, does, thing in _CHORES),
]


def _stages() -> list[tuple[Phrase, Phrase, Phrase]]:
    """Things to get done: before, when one says it is done, when it has only just been done."""
    stages = [(act(name),) * 3 for name in ("get up", "go home")]
    for (meal, chinese), finished in zip(_MEALS, FINISHED, strict=False):
        begun, done = (
            verb(f"eat/h {meal}/o = {form}") for form in (f"吃/h {chinese}/o", f"吃/h 过/h? {chinese}/o")
        )
        stages.append((begun, done, finished))
    for (english, does, thing), finished in zip(_CHORES, FINISHED[len(_MEALS) :], strict=True):
        stages.append((verb(f"{english} = {does}/h {thing}/o"), finished, finished))
    return stages


_STAGED = (
    ("{who} {have.who}/y? already/y {done.done}/d .", "{who} 已经/y {done} 了/d? 。"),
    ("{who} {haven't.who}/n {act.done} yet/y .", "{who} 还/y 没/n {act} 。"),
    ("{who} {have.who}/j? just/j {just.done} .", "{who} 刚/j {just} 。"),
)
_YET = ("{have.who}/q? {who} {act.done}/q yet/q? ?", "{who} {act} 了/q? 吗/q? ？")
_FINISHED = (
    ("{who} {have.who}/f? finished/f {act.ing} .", "{who} {act}/f 了/f? 。"),
    ("{who} {have.who}/f? finished/f {act.ing} .", "{who} {act}/f 了/f? 。"),
    ("{who} {haven't.who}/n finished/f {act.ing} yet/y .", "{who} 还/y 没/n {act}/f 。"),
)


def already() -> Iterator[AlignedPair]:
    """*she has already eaten breakfast*: 她已经吃过早饭了; *he hasn't gotten up yet*: 他还没起床."""
    for person, (before, done, just), rule in spread(240, "already", TOLD, _stages(), _STAGED):
        if not (person.pronoun in ("i", "we") and before is act("go home")):
            yield pair("already", rule, who=person.subject, act=before, done=done, just=just)
    for person, (before, _, _) in spread(110, "already?", ASKED, _stages()):
        yield pair("already", _YET, who=person.subject, act=before)
    read = [
        phrase("read/h {what}", "看完/h {what}", ("read",), what=this(noun))
        for noun in nouns("book novel magazine")
    ]
    for person, doing, rule in spread(140, "finish", TOLD, [*FINISHED, *read], _FINISHED):
        yield pair("finish", rule, who=person.subject, act=doing)


RULES = (experiences, already)
