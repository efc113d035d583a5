"""The adjectives, and the nouns each suits.

An entry is ``english french : nouns`` with ``english/comparative`` where it is not *more …*
and ``french/feminine`` where it is irregular. Nationalities and colours share their nouns.
"""

from regard.text.embedded.english_french.inflection import Adjective, Noun, french_feminine
from regard.text.embedded.english_french.nouns import select_nouns

COLOURED = """
    clothing furniture -mirror -clock container vehicle plant -tree part -wall door umbrella pencil pen candle
    telephone ball doll house -wardrobe"""

BEFORE = """
small/smaller petit : animal furniture container clothing -tie vehicle ship building -airport ground -market
    room food -mass plant window key boy girl child
big/bigger grand : dog horse cow bear lion lamp mirror table bed wardrobe box basket suitcase bag building
    -office ground -beach room ship truck tree window sofa
tall/taller grand : boy girl tower tree
beautiful/more_beautiful beau/belle : queen princess woman lady dancer actress horse swan butterfly bird
    clothing -sock jewel flower rose tree garden castle church island city village beach song poem story
    painting statue star moon sea sky house mirror vase
old/older vieux/vieille : man woman king queen sailor teacher doctor farmer fisherman neighbour friend
    captain witch soldier shepherd dog cat horse donkey furniture vehicle ship building ground -field
    -mountain clothing book map clock key sword photo piano violin guitar radio suitcase bucket statue
new/newer nouveau/nouvelle : teacher neighbour friend doctor captain king furniture vehicle ship machine
    clothing building -castle book novel film song bag suitcase key watch guitar piano umbrella toy
good/better bon/bonne : teacher doctor friend student singer king lawyer musician soldier book novel film
    restaurant hotel cake soup wine cheese bread pie chocolate meal idea answer question dog song coffee
    story
bad/worse mauvais : teacher doctor student king singer book novel film restaurant hotel idea answer soup
    wine meal dream coffee
young/younger jeune : man woman king queen prince princess teacher doctor nurse farmer baker soldier sailor
    singer dancer actress painter writer lawyer musician waiter thief hunter knight lady tourist worker
    gardener horse dog wolf bear fox policeman merchant lion
pretty/prettier joli : girl princess dress hat skirt scarf shirt ring necklace flower rose garden house
    village bird butterfly photo song box cup vase doll bedroom painting
fat/fatter gros/grosse : cat dog pig hen cow duck rabbit bear goat king baker
long/longer long/longue : street letter dress story rope bridge train novel poem lesson song skirt scarf
    film coat
"""

AFTER = f"""
red rouge : {COLOURED} apple cherry moon
blue bleu : {COLOURED} bird butterfly sky sea
green vert : {COLOURED} -flower -rose apple frog snake turtle bean grass
black noir : {COLOURED} -plant dog cat horse cow lamb goat hen swan
white blanc/blanche : {COLOURED} dog cat horse cow goat hen swan rabbit mouse owl wall moon
yellow jaune : {COLOURED} butterfly bird moon
grey gris : clothing vehicle -bicycle ship cat mouse wolf donkey rabbit sofa armchair carpet wall door house
    sky sea
brown marron : clothing dog horse bear hen cow rabbit furniture -mirror -lamp -clock bag suitcase basket
pink rose : clothing -tie -boot flower umbrella candle vase cup pig
rich/richer riche : man woman king queen prince merchant neighbour farmer lawyer kin lady painter writer
    customer
poor/poorer pauvre : man woman farmer student painter fisherman musician kin shepherd writer
happy/happier heureux : person kin friend baby
sad/sadder triste : person kin friend story song film poem
strong/stronger fort : man woman soldier sailor worker knight horse bear lion kin farmer wolf
kind/kinder gentil/gentille : person -thief kin friend dog
funny/funnier drôle : man boy girl friend teacher singer neighbour writer kin film story book monkey
clever/cleverer intelligent : person kin friend dog fox monkey horse cat
brave/braver courageux : soldier knight king prince princess sailor hunter captain policeman boy girl lion
    kin
lazy/lazier paresseux : student worker gardener waiter boy girl king cat donkey neighbour dog
honest honnête : merchant lawyer waiter worker captain king neighbour friend mayor kin policeman
famous célèbre : painter writer singer dancer actress musician castle museum painting church restaurant
    bridge lawyer novel doctor song poem theatre
shy/shyer timide : boy girl child student princess cat rabbit kin
serious sérieux : student teacher doctor lawyer policeman kin problem
polite poli : boy girl child waiter customer student kin merchant neighbour
calm/calmer calme : village beach street cat baby horse nurse captain kin forest island hotel sea
careful prudent : captain hunter sailor merchant doctor kin
generous généreux : king queen merchant lady friend neighbour kin mayor
proud/prouder fier/fière : king queen knight prince captain lion swan kin
jealous jaloux/jalouse : queen king neighbour princess actress kin witch
curious curieux : boy girl child tourist cat student monkey fox neighbour kin
patient patient : teacher nurse fisherman hunter shepherd gardener kin
elegant élégant : lady woman man actress queen dress hat coat clothing -sock -boot -glove
french français : tourist singer painter writer actress student wine cheese car film novel book restaurant
    newspaper bread soldier song
english anglais : tourist singer painter writer actress student tea film novel book newspaper soldier sailor
    garden
italian italien : tourist singer painter musician ice_cream coffee shoe film car restaurant wine
german allemand : tourist singer writer musician student beer car film soldier
spanish espagnol : tourist singer dancer painter ham wine orange guitar sailor film
chinese chinois : tourist student tea restaurant vase writer merchant rice film painter
american américain : tourist singer actress student film car writer sailor novel
expensive cher/chère : clothing -sock jewel furniture -bed vehicle hotel restaurant painting computer camera
    piano violin wine cheese meat ticket vase telephone
broken cassé : cup glass plate bottle lamp mirror chair vase toy doll clock watch window bicycle radio
    umbrella
empty/emptier vide : cup glass plate bottle bag basket box suitcase bucket street house church bedroom hotel
    restaurant train bus beach station square wardrobe
full/fuller plein : glass cup bottle bag basket box suitcase bucket train bus
clean/cleaner propre : clothing -tie cup glass plate kitchen bedroom window car street house hotel bed
    carpet
dirty/dirtier sale : clothing -tie cup glass plate kitchen window car street wall carpet pig dog
heavy/heavier lourd : suitcase bag basket box bucket stone table wardrobe piano dictionary door axe sword
    coat book
light/lighter léger/légère : suitcase bag jacket bicycle meal box coat dress
round rond : table mirror window tower carpet box stone hat moon
modern moderne : building -castle -church -farm furniture -bed kitchen city bridge car
strange étrange : bird idea dream story man witch song word statue house film letter question
dangerous dangereux : wolf bear lion snake street mountain race river dog idea forest island
interesting intéressant : book story film novel newspaper idea question lesson magazine museum letter match
    poem
boring/more_boring ennuyeux : book story film novel lesson magazine match
difficult difficile : question lesson exercise problem word race poem
easy/easier facile : question lesson exercise problem word
important important : question letter message idea problem answer lesson word match
sweet/sweeter sucré : cake pie biscuit orange peach pear pancake strawberry cherry tea lemonade juice
delicious délicieux : food -egg -onion -butter -lemon -bean meal coffee tea juice lemonade
fresh/fresher frais/fraîche : bread fish milk butter egg fruit vegetable -potato salad juice cheese flower
    grass
ripe/riper mûr : fruit tomato
fast/faster rapide : car train boat horse plane bicycle motorbike truck bus
slow/slower lent : turtle train bus donkey waiter film
comfortable confortable : bed armchair sofa chair shoe hotel house car train coat bedroom boot
wild/wilder sauvage : horse cat duck flower goat island
deep/deeper profond : river sea forest pool
hot/hotter chaud : soup coffee tea milk water bread meal chocolate
cold/colder froid : sea soup coffee tea milk water meal juice beer meat
noisy/noisier bruyant : street city neighbour child train truck restaurant bus market motorbike
dark/darker sombre : forest street bedroom house church sky
useful utile : dictionary map knife key computer umbrella book bicycle idea answer rope
rare rare : bird flower book coin stone butterfly
ugly/uglier laid : hat frog statue painting witch tie wall tower house vase
magic magique : sword ring mirror key carpet stone castle flute
soft/softer doux/douce : scarf bed carpet cat rabbit grass
"""

OF_MOOD = """
tired fatigué
sick malade
ready prêt
busy/busier occupé
worried inquiet/inquiète
nervous nerveux
angry/angrier en_colère
late en_retard
surprised surpris
disappointed déçu
alone seul
open ouvert : door window shop museum library bakery box restaurant
closed fermé : door window shop museum library bakery restaurant theatre church
"""
"""What someone or something is for a while: said with *is*, not beside the noun."""


def _read(lines: str, before: bool) -> dict[Adjective, tuple[Noun, ...]]:
    adjectives = {}
    for entry in lines.replace("\n    ", " ").strip().split("\n"):
        words, _, nouns = entry.partition(":")
        english, french = (word.replace("_", " ") for word in words.split())
        (positive, comparative), (masculine, feminine) = (
            word.partition("/")[::2] for word in (english, french)
        )
        adjective = Adjective(
            english=positive,
            comparative=comparative or f"more {positive}",
            french=masculine,
            feminine=feminine or french_feminine(masculine),
            before=before,
        )
        adjectives[adjective] = select_nouns(nouns or "people spouse")
    return adjectives


def _suit(*groups: dict[Adjective, tuple[Noun, ...]]) -> dict[Noun, tuple[Adjective, ...]]:
    suiting: dict[Noun, tuple[Adjective, ...]] = {}
    for group in groups:
        for adjective, nouns in group.items():
            for noun in nouns:
                suiting[noun] = (*suiting.get(noun, ()), adjective)
    return suiting


_BEFORE, _AFTER, _OF_MOOD = (
    _read(BEFORE, before=True),
    _read(AFTER, before=False),
    _read(OF_MOOD, before=False),
)
ADJECTIVES = {adjective.english: adjective for adjective in _BEFORE | _AFTER | _OF_MOOD}
BEFORE_NOUN = _suit(_BEFORE)
"""For each noun the adjectives that stand before it in French …"""
AFTER_NOUN = _suit(_AFTER)
"""… those that stand after it …"""
SAID_OF_NOUN = _suit(_BEFORE, _AFTER, _OF_MOOD)
"""… and those that may be said of it: *the house is old*."""
