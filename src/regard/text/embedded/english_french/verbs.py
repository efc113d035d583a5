"""The verbs: who does what to whom, and where.

An entry is ``english ; french ; who > what | who > what ; places ; traits``. Verbs without
uses have constructions of their own. Traits:

- ``state``: no *is wanting*; its English past is a French imperfect;
- ``instant``: no *is finding*, but an ordinary past;
- ``habit``: one may say *used to*;
- ``skill``: one may do it well or badly;
- ``long``: one may speak of the year it was done;
- ``known``: what it is done to is this or that one, not some of them;
- ``unplanned``: nobody is going to do it;
- ``many``: what it is done to is always several.
"""

from functools import cache

from regard.text.embedded.english_french.conjugations import conjugate
from regard.text.embedded.english_french.inflection import Verb, english_forms

ENTRIES = """
eat ate eaten ; manger ; people > food -butter -lemon -onion | cow lamb goat horse donkey rabbit > grass
    carrot apple | dog cat wolf lion bear fox > meat fish ; kitchen garden park restaurant ; habit
drink drank drunk ; boire ; people > drink | animal -flying -snake -frog > water | cat baby > milk ; kitchen
    garden restaurant ; habit
read read ; lire ; people > reading -dictionary ; garden library bedroom park ; habit
write wrote written ; écrire ; people > letter book story poem novel message song ; office bedroom library ;
    habit
see saw seen ; voir ; people > people animal ship star moon sea castle church bridge tower train plane ;
    garden street park forest city market village field ; instant
hear heard ; entendre ; people > bird dog wolf song music train owl cat child neighbour frog ; street garden
    village forest ; instant
buy bought ; acheter ; people > food drink clothing jewel furniture vehicle ship machine instrument reading
    -letter -story -message -poem toy doll ball flower rose painting vase umbrella knife bag suitcase candle
    pen pencil ticket house horse cow dog statue bucket basket ; market shop city ; long
sell sold ; vendre ; people > food drink clothing jewel furniture vehicle ship horse cow pig goat donkey
    duck painting house flower farm candle vase violin piano drum trumpet flute basket bucket ; market shop
    city ; long
find found ; trouver ; people > key ring coin ball watch letter map ticket glove hat pen cat dog turtle egg
    mushroom umbrella stone necklace bag photo message answer hedgehog sword ; garden street forest beach
    kitchen park field ; instant
lose lost ; perdre ; people > key ring watch glove hat ticket umbrella bag map pen scarf necklace doll ball
    dog cat photo coin camera pencil ; street forest park beach station city ; instant unplanned
look_for ; chercher ; people > key ring watch glove hat ticket umbrella bag map pen dog cat book photo child
    doctor nurse waiter hotel mushroom bucket axe ; garden street forest beach kitchen park ;
want ; vouloir ; people > food drink -butter hat dress coat shoe boot toy doll ball bicycle car dog cat
    horse house guitar piano camera computer watch ring umbrella telephone pencil answer ; ; state
have had ; avoir ; people > clothing jewel vehicle ship machine instrument toy doll ball pet cow goat donkey
    hen house garden key umbrella question idea problem ticket map sword rope bucket camera ; ; state
know knew known ; connaître ; people > people song poem story city village castle museum restaurant answer ;
    ; state
love ; aimer ; people > kin name king queen prince princess ; ; state
wash ; laver ; people > shirt dress sock skirt coat scarf plate cup glass car dog horse window carrot apple
    strawberry tomato bottle pear ; kitchen garden ;
clean ; nettoyer ; people > kitchen bedroom table window house car boat office carpet shoe boot wardrobe
    living_room mirror truck ; ; known
open ; ouvrir ; people > door window box bottle letter suitcase bag book umbrella gift shop wardrobe ; ;
    known
close ; fermer ; people > door window box book suitcase bag shop bakery wardrobe umbrella ; ; known
break broke broken ; casser ; people > glass cup plate window lamp mirror chair toy bottle vase clock watch
    | cat > vase lamp cup ; kitchen living_room restaurant ; known unplanned
carry ; porter ; people > box suitcase bag basket chair stone bucket table axe rope armchair ; street garden
    station ;
wear wore worn ; porter ; people > clothing jewel ; ;
take took taken ; prendre ; people > key umbrella bag ticket train bus coat knife map photo boat basket book
    bicycle plane ; ; known
choose chose chosen ; choisir ; people > clothing ring necklace cake book gift flower dog film toy bicycle
    car painting vase carpet armchair ; shop market ;
forget forgot forgotten ; oublier ; people > key umbrella ticket bag hat book camera word lesson glove
    suitcase map scarf telephone ; restaurant hotel school station ; instant known unplanned
use ; utiliser ; people > knife computer telephone camera dictionary map rope axe pen pencil bucket bicycle
    ; ; known
repair ; réparer ; people > vehicle ship roof clock computer chair radio lamp door window umbrella watch
    wall violin camera ; garden street ; known
paint ; peindre ; people > wall door house boat chair tree flower bridge roof castle mountain sea ; ; long
    known
draw drew drawn ; dessiner ; people > animal house castle tree flower boat star ; ;
cut cut ; couper ; people > bread cake meat cheese apple onion rope tree carrot tomato lemon ham pie grass ;
    kitchen garden ;
prepare ; préparer ; people > soup salad meal cake pie pancake coffee tea sandwich chicken fish rice
    breakfast dinner lunch ; kitchen restaurant ;
thank ; remercier ; people > people ; ; known
follow ; suivre ; people > person name animal | dog cat fox wolf bear > person name animal ; street forest
    field park ; known
hunt ; chasser ; cat owl > mouse | wolf > lamb rabbit goat | fox > hen rabbit duck | hunter king prince >
    bear rabbit duck fox wolf ; forest field ;
feed fed ; nourrir ; people > pet livestock baby ; garden farm ;
catch caught ; attraper ; people > ball mouse butterfly rabbit frog thief | cat > mouse bird butterfly | fox
    wolf > hen rabbit ; garden field street ; instant
build built ; construire ; people > house castle bridge boat wall tower church school farm hotel ; village
    city island ; long
plant ; planter ; people > tree flower rose potato carrot tomato bean onion strawberry ; garden field ; long
pick ; cueillir ; people > flower rose apple cherry strawberry pear mushroom peach lemon ; garden forest
    field ;
cross ; traverser ; people > street river bridge forest field square city sea | fox bear horse dog > street
    river bridge forest field ; ; known
visit ; visiter ; people > museum castle church city village island farm garden tower ; ; long
invite ; inviter ; people > people ; ; long known
hide hid hidden ; cacher ; people > key letter ring gift coin sword photo map necklace message ; garden
    kitchen bedroom forest ; known
steal stole stolen ; voler ; people thief > ring car bicycle watch bag painting necklace coin horse apple
    boat statue motorbike | fox > egg hen | monkey > banana ; museum castle market shop ; long
throw threw thrown ; lancer ; people > ball stone ; garden street ; known
push ; pousser ; people > door chair car table boat armchair bicycle truck wardrobe piano ; ; known
touch ; toucher ; people > animal -bee -butterfly -bear -lion -wolf wall statue flower painting ; museum
    garden ; known
admire ; admirer ; people > painting castle star sea garden queen king singer dancer statue mountain tower
    moon church actress knight sky ; ; known
study ; étudier ; people > lesson poem map problem ; library bedroom school ; habit known
learn ; apprendre ; people > song poem lesson word ; school ; long
understand understood ; comprendre ; people > question lesson word story problem film answer poem idea
    exercise message ; ; instant known
help ; aider ; people > people ; garden kitchen field street ; known
call ; appeler ; people > people dog cat ; ; known
meet met ; rencontrer ; people > people ; street market park station library ; instant long known
wait_for ; attendre ; people > train bus plane people ; station street garden restaurant ; known
listen_to ; écouter ; people > music song story bird people radio ; garden kitchen park theatre ; habit
    known
look_at ; regarder ; people > people animal star sea painting photo map moon boat sky mountain | dog cat
    horse cow monkey fox wolf bear > people animal ; garden street museum beach park ; known
win won ; gagner ; people > game match race prize ; ; instant long
protect ; protéger ; soldier knight king dog policeman captain > city castle queen child house village
    princess farm ; ; known
fill ; remplir ; people > glass cup bottle basket bag bucket suitcase vase box ; kitchen garden ; known
tell told ; raconter ; people > story dream ; garden kitchen ; known
receive ; recevoir ; people > letter gift message photo answer prize ; ; instant long
taste ; goûter ; people > soup cake cheese wine pie jam honey chocolate ice_cream ham juice pancake ;
    kitchen restaurant ;
count ; compter ; people > star coin book hen tree cow goat duck bottle box egg ; garden field ; many
save ; sauver ; people > child cat dog princess king boy girl friend soldier queen sailor ; ; instant known
finish ; finir ; people > book meal -breakfast -lunch -dinner exercise letter lesson cake painting game soup
    novel ; ; known
start ; commencer ; people > book lesson exercise letter game novel song ; ; known
sleep slept ; dormir ; people > | animal -bee -butterfly > | baby > ; bedroom garden house living_room hotel
    ; habit skill
work ; travailler ; people > ; garden field office hospital shop farm restaurant library bakery school
    kitchen museum ; habit skill
run ran run ; courir ; people > | dog cat horse rabbit fox wolf hen pig goat donkey lion mouse bear > ;
    garden street park forest field beach ; habit
walk ; marcher ; people > | dog horse cow donkey bear lion turtle duck goat > ; street forest beach park
    field ; habit
swim swam swum ; nager ; people > | duck swan frog turtle dog bear > ; river pool sea ; habit skill
sing sang sung ; chanter ; people > | people > song | bird > ; garden street church theatre kitchen forest ;
    habit skill
dance ; danser ; people > | bear monkey > ; street square living_room theatre castle kitchen ; habit skill
laugh ; rire ; people > | baby > ; kitchen garden street theatre ;
cry cried ; pleurer ; people > | baby > ; bedroom kitchen garden ; unplanned
smile ; sourire ; people > | baby > ; garden street ;
shout ; crier ; people > | monkey > ; street garden market ;
dream ; rêver ; people > | baby dog > ; ; unplanned
travel travelled ; voyager ; people > ; ; habit long
play ; jouer ; people > | dog cat baby monkey bear > ; garden park street beach bedroom living_room ; habit
wait ; attendre ; people > | dog > ; station street kitchen hotel airport harbour ;
fly flew flown ; voler ; flying > ; sky garden forest ;
bark ; aboyer ; dog > ; garden street kitchen farm ;
rest ; se reposer ; people > | dog cat horse lion bear > ; garden bedroom living_room beach park ;
get_up got_up ; se lever ; people > ; ; habit
wake_up woke_up woken_up ; se réveiller ; people > | baby > ; ;
go_to_bed went_to_bed gone_to_bed ; se coucher ; people > ; ;
go_for_a_walk went_for_a_walk gone_for_a_walk ; se promener ; people > ; park forest beach garden street
    city ;
hurry ; se dépêcher ; people > ; ;
hide hid hidden ; se cacher ; people > | cat mouse rabbit hedgehog snake fox turtle frog > ; garden kitchen
    forest church castle ; known
arrive ; arriver ; people > | train bus plane boat > ; ;
leave left ; partir ; people > | train bus plane boat > ; ;
go_out went_out gone_out ; sortir ; people > | cat dog > ; ;
come_back came_back come_back ; revenir ; people > | cat dog boat bird > ; ;
come_in came_in come_in ; entrer ; people > | cat dog > ; ; instant
fall fell fallen ; tomber ; people > | baby > ; street garden kitchen ; instant unplanned
stay ; rester ; people > | dog cat horse > ; hotel garden kitchen house bedroom castle village ;
die ; mourir ; king queen horse dog hen donkey rose goat cat soldier witch tree > ; ; instant long unplanned
go went gone ; aller ; ; ; long
come came come ; venir ; ; ;
go_home went_home gone_home ; rentrer ; ; ;
live ; habiter ; ; ; habit
speak spoke spoken ; parler ; ; ; skill habit
talk ; parler ; ; ; habit
answer ; répondre ; ; ; instant
obey ; obéir ; ; ; instant
give gave given ; donner ; ; ;
show showed shown ; montrer ; ; ;
send sent ; envoyer ; ; ; long
bring brought ; apporter ; ; ;
lend lent ; prêter ; ; ;
offer ; offrir ; ; ; long
like ; aimer ; ; ; state
adore ; adorer ; ; ; state
hate ; détester ; ; ; state
prefer preferred ; préférer ; ; ; state
remember ; se souvenir ; ; ; state
need ; avoir+besoin ; ; ; state
teach taught ; enseigner ; ; ; habit
"""


def _read_verbs() -> tuple[Verb, ...]:
    verbs = []
    for entry in ENTRIES.replace("\n    ", " ").strip().split("\n"):
        english, french, uses, places, traits = (part.strip() for part in entry.split(";"))
        verbs.append(
            Verb(
                *english_forms(english),
                french=conjugate(french),
                uses=tuple(_read_use(use) for use in uses.split("|")),
                places=places,
                traits=frozenset(traits.split()),
            )
        )
    return tuple(verbs)


def _read_use(use: str) -> tuple[str, str]:
    who, _, what = use.partition(">")
    return who.strip(), what.strip()


VERBS = _read_verbs()
TRANSITIVE = tuple(verb for verb in VERBS if any(what for _, what in verb.uses))
HIDE_ONESELF = next(verb for verb in VERBS if verb.english == "hide" and verb.french.reflexive)
_BY_ENGLISH = {verb.english: verb for verb in reversed(VERBS)}
INTRANSITIVE = tuple(verb for verb in VERBS if any(who and not what for who, what in verb.uses))


def find_verb(english: str) -> Verb:
    """Find a verb by its English; of *hide* the one that takes an object.

    >>> find_verb("look for").french.infinitive
    'chercher'
    """
    return _BY_ENGLISH[english]


@cache
def find_verbs(english: str) -> tuple[Verb, ...]:
    """Find several verbs, named with ``_`` for a space."""
    return tuple(find_verb(name.replace("_", " ")) for name in english.split())
