"""Sentences of two deeds: one then the other, one for the other, one too hard or good to do."""

from regard.text.embedded.english_french.adjectives import ADJECTIVES
from regard.text.embedded.english_french.adverbials import to_place
from regard.text.embedded.english_french.casting import (
    draw_definite,
    draw_other,
    draw_person,
)
from regard.text.embedded.english_french.clauses import clause
from regard.text.embedded.english_french.copulas import DEGREES, copula, described
from regard.text.embedded.english_french.drawing import Draw
from regard.text.embedded.english_french.nominals import direct_clitic_for, noun_phrase
from regard.text.embedded.english_french.nouns import NOUNS, select_nouns
from regard.text.embedded.english_french.telling import suits
from regard.text.embedded.english_french.verbs import find_verb, find_verbs
from regard.text.embedded.english_french.weaving import NOTHING, Phrase, Term, weave

THEN = {
    "buy": (
        "sell lose break forget",
        "bicycle car ring watch umbrella camera guitar vase hat glass cup lamp book bag",
    ),
    "find": ("sell hide lose", "ring coin watch key letter map necklace umbrella glove stone sword"),
    "wash": ("eat cut", "apple carrot tomato pear strawberry"),
    "write": ("send hide read forget", "letter message poem"),
    "receive": ("read open hide lose", "letter message"),
    "take": ("read hide lose forget", "book map photo ticket key"),
    "prepare": ("eat taste", "soup salad cake pie sandwich chicken"),
    "pick": ("eat wash", "apple cherry strawberry pear peach"),
    "choose": ("buy take", "dress hat coat shirt ring painting armchair carpet skirt scarf jacket"),
    "repair": ("sell use paint", "car bicycle boat chair door motorbike"),
    "catch": ("feed follow", "rabbit mouse butterfly frog"),
    "steal": ("sell hide", "ring car watch painting necklace statue boat horse"),
    "paint": ("sell clean", "house boat door chair"),
    "open": ("clean close", "door window box suitcase bag wardrobe"),
}
READABLE = frozenset(["book", "letter", "message", "poem", "map"])
UNPLANNED = frozenset(["lose", "break", "forget", "find", "receive", "catch"])


def then(draw: Draw) -> Phrase | None:
    """*paul bought a car and sold it .*, *paul a acheté une voiture et l'a vendue .*"""
    english = draw.rare(tuple(THEN))
    seconds, nouns = THEN[english]
    second, noun = find_verb(draw.rare(tuple(seconds.split()))), draw.rare(select_nouns(nouns))
    subject = draw_person(draw, "people", 0.45)
    if second.english == "read" and noun.english not in READABLE:
        return None
    plural = bool(noun.plural) and draw.chance(0.25)
    determiner = (
        "the" if "mass" in noun.kinds else draw.one(("the", "these") if plural else ("a", "a", "the", "this"))
    )
    thing = noun_phrase(noun, determiner, plural)
    clitic = direct_clitic_for(thing)
    tense = draw.one(("past", "past", "past", "future"))
    if tense == "past":
        # A pronoun is said again, a noun is not.
        again = subject if subject.is_pronoun else subject._replace(phrase=NOTHING)
        after = clause(again, second, tense, clitic=clitic)
    elif not UNPLANNED.isdisjoint((english, second.english)):
        return None
    else:
        after = weave(
            "{v}/v {e}/c",
            "{c}/c {f}/v",
            v=Term(second.english, second.english),
            e=clitic.english,
            c=clitic.french,
            f=second.french.infinitive,
        )
    if second.english == "sell" and draw.chance(0.5):
        after = weave("{a} to/t {o}", "{a} à/t {o}", a=after, o=draw_other(draw, subject).phrase)
    done = clause(subject, find_verb(english), tense, goal=thing.phrase)
    return weave("{d} and/a {n} .", "{d} et/a {n} .", d=done, n=after)


ERRANDS = {
    "market": ("buy sell", "fruit vegetable bread cheese fish honey flower"),
    "bakery": ("buy", "bread cake pie biscuit"),
    "library": ("read", "book newspaper novel magazine poem"),
    "shop": ("buy choose", "clothing"),
    "station": ("wait_for", "name kin friend"),
    "restaurant": ("eat", "fish meat pie soup pancake"),
    "park": ("feed", "duck bird swan"),
    "hospital": ("see", "doctor name kin friend nurse"),
    "museum": ("look_at admire", "painting statue"),
    "theatre": ("see listen_to", "singer dancer actress musician"),
    "farm": ("buy see", "egg milk cheese horse cow hen"),
    "village": ("see help", "name kin friend"),
    "castle": ("see", "king queen princess prince knight"),
    "harbour": ("look_at wait_for", "boat"),
    "airport": ("wait_for", "name kin friend"),
}


def errand(draw: Draw) -> Phrase | None:
    """*he went to the market to buy bread .*, *il est allé au marché pour acheter du pain .*"""
    place = draw.rare(tuple(ERRANDS))
    verbs, nouns = ERRANDS[place]
    verb, noun = draw.rare(find_verbs(verbs)), draw.rare(select_nouns(nouns))
    subject = draw_person(draw, "people", 0.35)
    if not suits(subject, noun, verb):
        return None
    tense = draw.one(("past", "past", "progressive", "future"))
    if verb.english in ("buy", "sell", "eat", "read", "choose"):
        part = draw.one(("some", ""))
        several = verb.english == "sell" or "paired" in noun.kinds or draw.chance(0.6)
        plural = bool(noun.plural) and several
        goal = noun_phrase(noun, "a" if noun.plural and not plural else part, plural)
    elif verb.english in ("feed", "look at", "admire"):
        goal = noun_phrase(noun, "the", plural=True)
    else:
        goal = draw_definite(draw, noun, 0.1)
    return weave(
        "{w} to/t {v}/v {g} .",
        "{w} pour/t {f}/v {g} .",
        w=clause(subject, find_verb("go"), tense, goal=to_place(NOUNS[place])),
        v=Term(verb.english, verb.english),
        f=verb.french.infinitive,
        g=goal.phrase,
    )


TOO = {
    "tired": "work run dance play sing swim walk read eat cry",
    "sick": "work run dance play leave travel eat swim",
    "busy": "play sleep travel wait go_out eat",
    "shy": "sing dance shout",
    "sad": "laugh sing dance eat play",
    "angry": "smile laugh wait eat",
    "nervous": "sleep eat wait sing",
    "lazy": "work run swim walk",
    "poor": "travel",
}


def too(draw: Draw) -> Phrase:
    """*she was too tired to work .*, *elle était trop fatiguée pour travailler .*"""
    word = draw.rare(tuple(TOO))
    verb = draw.rare(find_verbs(TOO[word]))
    subject = draw_person(draw, "people", 0.4)
    return weave(
        "{s} to/t {v}/v .",
        "{s} pour/t {f}/v .",
        s=copula(subject, described(subject, ADJECTIVES[word], "too"), draw.one(("present", "past"))),
        v=Term(verb.english, verb.english),
        f=verb.french.infinitive,
    )


JUDGED = {
    "difficult": """
        learn song, understand question, understand problem, understand poem, understand story, repair car,
        repair clock, repair radio, repair computer, repair roof, find answer, paint mountain, paint sea,
        draw horse, draw castle, cross river, cross forest, win race, win match, catch butterfly, catch
        mouse, build bridge, build castle, build tower, choose gift, choose dress, write novel, write poem,
        write book, forget story""",
    "easy": """
        draw cat, draw tree, draw house, draw flower, prepare soup, prepare salad, prepare pancake, prepare
        coffee, learn song, learn poem, understand question, understand lesson, lose key, lose glove, lose
        ticket, clean window, clean carpet, plant rose, plant carrot, open box, open door, close window,
        close suitcase, use camera""",
    "important": """
        read newspaper, wash apple, wash carrot, wash tomato, understand question, understand problem, help
        neighbour, help child, thank teacher, thank nurse, protect forest, protect child, listen_to teacher,
        listen_to doctor, plant tree, drink water""",
    "dangerous": """
        cross street, cross river, cross forest, touch snake, touch owl, follow wolf, follow thief, follow
        bear, eat mushroom, catch snake, catch bee, feed lion, feed bear""",
}
IT_IS_SO = {
    ("present", ""): ("it/i 's/b", "il/i est/b"),
    ("present", "not"): ("it/i isn't/n,b", "il/i ne/n? est/b pas/n"),
    ("past", ""): ("it/i was/b", "il/i était/b"),
    ("past", "not"): ("it/i wasn't/n,b", "il/i ne/n? était/b pas/n"),
}


def judge(draw: Draw) -> Phrase:
    """*it's difficult to understand this poem .*, *il est difficile de comprendre ce poème .*"""
    word = draw.rare(tuple(JUDGED))
    action, thing = draw.rare(tuple(JUDGED[word].split(","))).split()
    verb, noun = find_verb(action.replace("_", " ")), NOUNS[thing]
    if "mass" in noun.kinds:
        goal = noun_phrase(noun, "")
    elif "heaven" in noun.kinds:
        goal = noun_phrase(noun, "the")
    elif "people" in noun.kinds:
        plural = draw.chance(0.5)
        goal = noun_phrase(noun, draw.one(("the", "your", "our")), plural)
    else:
        plural = bool(noun.plural) and draw.chance(0.3)
        several = "" if action in ("draw", "paint", "plant", "write", "feed") else "these"
        goal = noun_phrase(noun, several if plural else draw.one(("a", "this", "that")), plural)
    certain = word in ("important", "dangerous")
    english, french = IT_IS_SO[
        draw.one(("present", "present", "past")), "" if certain else draw.one(("", "", "not"))
    ]
    degree = draw.one(("", "very") if certain else ("", "very", "too"))
    return weave(
        f"{english} {{d}}/d {{a}}/a to/t {{v}}/v {{g}} .",
        f"{french} {{e}}/d {{c}}/a de/t {{f}}/v {{g}} .",
        d=degree,
        e=DEGREES[degree][1],
        a=Term(word, word),
        c=ADJECTIVES[word].french,
        v=Term(verb.english, verb.english),
        f=verb.french.infinitive,
        g=goal.phrase,
    )
