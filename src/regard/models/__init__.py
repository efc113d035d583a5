"""BUILD: models made of attention."""

from regard.models.contract import TranslationModel
from regard.models.convolutional import ConvolutionalTranslator
from regard.models.encoders import (
    ConvolutionalEncoder,
    Cost,
    Encoder,
    RecurrentEncoder,
    SelfAttentionEncoder,
)
from regard.models.kernel_regression import KernelRegression
from regard.models.recurrent import RecurrentTranslator
from regard.models.transformer import Transformer

__all__ = [
    "ConvolutionalEncoder",
    "ConvolutionalTranslator",
    "Cost",
    "Encoder",
    "KernelRegression",
    "RecurrentEncoder",
    "RecurrentTranslator",
    "SelfAttentionEncoder",
    "Transformer",
    "TranslationModel",
]
