"""The French verbs the lexicon uses, conjugated."""

from dataclasses import replace
from functools import cache

from regard.text.embedded.english_french.inflection import (
    Conjugation,
    conjugate_er,
    conjugate_freely,
    conjugate_ir,
    conjugate_re,
)
from regard.text.embedded.english_french.weaving import listed

IRREGULAR = """
être suis es est sommes êtes sont été
avoir ai as a avons avez ont eu
aller vais vas va allons allez vont allé
boire bois bois boit buvons buvez boivent bu
lire lis lis lit lisons lisez lisent lu
écrire écris écris écrit écrivons écrivez écrivent écrit
voir vois vois voit voyons voyez voient vu
croire crois crois croit croyons croyez croient cru
vouloir veux veux veut voulons voulez veulent voulu
pouvoir peux peux peut pouvons pouvez peuvent pu
devoir dois dois doit devons devez doivent dû
savoir sais sais sait savons savez savent su
connaître connais connais connaît connaissons connaissez connaissent connu
ouvrir ouvre ouvres ouvre ouvrons ouvrez ouvrent ouvert
offrir offre offres offre offrons offrez offrent offert
prendre prends prends prend prenons prenez prennent pris
apprendre apprends apprends apprend apprenons apprenez apprennent appris
comprendre comprends comprends comprend comprenons comprenez comprennent compris
peindre peins peins peint peignons peignez peignent peint
suivre suis suis suit suivons suivez suivent suivi
construire construis construis construit construisons construisez construisent construit
recevoir reçois reçois reçoit recevons recevez reçoivent reçu
cueillir cueille cueilles cueille cueillons cueillez cueillent cueilli
dire dis dis dit disons dites disent dit
faire fais fais fait faisons faites font fait
dormir dors dors dort dormons dormez dorment dormi
courir cours cours court courons courez courent couru
rire ris ris rit rions riez rient ri
sourire souris souris sourit sourions souriez sourient souri
venir viens viens vient venons venez viennent venu
revenir reviens reviens revient revenons revenez reviennent revenu
souvenir souviens souviens souvient souvenons souvenez souviennent souvenu
partir pars pars part partons partez partent parti
sortir sors sors sort sortons sortez sortent sorti
mourir meurs meurs meurt mourons mourez meurent mort
naître nais nais naît naissons naissez naissent né
"""

LIKE_CHOISIR = frozenset(listed("choisir finir nourrir remplir obéir"))
LIKE_VENDRE = frozenset(listed("vendre perdre entendre attendre répondre"))
STRESSED = {
    "acheter": "achèt",
    "appeler": "appell",
    "préférer": "préfèr",
    "espérer": "espèr",
    "protéger": "protèg",
    "lever": "lèv",
    "promener": "promèn",
    "nettoyer": "nettoi",
    "envoyer": "envoi",
    "aboyer": "aboi",
    "essayer": "essai",
}
"""Verbs in -er whose stem changes where the ending is silent."""

WITH_ETRE = frozenset(
    listed("aller venir revenir arriver partir sortir entrer rentrer tomber rester mourir naître")
)
_FORMS = {line.split()[0]: line for line in IRREGULAR.strip().splitlines()}


@cache
def conjugate(infinitive: str) -> Conjugation:
    """Conjugate a verb of the lexicon.

    ``se lever`` is reflexive, and so made with *être*; ``avoir+besoin`` has a rest.

    >>> conjugate("se lever").present[0], conjugate("aller").etre
    ('lève', True)
    """
    words, _, rest = infinitive.partition("+")
    pronoun, _, verb = words.rpartition(" ")
    if verb in _FORMS:
        conjugation = conjugate_freely(_FORMS[verb], "ét" if verb == "être" else "")
    elif verb in LIKE_CHOISIR:
        conjugation = conjugate_ir(verb)
    elif verb in LIKE_VENDRE:
        conjugation = conjugate_re(verb)
    else:
        conjugation = conjugate_er(verb, STRESSED.get(verb, ""))
    return replace(conjugation, etre=bool(pronoun) or verb in WITH_ETRE, reflexive=bool(pronoun), rest=rest)


ETRE = conjugate("être")
AVOIR = conjugate("avoir")
ALLER = conjugate("aller")
VENIR = conjugate("venir")
