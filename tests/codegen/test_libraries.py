"""Libraries that were linked without a linker: Linux loads ours, and the others have the form their systems expect."""

import ctypes
import platform
import struct

import pytest

from linkwright.codegen import TARGETS, compile_c, link_text, shared_libraries, single_module
from linkwright.errors import LinkwrightError

TEXT = """
static double pool[100000];
static int count;
static const double table[] = {0.5, 0.25};
EXPORT double accumulate(double x) {
    pool[count] = x * table[count % 2];
    count++;
    double total = 0.0;
    for (int i = 0; i < count; i++) total = total + pool[i];
    return total;
}
EXPORT int version(void) { return 3; }
"""


@pytest.fixture(scope="module")
def libraries():
    text = single_module(link_text({}, compile_c(TEXT), 1), attributes='"no-jump-tables"="true"')
    return shared_libraries(text, TARGETS.values(), "thing")


def test_zeros_take_no_room_in_files(libraries):
    assert all(len(library) < 100_000 for library in libraries.values())  # the pool alone is 800 000 bytes


@pytest.mark.skipif(platform.system() != "Linux" or platform.machine() not in ("x86_64", "aarch64"),
                    reason="only Linux loads what is made for it")
def test_linux_loads_it_and_it_remembers(libraries, tmp_path):
    path = tmp_path / "thing.so"
    path.write_bytes(libraries[f"{platform.machine()}-linux"])
    library = ctypes.CDLL(str(path))
    library.accumulate.restype, library.accumulate.argtypes = ctypes.c_double, [ctypes.c_double]
    assert library.version() == 3
    assert [library.accumulate(x) for x in (1.0, 2.0, 4.0)] == [0.5, 1.0, 3.0]


def test_a_dll_exports_names_in_order_and_imports_nothing(libraries):
    """Names, addresses and sections read back as Windows reads them."""
    content = libraries["x86_64-windows"]
    (pe,) = struct.unpack_from("<I", content, 60)
    assert content[:2] == b"MZ" and content[pe : pe + 4] == b"PE\0\0"
    machine, count = struct.unpack_from("<HH", content, pe + 4)
    assert machine == 0x8664
    directories = [struct.unpack_from("<II", content, pe + 24 + 112 + 8 * k) for k in range(16)]
    assert directories[1] == (0, 0)
    sections = [struct.unpack_from("<8sIIII", content, pe + 24 + 240 + 40 * k) for k in range(count)]

    def offset(address: int) -> int:
        _, _, start, _, at = next(s for s in sections if s[2] <= address < s[2] + max(s[1], s[3]))
        return at + address - start

    export = struct.unpack_from("<IIHHIIIIIII", content, offset(directories[0][0]))
    n, addresses, names = export[7], export[8], export[9]
    places = struct.unpack_from(f"<{n}I", content, offset(names))
    texts = [content[offset(p) : content.index(0, offset(p))].decode() for p in places]
    assert texts == ["accumulate", "version"]
    code = next(s for s in sections if s[0].startswith(b".text"))
    for address in struct.unpack_from(f"<{n}I", content, offset(addresses)):
        assert code[2] <= address < code[2] + code[1]
    ends = [end for _, size, start, _, _ in sections for end in (start, start + size)]
    assert ends == sorted(ends)  # sections follow one another


@pytest.mark.parametrize("name, kind", [("x86_64-darwin", 0x01000007), ("aarch64-darwin", 0x0100000C)])
def test_a_dylib_is_whole_and_signed(libraries, name, kind):
    content = libraries[name]
    magic, processor, _, filetype, count, size, _, _ = struct.unpack_from("<8I", content)
    assert (magic, processor, filetype) == (0xFEEDFACF, kind, 6)
    at, seen, end = 32, [], 0
    for _ in range(count):
        command, length = struct.unpack_from("<II", content, at)
        seen.append(command)
        if command == 0x19:
            address, memory, place, in_file = struct.unpack_from("<4Q", content, at + 24)
            assert address == end and place + in_file <= len(content) and in_file <= memory
            end = address + memory
        if command == 0x1D:
            place, signed = struct.unpack_from("<II", content, at + 8)
            assert place + signed == len(content)
            assert struct.unpack_from(">I", content, place)[0] == 0xFADE0CC0
        at += length
    assert at == 32 + size and 0x1D in seen and 0x80000022 in seen


def test_an_import_is_refused_by_name():
    text = single_module(link_text({}, compile_c("double foreign(double);\nEXPORT double f(double x)"
                                                 " { return foreign(x); }"), 1), attributes="")
    with pytest.raises(LinkwrightError, match="needs foreign"):
        shared_libraries(text, [TARGETS["x86_64-linux"]], "thing")
