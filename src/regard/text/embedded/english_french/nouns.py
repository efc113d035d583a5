"""The nouns and names, by kind, so that verbs and adjectives can choose whom they suit.

An entry is ``english french`` with an ``f`` after a feminine; irregular plurals follow a
stroke, ``-`` for none; ``_`` stands for a space.
"""

from functools import cache

from regard.text.embedded.english_french.inflection import Noun, english_plural, french_plural

NOUNS_BY_KINDS = {
    "person people": """
        man/men homme, woman/women femme f, boy garçon, girl fille f, child/children enfant, king roi/rois,
        queen reine f, prince prince, princess princesse f, teacher professeur, doctor médecin, nurse
        infirmière f, farmer fermier, baker boulanger, neighbour voisin, student étudiant, soldier soldat,
        sailor marin, singer chanteur, dancer danseuse f, actress actrice f, merchant marchand, hunter
        chasseur, painter peintre, writer écrivain, waiter serveur, policeman/policemen policier,
        thief/thieves voleur, lawyer avocat, musician musicien, gardener jardinier, captain capitaine,
        knight chevalier, lady dame f, tourist touriste, customer client, worker ouvrier, witch sorcière f,
        fisherman/fishermen pêcheur, shepherd berger, mayor maire""",
    "kin people": """
        mother/- mère f, father/- père, brother frère, sister sœur f, son fils, daughter fille f, uncle oncle,
        aunt tante f, cousin cousin, grandmother/- grand-mère f, grandfather/- grand-père, nephew neveu,
        niece nièce f""",
    "spouse": "wife/- femme f, husband/- mari",
    "friend people": "friend ami",
    "baby": "baby bébé",
    "name people": """
        paul paul, lucas lucas, louis louis, thomas thomas, victor victor, simon simon, arthur arthur, marie
        marie f, anna anna f, julie julie f, emma emma f, claire claire f, alice alice f, sophie sophie f,
        jeanne jeanne f""",
    "animal pet": "dog chien, cat chat, rabbit lapin, turtle tortue f",
    "animal pet livestock": "horse cheval",
    "animal pet flying": "bird oiseau",
    "animal livestock": "cow vache f, lamb agneau, pig cochon, hen poule f, goat chèvre f, donkey âne",
    "animal livestock flying": "duck canard",
    "animal flying": "owl hibou/hiboux, swan cygne, bee abeille f, butterfly papillon",
    "animal wild": """
        fox renard, wolf/wolves loup, bear ours, lion lion, monkey singe, frog grenouille f, mouse/mice
        souris f, hedgehog hérisson, snake serpent""",
    "food fruit": """
        apple pomme f, orange orange f, pear poire f, banana banane f, strawberry fraise f, cherry cerise f,
        peach pêche f, lemon citron""",
    "food vegetable": """
        carrot carotte f, potato/potatoes pomme_de_terre/pommes_de_terre f, tomato/tomatoes tomate f, onion
        oignon, bean haricot, mushroom champignon""",
    "food treat": "cake gâteau, pancake crêpe f, pie tarte f, biscuit biscuit, sandwich sandwich, egg œuf",
    "food mass": """
        bread/- pain, cheese/- fromage, meat/- viande f, rice/- riz, soup/- soupe f, chocolate/- chocolat,
        ham/- jambon, honey/- miel, jam/- confiture f, salad/- salade f, chicken/- poulet, fish/- poisson,
        ice_cream/- glace f, butter/- beurre""",
    "drink mass": """
        water/- eau f, milk/- lait, coffee/- café, tea/- thé, wine/- vin, beer/- bière f, lemonade/-
        limonade f, juice/- jus""",
    "reading": """
        book livre, letter lettre f, newspaper journal, story histoire f, poem poème, magazine magazine,
        novel roman, message message, dictionary dictionnaire""",
    "clothing": """
        hat chapeau, dress robe f, shirt chemise f, coat manteau, scarf/scarves écharpe f, jacket veste f,
        skirt jupe f, tie cravate f""",
    "clothing paired": "shoe chaussure f, glove gant, boot botte f, sock chaussette f",
    "jewel": "ring bague f, necklace collier, watch montre f",
    "furniture": """
        table table f, chair chaise f, bed lit, lamp lampe f, mirror miroir, clock horloge f, armchair
        fauteuil, wardrobe armoire f, sofa canapé, carpet tapis""",
    "container": """
        cup tasse f, glass verre, plate assiette f, bottle bouteille f, bag sac, basket panier, box boîte f,
        suitcase valise f, vase vase, bucket seau""",
    "tool": """
        key clé f, knife/knives couteau, umbrella parapluie, pencil crayon, pen stylo, candle bougie f,
        rope corde f, axe hache f, sword épée f""",
    "machine": """
        telephone téléphone, computer ordinateur, camera appareil_photo/appareils_photo, radio radio f""",
    "small": "ticket billet, map carte f, photo photo f, gift cadeau, coin pièce f",
    "small plaything": "toy jouet, doll poupée f, ball ballon",
    "art": "painting tableau, statue statue f",
    "stone": "stone pierre f",
    "instrument": """
        piano piano, guitar guitare f, violin violon, flute flûte f, drum tambour, trumpet trompette f""",
    "vehicle": "car voiture f, bicycle vélo, truck camion, motorbike moto f",
    "vehicle ship": "boat bateau",
    "transport": "train train, bus bus, plane avion",
    "plant": "tree arbre, flower fleur f, rose rose f",
    "part": "door porte f, window fenêtre f, wall mur, roof toit",
    "building place": """
        house maison f, church église f, castle château, school école f, station gare f, shop magasin,
        restaurant restaurant, hospital hôpital, hotel hôtel, museum musée, library bibliothèque f,
        theatre théâtre, cinema cinéma, bakery boulangerie f, farm ferme f, tower tour f, airport aéroport,
        office bureau""",
    "room place": "kitchen cuisine f, bedroom chambre f, living_room salon",
    "ground place": """
        garden jardin, street rue f, park parc, forest forêt f, village village, city ville f, market marché,
        beach plage f, river rivière f, bridge pont, field champ, island île f, square place f,
        pool piscine f, harbour port, mountain montagne f""",
    "heaven": "moon/- lune f, sea/- mer f, sky/- ciel",
    "star": "star étoile f",
    "matter": """
        question question f, answer réponse f, word mot, idea idée f, problem problème, lesson leçon f,
        exercise exercice""",
    "song": "song chanson f",
    "music mass": "music/- musique f",
    "show": "film film",
    "contest": "game partie f, match match, race course f, prize prix",
    "dream": "dream rêve",
    "meal": "meal repas, breakfast/- petit_déjeuner, lunch/- déjeuner, dinner/- dîner",
    "grass mass": "grass/- herbe f",
}


def _read_nouns() -> dict[str, Noun]:
    nouns = {}
    for kinds, entries in NOUNS_BY_KINDS.items():
        for entry in entries.split(","):
            english, french, *gender = entry.split()
            singular, _, plural = english.replace("_", " ").partition("/")
            french, _, plural_too = french.replace("_", " ").partition("/")
            nouns[singular] = Noun(
                english=singular,
                plural="" if plural == "-" else plural or english_plural(singular),
                french=french,
                french_plural=plural_too or french_plural(french),
                feminine=gender == ["f"],
                kinds=frozenset(kinds.split()),
            )
    return nouns


NOUNS = _read_nouns()
KINDS = frozenset(kind for noun in NOUNS.values() for kind in noun.kinds)


@cache
def select_nouns(selection: str) -> tuple[Noun, ...]:
    """Find the nouns of a selection: kinds and single nouns to take, ``-`` before those to leave.

    >>> [noun.english for noun in select_nouns("drink -wine -beer -juice grass")]
    ['water', 'milk', 'coffee', 'tea', 'lemonade', 'grass']
    """
    chosen: list[Noun] = []
    for term in selection.split():
        name = term.removeprefix("-").replace("_", " ")
        named = [noun for noun in NOUNS.values() if name in noun.kinds] if name in KINDS else [NOUNS[name]]
        if term.startswith("-"):
            chosen = [noun for noun in chosen if noun not in named]
        else:
            chosen += [noun for noun in named if noun not in chosen]
    return tuple(chosen)
