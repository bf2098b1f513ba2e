"""A client of the live server that is no browser: it counts what it is sent."""

import contextlib
import time


@contextlib.contextmanager
def connected(address: str):
    """A connection that has been told the whole scene."""
    import viser
    from websockets.sync.client import connect

    with connect(address.replace("http", "ws"), subprotocols=[f"viser-v{viser.__version__}"], max_size=None) as client:
        yield client


def drain(client, quiet: float = 1.0) -> None:
    """Take what there is until nothing comes for a while."""
    with contextlib.suppress(TimeoutError):
        while True:
            client.recv(timeout=quiet)


def moves(client, node: str, seconds: float, how: str = "SetPositionMessage") -> int:
    """How often a node is moved, or turned, within some seconds."""
    began, count = time.perf_counter(), 0
    with contextlib.suppress(TimeoutError):
        while (left := began + seconds - time.perf_counter()) > 0:
            count += sum(m["type"] == how and m["name"] == node
                         for m in messages(client.recv(timeout=left)))
    return count


def messages(packet: bytes) -> list[dict]:
    """What a packet says: two lengths, then compressed messages."""
    import msgspec
    import zstandard

    full, packed = (int.from_bytes(packet[k:k + 8], "little") for k in (0, 8))
    payload = zstandard.ZstdDecompressor().decompress(packet[16:16 + packed], max_output_size=full)
    return msgspec.msgpack.decode(payload)["messages"]
