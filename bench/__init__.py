"""Side by side with other engines: the same mechanisms, each in its fastest loop, one table.

`python -m bench` runs everything; `python -m bench chain --links 7 32` a part.  `models` describes the mechanisms once,
`peers/` holds one engine a file, `fourbar` a loop at several settings of MuJoCo, `own`, `batch`, `machines` and
`events` what only Linkwright is measured for, `table` times and prints.
"""
