"""Figures as ratios to what a user would otherwise pick, measured in one run: `python -m benchmarks`."""
