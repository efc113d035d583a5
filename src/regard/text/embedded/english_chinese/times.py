"""When and how often. Chinese says it before the verb, English mostly after."""

from regard.text.embedded.english_chinese.noun_phrases import NUMBERS
from regard.text.embedded.english_chinese.phrases import Phrase, linked, phrase


def _phrases(table: str) -> list[Phrase]:
    return [phrase(*linked(line)) for line in table.strip().splitlines()]


RECENTLY = _phrases("""
yesterday = 昨天
this morning = 今天 早上
yesterday afternoon = 昨天 下午
yesterday morning = 昨天 早上
the/a? day/a before/a? yesterday/a = 前天/a
last night = 昨天 晚上
""")
"""The last day or two."""

A_WHILE_AGO = _phrases("""
last week = 上个 星期
last month = 上个 月
last/a? year/a = 去年/a
two/n weeks/w ago/a = 两/n 个/n?w? 星期/w 前/a
""")
YEARS_AGO = [A_WHILE_AGO[2], *_phrases("""\ntwo years ago = 两 年 前\nthree years ago = 三 年 前\n""")]
EARLIER = A_WHILE_AGO + _phrases("""
last saturday = 上个 星期六
two days ago = 两 天 前
three days ago = 三 天 前
""")
"""Before that."""

SOON = _phrases("""
tomorrow = 明天
tomorrow morning = 明天 早上
tomorrow afternoon = 明天 下午
this afternoon = 今天 下午
the/a? day/a after/a? tomorrow/a = 后天/a
on/a? saturday/a = 星期六/a
on/a? sunday/a = 星期天/a
next week = 下个 星期
this weekend = 这个 周末
tonight = 今晚
tomorrow evening = 明天 晚上
""")
"""The next days, evenings last."""
DAYS_TO_COME = [SOON[0], *SOON[4:7]]

LATER = _phrases("""
next week = 下个 星期
next month = 下个 月
next/a? year/a = 明年/a
this summer = 今年 夏天
this winter = 今年 冬天
""")

EVERY_DAY = phrase("every/a day/a?", "每天/a 都/a?")
REGULARLY = [
    EVERY_DAY,
    *_phrases("""
every/a morning/b = 每天/a 早上/b 都/a?
every/a evening/b = 每天/a 晚上/b 都/a?
on/a? weekends/a = 周末/a
in/a? the/a? morning/a = 早上/a
in/a? the/a? afternoon/a = 下午/a
in/a? the/a? evening/a = 晚上/a
every/a monday/b = 每/a 个/a? 星期一/b 都/a?
every/a tuesday/b = 每/a 个/a? 星期二/b 都/a?
every/a wednesday/b = 每/a 个/a? 星期三/b 都/a?
every/a thursday/b = 每/a 个/a? 星期四/b 都/a?
every/a friday/b = 每/a 个/a? 星期五/b 都/a?
every/a saturday/b = 每/a 个/a? 星期六/b 都/a?
every/a sunday/b = 每/a 个/a? 星期天/b 都/a?
"""),
]

OFTEN = phrase("often/a", "经常/a")
SOMETIMES = phrase("sometimes/a", "有时候/a")
USUALLY = phrase("usually/a", "通常/a")
NEVER = phrase("never/a", "从来/a 不/a")

SEASONS = _phrases("""
in/a? spring/a = 春天/a
in/a? summer/a = 夏天/a
in/a? autumn/a = 秋天/a
in/a? winter/a = 冬天/a
""")
SPRING, SUMMER, AUTUMN, WINTER = SEASONS

WEEKDAYS = _phrases("""
monday = 星期一
tuesday = 星期二
wednesday = 星期三
thursday = 星期四
friday = 星期五
saturday = 星期六
sunday = 星期天
""")

MONTHS = _phrases("""
january = 一月
february = 二月
march = 三月
april = 四月
may = 五月
june = 六月
july = 七月
august = 八月
september = 九月
october = 十月
november = 十一月
december = 十二月
""")


def o_clock(hour: str) -> Phrase:
    """*at seven o'clock*: 七点."""
    return phrase(f"at/c? {hour}/n o'clock/c", f"{NUMBERS[hour]}/n 点/c")


def half_past(hour: str) -> Phrase:
    """*at half past seven*: 七点半."""
    return phrase(f"at/c? half/f past/c {hour}/n", f"{NUMBERS[hour]}/n 点/c? 半/f")
