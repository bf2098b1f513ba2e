"""What is not in the dialect is refused with file, line, and what to write instead."""

import pytest
import refused_functions as refused

from linkwright.codegen.dialect import NotInDialect, text_of

REFUSED = {
    "listed": "an array by `reals",
    "raising": "return a status",
    "recursive": "calls itself. Instead: a loop, and a stack",
    "two_kinds": "total is a whole number before and a real number here. Instead: numbers of one kind",
    "mixed": "two of one kind: 0.0 beside x",
    "after_the_loop": "variable k of a loop is used outside it",
    "moved": "variable k of a loop is assigned in the loop",
    "without_a_value": "y is read before it has a value",
    "over_a_list": r"for k in range\(first, last, step\)",
    "large": "own memory has a size that is not known",
    "root": "sqrt of `codegen.dialect`",
    "whole_array": "total stands for a sum or multiple of arrays. Instead: an array of its own",
    "other_size": "arrays of sizes 3 and 4 are taken entry by entry",
    "whole_matrix": "an array of 2 dimensions is taken entry by entry",
    "two_at_once": "a sum or multiple of arrays goes into several",
    "handed_on": "x of root is float, and gets a sum or multiple of arrays",
    "missing": "a way leads to the end without a result",
    "real_remainder": r"floor\(a / b\)",
    "wrong_index": "index 5 of an array of size 3",
    "by_name": "arguments by name or by star",
    "unknown": "`np.linalg.norm` is called, which is no function of the dialect",
    "two_arrays": "row is an array of 1 dimensions and is assigned twice",
    "entry_without_types": "x of an entry is not annotated",
    "wrong_rank": "gets an array of 1 dimensions",
    "half_power": r"power\(x, y\)",
    "same_variable": "a loop inside a loop has the same variable k",
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    with pytest.raises(NotInDialect, match=REFUSED[name]) as error:
        text_of(getattr(refused, name))
    assert "refused_functions.py:" in str(error.value) and "Instead: " in str(error.value)


def test_shared_arrays_are_read_only_in_lanes():
    text_of(refused.filled)
    with pytest.raises(NotInDialect, match="shared by all lanes is written to"):
        text_of(refused.filled, 4, shared=("a",))
    with pytest.raises(NotInDialect, match="b is to be shared and is no argument"):
        text_of(refused.filled, 4, shared=("b",))
