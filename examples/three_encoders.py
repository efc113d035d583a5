"""Recurrent, convolutional, self-attention: time, memory and path, measured here."""

from regard.comparing import compare_encoders

comparison = compare_encoders([64, 128, 256], width=32, repeats=1)
for each in comparison.compared:
    print(f"{each.name}: the last word hears the first after {each.path[-1]} {each.path_unit}s or steps")
comparison.save("three_encoders.svg")
