"""Fixed phrases, which no rule could make: each stands in training as it is."""

from regard.text.embedded.english_french.weaving import Phrase, weave

SAYINGS = """
i'm/i home/h . | je/i suis/i chez/h moi/h .
we're/w home/h . | nous/w sommes/w chez/h nous/h .
i'm/i hungry/h . | j'ai/i faim/h .
i'm/i thirsty/h . | j'ai/i soif/h .
how/h are/a you/y ? | comment/h vas-tu/a,y ?
how/h are/a you/y , sir/s ? | comment/h allez-vous/a,y , monsieur/s ?
i'm/i fine/f . | je/i vais/i bien/f .
i'm/i very/v well/w , thank/t you/t . | je/i vais/i très/v bien/w , merci/t .
what/w is/i your/y name/n ? | comment/w,i? t'appelles-tu/y,n ?
my/m name/n is/i paul/p . | je/m m'appelle/m,n,i? paul/p .
my/m name/n is/i marie/p . | je/m m'appelle/m,n,i? marie/p .
where/w are/a you/y ? | où/w es-tu/a,y ?
where/w are/a you/y going/g ? | où/w vas-tu/a?,y,g ?
what/w are/a you/y doing/d ? | que/w fais-tu/a?,y,d ?
who/w are/a you/y ? | qui/w es-tu/a,y ?
who/w is/i it/t ? | qui/w est-ce/i,t ?
what/w is/i it/t ? | qu'est-ce/w,i,t que/w? c'est/t?,i? ?
what/w time/t is/i it/j ? | quelle/w heure/t est-il/i,j ?
how/h old/o are/a you/y ? | quel/h âge/o as-tu/a,y ?
i/i love/l you/y . | je/i t'aime/y,l .
i/i miss/m you/y . | tu/y me/i manques/m .
good/g morning/m ! | bonjour/g,m !
good/g evening/e ! | bonsoir/g,e !
good/g night/n ! | bonne/g nuit/n !
good/g luck/l ! | bonne/g chance/l !
have/g? a/g? good/g trip/t ! | bon/g voyage/t !
enjoy/e your/e? meal/m ! | bon/e appétit/m !
happy/h birthday/b ! | joyeux/h anniversaire/b !
happy/h new/n year/y ! | bonne/h année/y,n? !
see/s you/s? tomorrow/t ! | à/s demain/t !
see/s you/s? soon/t ! | à/s bientôt/t !
see/s you/s? later/t ! | à/s plus/t tard/t !
see/s you/s? on/m? monday/m ! | à/s lundi/m !
thank/t you/t ! | merci/t !
thank/t you/t very/v much/v . | merci/t beaucoup/v .
thank/t you/t for/f your/y help/h . | merci/t de/f ton/y aide/h .
you're/y welcome/w . | de/w,y? rien/w .
i'm/i sorry/s . | je/i suis/i désolé/s .
excuse/e me/m , sir/s . | excusez-moi/e,m , monsieur/s .
excuse/e me/m , madam/s . | excusez-moi/e,m , madame/s .
come/c in/c ! | entre/c !
come/c in/c , sir/s . | entrez/c , monsieur/s .
come/c in/c , madam/s . | entrez/c , madame/s .
sit/s down/d ! | assieds-toi/s,d !
sit/s down/d , madam/m . | asseyez-vous/s,d , madame/m .
hurry/h up/u ! | dépêche-toi/h,u !
wake/w up/u ! | réveille-toi/w,u !
get/g up/u ! | lève-toi/g,u !
be/b careful/c ! | fais/b attention/c !
be/b quiet/q ! | tais-toi/b,q !
be/b good/g ! | sois/b sage/g !
don't/d worry/w ! | ne/d? t'inquiète/w pas/d !
don't/d move/m ! | ne/d? bouge/m pas/d !
don't/d be/b afraid/a ! | n'aie/b,d? pas/d peur/a !
don't/d cry/c ! | ne/d? pleure/c pas/d !
let's/l go/g ! | allons-y/g,l? !
here/h we/w are/h ! | nous/w voilà/h !
of/o course/c ! | bien/o,c sûr/o,c !
no/n problem/p ! | pas/n de/n problème/p !
it/i doesn't/d matter/m . | ça/i ne/d? fait/m rien/d,m .
it/i depends/d . | ça/i dépend/d .
that's/t right/r . | c'est/t exact/r .
that's/t all/a . | c'est/t tout/a .
that's/t enough/e ! | ça/t suffit/e !
i/i don't/d know/k . | je/i ne/d? sais/k pas/d .
i/i don't/d understand/u . | je/i ne/d? comprends/u pas/d .
i/i agree/a . | je/i suis/a? d'accord/a .
i/i don't/d agree/a . | je/i ne/d? suis/a? pas/d d'accord/a .
it's/i my/m turn/t . | c'est/i mon/m tour/t .
it's/i your/m turn/t . | c'est/i ton/m tour/t .
it's/i not/n my/m fault/f . | ce/i n'est/i,n? pas/n ma/m faute/f .
it's/i raining/r cats/c and/c dogs/c . | il/i pleut/r des/c? cordes/c .
it's/i late/l . | il/i est/i tard/l .
it's/i early/e . | il/i est/i tôt/e .
it's/i noon/n . | il/i est/i midi/n .
it's/i midnight/m . | il/i est/i minuit/m .
it's/i a/p? pity/p . | c'est/i dommage/p .
what/w a/p? pity/p ! | quel/w dommage/p !
what's/w new/n ? | quoi/w de/n? neuf/n ?
what's/w the/m? matter/m with/y? you/y ? | qu'est-ce/w que/w? tu/y as/m ?
i/i have/v a/h? headache/h . | j'ai/i,v mal/h à/h? la/h? tête/h .
i/i have/h a/a cold/c . | j'ai/i,h un/a rhume/c .
she/s has/h blue/b eyes/e . | elle/s a/h les/e? yeux/e bleus/b .
he/h has/a green/b eyes/e . | il/h a/a les/e? yeux/e verts/b .
she/s has/h long/l hair/c . | elle/s a/h les/c? cheveux/c longs/l .
he/h is/i in/p love/a . | il/h est/i amoureux/p,a .
time/t flies/f . | le/t? temps/t passe/f vite/f .
practice/p makes/m perfect/f . | c'est/m? en/p? forgeant/p qu'on/m devient/m forgeron/f .
better/b late/l than/t never/n . | mieux/b vaut/b? tard/l que/t jamais/n .
like/l father/f , like/l son/s . | tel/l père/f , tel/l fils/s .
i'm/i coming/c ! | j'arrive/i,c !
we're/w coming/c ! | nous/w arrivons/w?,c !
me/m too/t . | moi/m aussi/t .
long/l live/l the/t king/k ! | vive/l le/t roi/k !
long/l live/l the/t queen/q ! | vive/l la/t reine/q !
once/o upon/o a/o time/o there/o? was/o? a/b king/k . | il/o était/o une/o fois/o un/b roi/k .
"""


def sayings() -> list[Phrase]:
    """All of them, woven."""
    return [weave(*(side.strip() for side in line.split("|"))) for line in SAYINGS.strip().splitlines()]
