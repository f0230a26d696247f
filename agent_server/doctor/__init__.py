"""What is missing, on this machine or on a phone, why it matters, and how it is mended."""
