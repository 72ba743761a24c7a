"""One signed file: admitted whole and signed by a known key, or refused."""

import pytest

from assay.advisories import database, exchange
from assay.advisories.database import BadDatabase
from assay.advisories.exchange import BadSignature

DB = database.embedded()
KEY, OTHER = exchange.new_key(), exchange.new_key()
FILE = exchange.export(DB, KEY.private)


def test_it_arrives_as_it_left():
    found = exchange.admit(FILE, [OTHER.public, KEY.public])
    assert found.sha256 == DB.sha256
    assert found.records == DB.records


def test_an_unknown_key_is_refused():
    with pytest.raises(BadSignature, match=exchange.key_id(OTHER.public)):
        exchange.admit(FILE, [OTHER.public])
    with pytest.raises(BadSignature, match="none"):
        exchange.admit(FILE, [])


@pytest.mark.parametrize("at", [200, 5000, len(FILE) - 1])
def test_a_changed_byte_is_refused(at):
    changed = bytearray(FILE)
    changed[at] ^= 1
    with pytest.raises((BadSignature, BadDatabase)):
        exchange.admit(bytes(changed), [KEY.public])


def test_another_files_signature_does_not_count():
    small = database.build(DB.of("runc"), as_of="2026-08-21", sources=[])
    other = exchange.export(small, KEY.private)
    header = FILE.split(b"\n", 2)[1]
    forged = b"\n".join([other.split(b"\n", 1)[0], header, other.split(b"\n", 2)[2]])
    with pytest.raises(BadSignature):
        exchange.admit(forged, [KEY.public])


@pytest.mark.parametrize(
    "junk", [b"", b"x", FILE[:10], FILE[:60], b"ASSAY-EXCHANGE 2\n{}\n", b"ASSAY-EXCHANGE 1\n3\n"]
)
def test_junk_is_refused(junk):
    with pytest.raises((BadDatabase, BadSignature)):
        exchange.admit(junk, [KEY.public])


def test_a_key_of_another_kind_is_refused():
    with pytest.raises(BadSignature):
        exchange.admit(FILE, [b"-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n"])
