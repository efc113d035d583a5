"""What is said as a whole: greetings, courtesies, everyday phrases, a few proverbs.

A mark says to whom it may be said by name: ``*`` to anyone, ``-`` to those one is close to, ``+``
to those one is not.
"""

from collections.abc import Iterator
from dataclasses import replace

from regard.text.embedded.english_chinese.people import NAMED, TITLED
from regard.text.embedded.english_chinese.phrases import Phrase, pair, phrase
from regard.text.embedded.pairs import AlignedPair

_PHRASES = """
- i'm/ac? home/b . = 我/a 到/b?c 家/b 了/b?c 。
look/l at/l? the/k? kitten/k , it/i is/c? so/s cute/c ! = 看/l 小猫/k ， 它/i 好/s 可爱/c ！
* thank/t you/y . = 谢谢/t 你/y 。
* thank/t you/t? very/v much/v . = 非常/v 感谢/t 。
* you're/w? welcome/w . = 不客气/w 。
* good/g morning/m ! = 早上/m 好/g ！
* good/g afternoon/m ! = 下午/m 好/g ！
* good/g evening/m ! = 晚上/m 好/g ！
* good/g night/g ! = 晚安/g ！
* see/s you/s? tomorrow/t . = 明天/t 见/s 。
* see/s you/s? later/t . = 回头/t 见/s 。
* see/s you/s? next/n week/w . = 下个/n 星期/w 见/s 。
* see/s you/s? on/m? monday/m . = 星期一/m 见/s 。
* how/h are/h? you/y ? = 你/y 好/h 吗/h? ？
* i'm/if? fine/f . = 我/i 很/f? 好/f 。
+ nice/n to/m? meet/m you/y . = 很/n? 高兴/n 认识/m 你/y 。
what/w is/n? your/y name/n ? = 你/y 叫/n? 什么/w 名字/n ？
* i'm/s? sorry/s . = 对不起/s 。
* it/d? doesn't/d matter/d . = 没关系/d 。
* no/n problem/p . = 没/n 问题/p 。
* happy/h birthday/b ! = 生日/b 快乐/h ！
* happy/h new/n year/n ! = 新年/n 快乐/h ！
- i/i love/l you/y . = 我/i 爱/l 你/y 。
- i/i miss/m you/y . = 我/i 想/m 你/y 。
* i/i don't/n know/k . = 我/i 不/n 知道/k 。
* i/i don't/n understand/u . = 我/i 不/n 明白/u 。
* i/i understand/u . = 我/i 明白/u 了/u? 。
* of/c? course/c ! = 当然/c ！
* please/p come/c in/c? . = 请/p 进/c 。
* please/p sit/s down/s? . = 请/p 坐/s 。
* please/p wait/w a/m? moment/m . = 请/p 等/w 一下/m 。
* hurry/h up/h? ! = 快点/h ！
* be/c? careful/c ! = 小心/c ！
* don't/d worry/w . = 别/d 担心/w 。
* good/g luck/l ! = 祝/g? 你/g? 好运/gl ！
* congratulations/c to/y? you/y ! = 恭喜/c 你/y ！
* let's/l go/g ! = 我们/l 走/g 吧/l? ！
* let/l me/m see/s . = 让/l 我/m 看看/s 。
what/w time/t is/n? it/n? ? = 现在/n 几/w 点/t ？
what/w day/w is/d? it/d? today/t ? = 今天/t 星期几/wd? ？
how/m much/m is/p? it/p? ? = 多少/m 钱/p ？
* what/w is/b this/t ? = 这/t 是/b 什么/w ？
* what/w is/b that/t ? = 那/t 是/b 什么/w ？
who/w are/b you/y ? = 你/y 是/b 谁/w ？
+ where/w are/b you/y from/f ? = 你/y 是/b 哪里/w 人/f ？
* where/w are/g? you/y going/g ? = 你/y 去/g 哪里/w ？
* what/w are/d? you/y doing/d ? = 你/y 在/d? 做/d 什么/w ？
* are/q? you/y ready/r ? = 你/y 准备好/r 了/q? 吗/q? ？
* i'm/ir? ready/r . = 我/i 准备好/r 了/r? 。
* i'm/ic? coming/c ! = 我/i 来/c 了/c? ！
* i'm/if? full/f . = 我/i 吃饱/f 了/f? 。
* i'm/il? lost/l . = 我/i 迷路/l 了/l? 。
time/t is/b money/m . = 时间/t 就/b? 是/b 金钱/m 。
* long/l time/l no/n see/s ! = 好久/l 不/n 见/s ！
* take/t care/t of/t? yourself/s . = 照顾/t 好/t? 自己/s 。
+ welcome/w to/t china/c ! = 欢迎/w 来/t 中国/c ！
* keep/k it/k? up/k ! = 加油/k ！
* well/w done/d ! = 做/d 得/d? 好/w ！
that/i? is/i? a/i? good/g idea/i ! = 好/g 主意/i ！
practice/p makes/p? perfect/p . = 熟能生巧/p 。
seeing/s is/s? believing/s . = 眼见为实/s 。
dinner/d is/r? ready/r . = 晚饭/d 做好/r 了/r? 。
* what/w a/w? pity/p ! = 真/w 可惜/p ！
* you/y are/r? right/r . = 你/y 说/r? 得/r? 对/r 。
* i/i agree/a with/a? you/a? . = 我/i 同意/a 。
* enjoy/e your/e? meal/e ! = 请/e? 慢用/e ！
* what's/w wrong/w ? = 怎么/w 了/w? ？
* what/w happened/h ? = 发生/h 了/h? 什么/w 事/w? ？
* never/n mind/n . = 没事/n 。
* are/q? you/y kidding/k ? = 你/y 在/k? 开玩笑/k 吗/q? ？
* please/p speak/s more/m slowly/w . = 请/p 说/s 慢/w 一点/m 。
* please/p say/s it/s? again/a . = 请/p 再/a 说/s 一遍/a? 。
* can/c you/y help/h me/m ? = 你/y 能/c 帮/h 我/m 吗/c? ？
where/w is/b the/t? bathroom/t ? = 洗手间/t 在/b 哪里/w ？
it's/r? raining/r cats/c and/c dogs/c . = 下/r 着/r? 倾盆大雨/c 。
it's/c? a/c? piece/c of/c? cake/c . = 小菜一碟/c 。
there/w? is/w? no/w smoke/w without/w fire/w . = 无风不起浪/w 。
* keep/k in/k? touch/t . = 保持/k 联系/t 。
* sweet/s dreams/d ! = 做/d? 个/d? 好/s 梦/d ！
* get/w? well/w soon/s ! = 祝/w? 你/w? 早日/s 康复/w ！
* have/h a/h? good/h trip/t ! = 一路顺风/ht ！
i'm/i on/o my/o? way/w . = 我/i 在/o? 路/w 上/o 。
better/b late/l than/t never/n . = 迟到/l 总/b? 比/t 不/n 到/n 好/b 。
"""


def _called(english: str, chinese: str) -> Phrase:
    return phrase(f"{english}/h", f"{chinese}/h")


_FAMILY = [
    _called(*names) for names in (("mom", "妈妈"), ("dad", "爸爸"), ("grandma", "奶奶"), ("grandpa", "爷爷"))
]
_FRIENDS = [person.subject for person in NAMED]
_OTHERS = [_called("teacher", "老师"), _called("doctor", "医生"), *(person.subject for person in TITLED)]
_ADDRESSED = {"*": [*_FAMILY, *_FRIENDS, *_OTHERS], "-": [*_FAMILY, *_FRIENDS], "+": [*_FRIENDS, *_OTHERS]}


def fixed_phrases() -> Iterator[AlignedPair]:
    """*i'm home*: 我到家了; *good morning , mr wang !*: 早上好，王先生！"""
    for line in _PHRASES.strip().splitlines():
        english, chinese = line.lstrip("*-+ ").split(" = ")
        whole = pair("fixed|phrase", (english, chinese))
        yield replace(whole, combination=None)
        rule = (f"{english[:-2]} , {{whom}} {english[-1]}", f"{chinese[:-2]} ， {{whom}} {chinese[-1]}")
        for whom in _ADDRESSED.get(line[0], []):
            yield pair(f"{whole.source}|{whom.name}", rule, whom=whom)


RULES = (fixed_phrases,)
