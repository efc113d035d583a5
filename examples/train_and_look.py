"""From sentence pairs to a translator one can look into, in seconds."""

from pathlib import Path

import regard
from regard.recipe import DataSettings, ModelSettings, Recipe, TokenizerSettings, TrainingSettings

who = {"i'm": "je suis", "he's": "il est", "she's": "elle est", "we're": "nous sommes"}
where = {
    "here": "ici",
    "there": "là",
    "late": "en retard",
    "at work": "au travail",
    "on holiday": "en vacances",
}
when = {"": "", " now": " maintenant", " today": " aujourd'hui"}
pairs = [f"{a} {b}{c} .\t{who[a]} {where[b]}{when[c]} ." for a in who for b in where for c in when]
Path("pairs.tsv").write_text("\n".join(pairs) + "\n", encoding="utf-8")

recipe = Recipe(
    data=DataSettings(train=("pairs.tsv",)),
    tokenizer=TokenizerSettings(kind="words", least_count=1),
    model=ModelSettings(kind="recurrent", width=32, layers=1, dropout=0.0),
    training=TrainingSettings(
        steps=80, tokens_per_batch=300, peak_learning_rate=1e-2, warmup_steps=10, validate_every=40
    ),
)
run = Path("runs/train_and_look")
if not run.exists():
    for progress in regard.train(recipe, into=run):
        if progress.validation:
            print(f"step {progress.report.step}: loss {progress.validation.loss:.2f}")

translator = regard.Translator.load(run)
print(translator.translate(["we're at work today ."])[0].text)
translator.look("we're at work today .")["decoder.cross"].save("train_and_look.svg", "flow")
