"""Recurrent, convolutional, self-attention: time, memory and path, measured here."""

from dataclasses import replace

from regard.comparing import compare_encoders

comparison = compare_encoders([256, 512, 1024, 2048], width=32, repeats=1)
for each in comparison.compared:
    words, path, unit = comparison.path_lengths[-1], each.path[-1], each.path_unit
    print(f"{each.name}: of {words} words the last hears the first after {path} {unit}{'s' * (path > 1)}")
replace(comparison.layout(), columns=2).save("three_encoders.svg")
