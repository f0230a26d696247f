"""The network in plain PyTorch. Source of every fact: OpenGVLab/GUI-Odyssey, folder OdysseyAgent, commit fefcbe9."""
