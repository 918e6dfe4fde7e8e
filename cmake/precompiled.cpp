// Nothing: a precompiled header is made with the target that owns it, and a target has a source.
