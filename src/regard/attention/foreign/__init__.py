"""Attention in models built elsewhere: what they asked, found out without touching them."""
