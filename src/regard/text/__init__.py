"""Sentences, tokens and batches: from files of sentence pairs to what a model reads."""

from regard.text.batch import Batch, pad
from regard.text.batching import Batches
from regard.text.corpus import Corpus, Pair, Parts, Reading
from regard.text.embedded import AlignedPair, EmbeddedCorpus, embedded
from regard.text.formats import Fault
from regard.text.reading import ReadingSettings, read, read_parts, stream
from regard.text.sentences import Layout, cut_sentences
from regard.text.special import BEGIN, END, PADDING, UNKNOWN
from regard.text.tokenizer import Tokenizer
from regard.text.vocabulary import Vocabulary, Word

__all__ = [
    "BEGIN",
    "END",
    "PADDING",
    "UNKNOWN",
    "AlignedPair",
    "Batch",
    "Batches",
    "Corpus",
    "EmbeddedCorpus",
    "Fault",
    "Layout",
    "Pair",
    "Parts",
    "Reading",
    "ReadingSettings",
    "Tokenizer",
    "Vocabulary",
    "Word",
    "cut_sentences",
    "embedded",
    "pad",
    "read",
    "read_parts",
    "stream",
]
