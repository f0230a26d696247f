"""A chat model that follows a script, for tests and demonstrations: it speaks the providers' protocols and looks.

It is not a model. It knows in advance what it wants to touch; but where that is, it finds in the picture.
"""
