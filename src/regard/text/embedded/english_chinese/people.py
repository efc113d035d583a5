"""Who acts: pronouns, kin, people with names, people at work."""

from dataclasses import dataclass
from functools import cache

from regard.text.embedded.english_chinese.noun_phrases import the, the_people
from regard.text.embedded.english_chinese.nouns import Noun, nouns
from regard.text.embedded.english_chinese.phrases import Agreement, Phrase, phrase

_TABLE: tuple[tuple[str, str, str, str, str, Agreement], ...] = (
    ("i", "我", "me", "my", "mine", "i"),
    ("you", "你", "you", "your", "yours", "many"),
    ("he", "他", "him", "his", "his", "one"),
    ("she", "她", "her", "her", "hers", "one"),
    ("we", "我们", "us", "our", "ours", "many"),
    ("they", "他们", "them", "their", "theirs", "many"),
)
_ROWS = {row[0]: row for row in _TABLE}


@dataclass(frozen=True, eq=False)
class Person:
    """Someone as the subject of a sentence, and the pronoun that speaks of them again."""

    subject: Phrase
    pronoun: str
    """*i*, *you*, *he*, *she*, *we* or *they*."""
    is_pronoun: bool = False
    is_grown: bool = True

    @property
    def again(self) -> Phrase:
        """The pronoun as a subject."""
        return BY_NAME[self.pronoun].subject

    @property
    def object(self) -> Phrase:
        """The person as an object: *him*, *my mother*."""
        return objective(self.pronoun) if self.is_pronoun else self.subject

    def is_same_as(self, other: "Person") -> bool:
        """Whether the two may be mistaken for one another in a sentence."""
        if self.is_pronoun or other.is_pronoun:
            return self.pronoun == other.pronoun
        return self.subject.english[-1] == other.subject.english[-1]


PRONOUNS = [
    Person(phrase(f"{english}/h", f"{chinese}/h").agreeing(agreement), english, is_pronoun=True)
    for english, chinese, _, _, _, agreement in _TABLE
]
ME, YOU, HE, SHE, WE, THEY = PRONOUNS
BY_NAME = {person.pronoun: person for person in PRONOUNS}


@cache
def objective(pronoun: str) -> Phrase:
    """*me*: 我."""
    _, chinese, english, *_ = _ROWS[pronoun]
    return phrase(f"{english}/h", f"{chinese}/h")


@cache
def possessive(pronoun: str) -> Phrase:
    """*my*: 我, where Chinese names the owner alone."""
    _, chinese, _, english, *_ = _ROWS[pronoun]
    return phrase(f"{english}/h", f"{chinese}/h")


@cache
def absolute(pronoun: str) -> Phrase:
    """*mine*: 我的."""
    _, chinese, _, _, english, _ = _ROWS[pronoun]
    return phrase(f"{english}/h", f"{chinese}/h 的/h?")


@cache
def possessed(pronoun: str, noun: Noun) -> Phrase:
    """*my book*: 我的书; of kin, *my mother*: 我妈妈."""
    joint = "" if "kin" in noun.kinds else "的"
    whole = phrase(
        "{whose}/p {noun}",
        "{whose} {joint}/p? {noun}",
        whose=possessive(pronoun),
        joint=joint,
        noun=noun.singular,
    )
    return whole.agreeing(noun.singular.agreement)


_KIN = """
mother 妈妈 she grown
father 爸爸 he grown
older_brother 哥哥 he grown
younger_brother 弟弟 he
older_sister 姐姐 she grown
younger_sister 妹妹 she
grandmother 奶奶 she grown elder
grandfather 爷爷 he grown elder
uncle 叔叔 he grown
aunt 姑姑 she grown
husband 丈夫 he grown spouse
wife 妻子 she grown spouse
son 儿子 he
daughter 女儿 she
"""


def _kin(line: str) -> tuple[str, tuple[Noun, str]]:
    written, chinese, pronoun, *marks = line.split()
    *modifiers, head = written.split("_")
    # The first word of a compound may be dropped from the Chinese without loss: only the head is sure.
    before = "".join(f"{modifier}/h? " for modifier in modifiers)
    name = written.replace("_", " ")
    singular = phrase(f"{before}{head}/h", f"{chinese}/h", (name,))
    plural = singular.reworded(*modifiers, f"{head}s").agreeing("many")
    return name, (Noun(singular, plural, "个", frozenset({"kin", *marks})), pronoun)


_RELATIVES = dict(_kin(line) for line in _KIN.strip().splitlines())
KIN: dict[str, Noun] = {name: noun for name, (noun, _) in _RELATIVES.items()}
SIBLINGS = [KIN[f"{age} {name}"] for age in ("older", "younger") for name in ("brother", "sister")]


def has_such_kin(owner: str, noun: Noun) -> bool:
    """Whether one may speak of it as theirs: *his husband* and *her wife* stay out of the corpus."""
    return (owner, noun) not in (("he", KIN["husband"]), ("she", KIN["wife"]))


def relatives(owner: str) -> list[Person]:
    """Everyone of *my* (or another's) kin: 我妈妈, 我爸爸, ..."""
    return [
        Person(possessed(owner, noun), pronoun, is_grown="grown" in noun.kinds)
        for noun, pronoun in _RELATIVES.values()
        if has_such_kin(owner, noun)
    ]


def _titled(title: str, name: str, chinese_name: str, chinese_title: str, pronoun: str) -> Person:
    return Person(phrase(f"{title}/t {name}/n", f"{chinese_name}/n {chinese_title}/t"), pronoun)


NAMED = [
    Person(phrase(f"{english}/h", f"{chinese}/h"), pronoun)
    for english, chinese, pronoun in (
        ("tom", "汤姆", "he"),
        ("peter", "彼得", "he"),
        ("jack", "杰克", "he"),
        ("mary", "玛丽", "she"),
        ("anna", "安娜", "she"),
        ("lucy", "露西", "she"),
    )
]
TITLED = [
    _titled("mr", "wang", "王", "先生", "he"),
    _titled("mr", "chen", "陈", "先生", "he"),
    _titled("mr", "liu", "刘", "先生", "he"),
    _titled("mrs", "li", "李", "太太", "she"),
    _titled("mrs", "zhao", "赵", "太太", "she"),
    _titled("miss", "zhang", "张", "小姐", "she"),
    _titled("miss", "lin", "林", "小姐", "she"),
]
AT_WORK = [Person(the(noun), "he", is_grown="young" not in noun.kinds) for noun in nouns("profession")]
GROUPS = [
    Person(the_people(noun), "they", is_grown="young" not in noun.kinds)
    for noun in nouns("child student teacher doctor nurse farmer worker girl boy")
]

MY_KIN, YOUR_KIN, HIS_KIN, HER_KIN = map(relatives, ("i", "you", "he", "she"))
KNOWN = [*PRONOUNS * 5, *MY_KIN, *HIS_KIN, *HER_KIN, *NAMED, *TITLED]
"""Those whom a pronoun can take up again: for everyone here we know he from she."""
TOLD = [person for person in [*KNOWN, *PRONOUNS, *AT_WORK, *GROUPS] if person is not YOU]
"""Those of whom one tells news: not *you*, who know it already."""
ASKED = [*[YOU] * 8, *[HE, SHE, THEY] * 2, *YOUR_KIN, *NAMED]
"""Those one asks about."""
ONE = [person for person in KNOWN if person.pronoun in ("i", "he", "she")]
"""Those one tells of, one at a time."""
STRANGERS = [person for person in ONE if not person.subject.lemmas]
"""Of these, those who are no one's kin, and so may have kin of their own."""
WORKING = [person for person in KNOWN if person.is_grown and "grand" not in person.subject.name]
"""Those who may be thought to have a job."""
