"""OdysseyAgent (GUI-Odyssey, arXiv 2406.08451): the network, its prompt, its server, and the policy that asks it.

`network/` is tensors only and knows nothing of phones, screens or policies.
"""
