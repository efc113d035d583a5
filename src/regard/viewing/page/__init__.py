"""The page: any head of any layer, one query, one number, in a browser without a network."""

from regard.viewing.page.making import BUDGET, NOTEBOOK, make
from regard.viewing.page.writing import Page

__all__ = ["BUDGET", "NOTEBOOK", "Page", "make"]
