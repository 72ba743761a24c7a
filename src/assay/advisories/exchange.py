"""One signed file for clusters without a network: export here, carry it over, import there.

    ASSAY-EXCHANGE 1\\n
    {"signed_by": key id, "signature": base64, "sha256": of the database}\\n
    the database, byte for byte

The signature is Ed25519 over the words ``assay advisories`` and the database's SHA-256, so it
covers every byte and means nothing elsewhere. A file without a known key's signature is refused.
"""

import base64
import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass

from assay.advisories import database
from assay.advisories.database import BadDatabase, Database

MAGIC = b"ASSAY-EXCHANGE 1\n"
_PURPOSE = b"assay advisories 1\0"


class BadSignature(ValueError):
    """The file is not signed by anybody who is trusted here, or was changed after signing."""


@dataclass(frozen=True, slots=True)
class KeyPair:
    """An Ed25519 key, both halves in PEM."""

    private: bytes
    public: bytes


def new_key() -> KeyPair:
    """A fresh key pair."""
    from cryptography.hazmat.primitives import serialization as form
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    key = Ed25519PrivateKey.generate()
    return KeyPair(
        key.private_bytes(form.Encoding.PEM, form.PrivateFormat.PKCS8, form.NoEncryption()),
        key.public_key().public_bytes(form.Encoding.PEM, form.PublicFormat.SubjectPublicKeyInfo),
    )


def key_id(public: bytes) -> str:
    """A short name of a public key: the head of the SHA-256 over its raw bytes."""
    return hashlib.sha256(_public(public).public_bytes_raw()).hexdigest()[:16]


def export(found: Database, private: bytes) -> bytes:
    """*found* as one signed file."""
    from cryptography.hazmat.primitives import serialization as form
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    key = form.load_pem_private_key(private, password=None)
    if not isinstance(key, Ed25519PrivateKey):
        raise BadSignature("the private key is not an Ed25519 key")
    data = found.dump()
    digest = hashlib.sha256(data).digest()
    raw = key.public_key().public_bytes_raw()
    header = {
        "signed_by": hashlib.sha256(raw).hexdigest()[:16],
        "signature": base64.b64encode(key.sign(_PURPOSE + digest)).decode(),
        "sha256": digest.hex(),
    }
    return MAGIC + json.dumps(header, sort_keys=True).encode() + b"\n" + data


def admit(file: bytes, trusted: Iterable[bytes]) -> Database:
    """The database in *file*, if one of the *trusted* public keys signed exactly these bytes."""
    from cryptography.exceptions import InvalidSignature

    if not file.startswith(b"ASSAY-EXCHANGE"):
        raise BadDatabase("this is not an exported advisory database")
    if not file.startswith(MAGIC):
        raise BadDatabase("this export has a future form: update Assay to read it")
    line, _, data = file[len(MAGIC) :].partition(b"\n")
    try:
        header = json.loads(line)
        signature = base64.b64decode(header["signature"], validate=True)
        signer = str(header["signed_by"])
    except (ValueError, KeyError, TypeError) as error:
        raise BadDatabase(f"the header of the export makes no sense: {error}") from error
    message = _PURPOSE + hashlib.sha256(data).digest()
    keys = list(trusted)
    for public in keys:
        try:
            _public(public).verify(signature, message)
        except InvalidSignature:
            continue
        found = database.load(data)
        database.verify(found)
        return found
    known = ", ".join(key_id(public) for public in keys) or "none"
    raise BadSignature(f"signed by {signer[:16]!r} or changed since; trusted keys: {known}")


def _public(pem: bytes):  # type: ignore[no-untyped-def]  # noqa: ANN202 - cryptography is optional
    from cryptography.hazmat.primitives import serialization as form
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        key = form.load_pem_public_key(pem)
    except ValueError as error:
        raise BadSignature(f"a trusted key cannot be read: {error}") from error
    if not isinstance(key, Ed25519PublicKey):
        raise BadSignature("a trusted key is not an Ed25519 public key")
    return key
