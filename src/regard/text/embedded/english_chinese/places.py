"""Places: what stands where, who does what there, and how to say it."""

from functools import cache

from regard.text.embedded.english_chinese.noun_phrases import the
from regard.text.embedded.english_chinese.nouns import NOUNS, Noun, nouns
from regard.text.embedded.english_chinese.phrases import Phrase, phrase
from regard.text.embedded.english_chinese.verbs import acts

_PREPOSITIONS = {
    "on": ("on/h", "上/h"),
    "in": ("in/h", "里/h"),
    "up": ("in/h", "上/h"),
    "under": ("under/h", "下面/h"),
    "behind": ("behind/h", "后面/h"),
    "beside": ("beside/h", "旁边/h"),
    "near": ("near/h", "附近/h"),
    "in front of": ("in/h? front/h of/h?", "前面/h"),
}


@cache
def spot(preposition: str, ground: Noun) -> Phrase:
    """*on the table*: 桌子上, the place itself; whoever is there adds 在."""
    english, chinese = _PREPOSITIONS[preposition]
    if preposition == "beside" and "scenery" in ground.kinds:
        chinese = "边/h"  # 河边: of waters one does not say 旁边
    if preposition == "in" and ground is NOUNS["farm"]:
        english = "on/h"
    return phrase(f"{english} {{ground}}", f"{{ground}} {chinese}", ground=the(ground))


@cache
def at(noun: Noun) -> Phrase:
    """*at the airport*: 机场, where *at* is all in the 在 to be added."""
    return phrase("at/h {ground}", "{ground}", ground=the(noun))


def _place(english: str, chinese: str) -> Phrase:
    return phrase(f"{english}/h", f"{chinese}/h", (english,))


COUNTRIES = [
    _place("china", "中国"),
    _place("japan", "日本"),
    _place("france", "法国"),
    _place("england", "英国"),
    _place("america", "美国"),
    _place("germany", "德国"),
    _place("canada", "加拿大"),
]
CITIES = [
    _place("beijing", "北京"),
    _place("shanghai", "上海"),
    _place("paris", "巴黎"),
    _place("london", "伦敦"),
    _place("tokyo", "东京"),
]
FAR = [*COUNTRIES, *CITIES]
VENUES = nouns("venue")
_BY_NIGHT = nouns(
    "park market restaurant hotel supermarket cinema coffee_shop gym swimming_pool hospital airport "
    "train_station"
)


def is_open_at_night(place: Noun) -> bool:
    """Whether one may go there of an evening: to the cinema, not to the bank."""
    return place in _BY_NIGHT


FREQUENTED = nouns(
    "park library gym swimming_pool market supermarket coffee_shop bookstore cinema restaurant museum"
)
# English is in a room and at an institution; Chinese says 里 of the one and not of the other.
_ENTERED = nouns("chamber park garden supermarket bookstore coffee_shop restaurant library")
_ATTENDED = nouns(
    "hospital bank hotel cinema factory museum post_office airport train_station gym swimming_pool zoo market"
)
WHEREABOUTS = [
    *(spot("in", noun) for noun in _ENTERED),
    *(at(noun) for noun in _ATTENDED),
    phrase("at/h home/o", "家/o", ("home",)),
    phrase("at/h school/o", "学校/o", ("school",)),
]

_SCENES = """
on table : book dictionary novel magazine newspaper letter photo key phone watch camera bag cup bowl plate
on table : spoon knife lamp radio notebook pencil pen ticket glasses hat apple banana orange cake vase bottle
on desk : book dictionary novel notebook pen pencil computer lamp photo clock phone letter map cup glasses
on chair : bag coat jacket sweater cat kitten newspaper scarf hat
on bed : coat shirt dress doll cat kitten magazine suitcase trousers phone
on sofa : cat kitten puppy dog magazine bag coat newspaper doll
on wall : map painting clock photo mirror
in bag : book dictionary notebook pen pencil key phone umbrella camera ticket magazine letter postcard watch
in box : toy ball doll photo letter postcard pencil cookie gloves egg
in drawer : key photo letter ticket watch pencil pen spoon knife socks scarf gloves map
in suitcase : shirt sweater dress trousers shoes camera skirt socks gift
in fridge : egg tomato watermelon cake milk juice beer beef vegetables fruit water carrot lemon
in kitchen : fridge table plate bowl knife spoon washing_machine
in living_room : sofa television piano table clock
in bedroom : bed desk mirror lamp
in classroom : student computer desk map child
in office : computer sofa
in garden : flower rose tree butterfly bird cat chicken
in river : fish duck boat frog
in lake : fish duck boat
in zoo : tiger lion elephant panda monkey bear snake
in park : tree child lake
in swimming_pool : child
in city : river tower bridge lake
under table : ball dog cat box shoes bag
under bed : shoes box suitcase cat ball mouse toy
under chair : cat kitten puppy ball bag shoes
under tree : dog sheep horse bicycle chair
up tree : bird monkey
on tree : leaf
on mountain : tree
on street : taxi bus bicycle
on road : car truck bus motorcycle
behind door : umbrella bag box cat
behind house : tree garden river
behind sofa : ball cat kitten
behind hospital : building park
beside bed : lamp chair table
beside window : desk piano chair sofa
beside door : umbrella suitcase chair shoes
beside river : tree house horse cow snake tower building child
near village : mountain river lake farm bridge
near school : bridge tower park building
near hotel : lake tower building mountain
near train_station : tower building park
in_front_of house : car tree bicycle truck
in_front_of school : tree bus
in_front_of hotel : taxi bus
in_front_of hospital : taxi car
in_front_of park : building tower
"""


def scenes() -> list[tuple[Noun, str, Noun]]:
    """What may be seen where: (*book*, *on*, *table*) and the like."""
    found = []
    for line in _SCENES.strip().splitlines():
        where, things = line.split(" : ")
        preposition, ground = where.split()
        (place,) = nouns(ground)
        found += [(noun, preposition.replace("_", " "), place) for noun in nouns(things)]
    return found


_HAUNTS = """
park : run, take a walk, fly kites, take photos, sing, dance, walk the dog, paint, exercise, chat
library : read, study, do homework, read the newspaper, study french
kitchen : cook, wash the dishes, eat breakfast, make dumplings, make a cake, bake bread, feed the cat
living room : watch television, drink tea, chat, listen to music, read the newspaper, play the piano
bedroom : sleep, rest, listen to music, read novels, play the guitar, keep a diary
classroom : study, do homework, study chinese, study english, sing, play the violin
gym : exercise, run, play basketball, play badminton, play volleyball
swimming pool : swim
coffee shop : drink coffee, chat, read, drink tea, study japanese
restaurant : eat lunch, eat dinner, eat noodles, eat dumplings, drink beer
garden : water the flowers, plant flowers, drink tea, paint, read the newspaper, play chess
office : drink coffee, make a phone call, rest, eat lunch
"""
HAUNTS = [
    (NOUNS[place], doing)
    for place, names in (line.split(" : ") for line in _HAUNTS.strip().splitlines())
    for doing in acts(names)
]
"""Who does what where: (*library*, *read*) and the like."""
