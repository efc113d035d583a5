"""The forms of English words: eats, ate, eaten, eating; mice; bigger, biggest; a, an."""

from functools import cache

IRREGULAR_VERBS = {
    base: (past, participle)
    for base, past, participle in (
        line.split()
        for line in """
        be was been
        become became become
        begin began begun
        break broke broken
        bring brought brought
        buy bought bought
        catch caught caught
        choose chose chosen
        come came come
        do did done
        draw drew drawn
        drink drank drunk
        drive drove driven
        eat ate eaten
        feed fed fed
        find found found
        fly flew flown
        forget forgot forgotten
        get got gotten
        give gave given
        go went gone
        grow grew grown
        hang hung hung
        have had had
        hear heard heard
        keep kept kept
        leave left left
        lend lent lent
        lose lost lost
        make made made
        meet met met
        pay paid paid
        put put put
        read read read
        ride rode ridden
        run ran run
        see saw seen
        sell sold sold
        send sent sent
        sing sang sung
        sit sat sat
        sleep slept slept
        speak spoke spoken
        stand stood stood
        steal stole stolen
        swim swam swum
        take took taken
        teach taught taught
        tell told told
        think thought thought
        throw threw thrown
        wear wore worn
        write wrote written
        """.strip().splitlines()
    )
}
DOUBLING = frozenset({"chat", "get", "put", "run", "shop", "sit", "swim", "forget", "begin", "plan"})
LONG_COMPARISON = frozenset(
    {"bored", "boring", "tired", "useful", "modern", "honest", "patient", "polite", "famous"}
)
IRREGULAR_COMPARISON = {"good": ("better", "best"), "bad": ("worse", "worst"), "shy": ("shyer", "shyest")}
VOWELS = "aeiou"


def third(verb: str) -> str:
    """He, she or it ...: *goes*, *studies*, *washes*."""
    return {"have": "has", "be": "is"}.get(verb) or plural(verb)


def plural(noun: str) -> str:
    """More than one: *boxes*, *stories*, *books*."""
    if noun.endswith("y") and noun[-2] not in VOWELS:
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith(("s", "x", "ch", "sh", "go", "do")) else f"{noun}s"


def past(verb: str) -> str:
    """Yesterday: *ate*, *washed*, *chatted*."""
    return IRREGULAR_VERBS[verb][0] if verb in IRREGULAR_VERBS else _with_ed(verb)


def participle(verb: str) -> str:
    """Have ...: *eaten*, *washed*."""
    return IRREGULAR_VERBS[verb][1] if verb in IRREGULAR_VERBS else _with_ed(verb)


def ing(verb: str) -> str:
    """Be ...: *writing*, *swimming*, *skiing*."""
    if verb in DOUBLING:
        return f"{verb}{verb[-1]}ing"
    return f"{verb[:-1]}ing" if verb.endswith("e") and not verb.endswith(("ee", "be")) else f"{verb}ing"


def _with_ed(verb: str) -> str:
    if verb in DOUBLING:
        return f"{verb}{verb[-1]}ed"
    if verb.endswith("y") and verb[-2] not in VOWELS:
        return f"{verb[:-1]}ied"
    return f"{verb}d" if verb.endswith("e") else f"{verb}ed"


@cache
def compared(adjective: str) -> tuple[str, str]:
    """Comparative and superlative, each of one word or two.

    >>> compared("big"), compared("heavy"), compared("expensive")
    (('bigger', 'biggest'), ('heavier', 'heaviest'), ('more expensive', 'most expensive'))
    """
    if adjective in IRREGULAR_COMPARISON:
        return IRREGULAR_COMPARISON[adjective]
    if len(adjective) > 6 or adjective in LONG_COMPARISON:
        return f"more {adjective}", f"most {adjective}"
    if adjective.endswith("y"):
        stem = f"{adjective[:-1]}i"
    elif adjective.endswith("e"):
        stem = adjective[:-1]
    elif adjective[-1] not in "wxy" and adjective[-2] in VOWELS and adjective[-3] not in VOWELS:
        stem = adjective + adjective[-1]
    else:
        stem = adjective
    return f"{stem}er", f"{stem}est"


def article(following: str) -> str:
    """*a* or *an*, by the sound that follows.

    >>> article("umbrella"), article("university"), article("hour")
    ('an', 'a', 'an')
    """
    if following.startswith(("uni", "use", "one", "euro")):
        return "a"
    return "an" if following[0] in VOWELS or following.startswith(("hour", "honest")) else "a"
