"""How much is read of what was handed in. Every cap of intake stands here.

A filled-in sheet has about 4 KiB, 70 lines, 200 YAML nodes and nests 4 deep; the caps leave
room for the long-winded and keep a hostile file's cost near that of an honest one.
"""

from __future__ import annotations

ANSWER_BYTES = 256 * 1024
CODE_BYTES = 512 * 1024
OTHER_BYTES = 8 * 1024 * 1024  # hashed for the receipt, never read as text

ANSWER_LINES = 5_000
VALUE_CHARACTERS = 20_000  # of one answer; marking never sees more

YAML_DEPTH = 50
YAML_NODES = 20_000
YAML_ALIASES = 100

FOLDER_ENTRIES = 500
NOTES = 500  # remarks kept beside the answers
FINDINGS_OF_A_KIND = 4  # more are counted in the last one
