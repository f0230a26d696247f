"""What can go wrong on the virtual phone: single faults, plans of them with a seed, ready profiles, and latency.

fault.py      what a fault is: a name and checked parameters
touch.py      input: taps, swipes, keys and text that land otherwise than meant (hand.py carries them out)
pixels.py     pictures that are old, broken or missing (camera.py takes them)
tree.py       accessibility trees that are old, broken or missing (reader.py dumps them)
timing.py     what happens by itself: slow starts, dialogs, the clock, the link
wire.py       shell, answers, the automation server, file transfer
catalogue.py  all of them by name
plan.py       rules (fault, parameters, when) read strictly from JSON
injector.py   decides, from a seeded stream of its own, which fault fires, and journals it
profiles.py   plans that come with the phone
latency.py    how long a phone takes for each kind of command
"""
