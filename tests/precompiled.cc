// Nothing: the precompiled header of the tests needs a target of its own.
