// Somebody must own the precompiled header; this file has nothing else to do.
