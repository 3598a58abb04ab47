"""The reverse proxy: clients talk to it as they would to the producer's API and never see a thought.

Facts travel one way: ``app`` wires, ``routes`` says what a request is, ``exchange`` restores it, asks ``upstream``,
holds the answer and shows what the surface lets through; ``passing`` carries everything else.
"""
