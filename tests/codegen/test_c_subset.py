"""C text compiled by our own compiler does what C says; what is not in its part of C is refused with its line."""

import ctypes

import pytest

from linkwright.codegen import compile_c, link_text, single_module
from linkwright.codegen.machine import Loaded, object_code
from linkwright.errors import LinkwrightError


def function(text: str, name: str, result, *arguments):
    """A function of a C text, as ctypes calls it."""
    code = Loaded(object_code(single_module(link_text({}, compile_c(text), 1), attributes=""), 2))
    called = ctypes.CFUNCTYPE(result, *arguments)(code.address(name))
    called.code = code  # lives as long as the function
    return called


REAL, WHOLE = ctypes.c_double, ctypes.c_int


@pytest.mark.parametrize("expression, value", [
    ("1 + 2 * 3 - 4 / 2", 5), ("7 % 4", 3), ("-7 / 2", -3), ("(1 + 2) * 3", 9), ("1 < 2 && 2 < 1", 0),
    ("1 < 2 || 0", 1), ("!0 + !5", 1), ("3 > 2 ? 10 : 20", 10), ("0 ? 1 : 0 ? 2 : 3", 3), ("1 == 1 != 0", 1),
    ("(int)(char)300", 44), ("sizeof(double) + sizeof(int)", 12), ("N * N", 49), ("2 <= 2 && 3 >= 4", 0),
])
def test_expressions_have_the_precedence_and_types_of_c(expression, value):
    assert function(f"#define N 7\nEXPORT int f(void) {{ return {expression}; }}", "f", WHOLE)() == value


def test_whole_numbers_of_different_types_are_brought_together():
    f = function("EXPORT size_t f(int n, size_t k) { return n * k / 2 - 1; }", "f", ctypes.c_size_t, WHOLE,
                 ctypes.c_size_t)
    assert f(3, 5) == 6


def test_loops():
    f = function("""
        EXPORT int f(int n) {
            int total = 0;
            for (int i = 0; i < n; i++) {
                int j = i;
                if (i % 2 == 0) while (j > 0) { total++; j--; }
            }
            return total;
        }""", "f", WHOLE, WHOLE)
    assert f(5) == 0 + 2 + 4


def test_second_operand_is_looked_at_only_where_it_decides():
    f = function("""
        static int calls;
        static int yes(void) { calls++; return 1; }
        EXPORT int f(int a) { calls = 0; int b = a && yes(); int c = a || yes(); return 10 * calls + b + c; }""",
                 "f", WHOLE, WHOLE)
    assert f(0) == 11  # once, for a ||
    assert f(1) == 12  # once, for a &&


def test_structs_arrays_and_pointers():
    f = function("""
        typedef struct { double x[3]; int k; } Inner;
        typedef struct { Inner in; double *p; } Outer;
        static Outer pool[2];
        static const double table[] = {1.5, -2.5, 1e3};
        static double first(const double *v) { return *v; }
        EXPORT double f(int k) {
            Outer *o = &pool[1];
            o->p = o->in.x + 1;
            for (int i = 0; i < 3; i++) o->in.x[i] = table[i];
            o->in.k = k;
            o->p[1] = o->p[1] + 4.0;
            return o->p == &pool[1].in.x[1] ? pool[1].in.x[2] + first(o->p) : 0.0;
        }""", "f", REAL, WHOLE)
    assert f(4) == 1004 - 2.5


def test_text_and_pointers_to_functions():
    said = []
    kind = ctypes.CFUNCTYPE(None, WHOLE, ctypes.c_char_p)
    f = function("""
        typedef void (*logger)(int status, const char *text);
        EXPORT int f(logger log) { if (log) log(3, "it's \\"so\\"\\nand so"); return log == 0; }""",
                 "f", WHOLE, kind)
    assert f(kind(lambda status, text: said.append((status, text)))) == 0
    assert said == [(3, b'it\'s "so"\nand so')]


def test_what_the_preprocessor_decides_is_left_out():
    f = function("""#include <math.h>
        #if defined(_WIN32)
        #define N nonsense
        #endif
        #define N 3
        EXPORT int f(void) { return N; }""", "f", WHOLE)
    assert f() == 3


@pytest.mark.parametrize("text, line, said", [
    ("int f(void) {\n return g(); }", 2, "g is not known"),
    ("int f(int a) { return f(); }", 1, "1 arguments were expected, got 0"),
    ("typedef struct { int a; } T;\nint f(T *t) {\n return t->b; }", 3, "no member b"),
    ("int f(void) { 1 = 2; }", 1, "cannot be assigned"),
    ("int f(void) { return 1 @ 2; }", 1, "no word that is known"),
    ("float x;", 1, "a type was expected"),
    ("double f(int a) { return a; }", 1, "i32 does not become double"),
    ("int f(void) { for (;;) break; }", 1, "an expression was expected"),
    ("typedef struct { int a; } T;\nvoid f(T *a, T *b) { *a = *b; }", 2, "not copied"),
])
def test_what_is_not_understood_is_refused_with_its_line(text, line, said):
    with pytest.raises(LinkwrightError, match=said) as error:
        compile_c(text)
    assert f"line {line}" in str(error.value)
