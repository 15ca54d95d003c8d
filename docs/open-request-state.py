"""Makes and opens the vectors of request-state-vectors.json, by request-state.md and public libraries
alone.

Needs the package `cryptography`. It seals each vector from its members, compares the token with the one
in the file, opens it again, and fails at the first that differs. `--write` puts the digests and tokens
that it made into the file: only a change of the format needs that. No program of the crate writes them.
"""

import base64
import hashlib
import hmac
import json
import pathlib
import struct
import sys

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM


def xaes_256_gcm(key, nonce):
    """XAES-256-GCM (C2SP): AES-256-GCM with a key that is derived from the first half of the nonce."""
    block = Cipher(algorithms.AES(key), modes.ECB()).encryptor().update
    first = int.from_bytes(block(bytes(16)), "big") << 1
    if first >> 128:
        first = (first & ((1 << 128) - 1)) ^ 0b10000111
    k1 = first.to_bytes(16, "big")
    xor = lambda a, b: bytes(x ^ y for x, y in zip(a, b))
    derived = b"".join(block(xor(bytes([0, n, ord("X"), 0]) + nonce[:12], k1)) for n in (1, 2))
    return AESGCM(derived), nonce[12:]


def with_length(part):
    return struct.pack(">Q", len(part)) + part


class Encrypted:
    mode = 1

    def seal(key, salt, claims, associated):
        cipher, nonce = xaes_256_gcm(key, salt)
        return cipher.encrypt(nonce, claims, associated)

    def open(key, salt, sealed, associated):
        cipher, nonce = xaes_256_gcm(key, salt)
        return cipher.decrypt(nonce, sealed, associated)


class Signed:
    mode = 2

    def seal(key, salt, claims, associated):
        return claims + hmac.digest(key, with_length(associated) + claims, "sha256")

    def open(key, salt, sealed, associated):
        claims = sealed[:-32]
        assert hmac.compare_digest(sealed, Signed.seal(key, salt, claims, associated))
        return claims


class Custom:
    mode = 0x80

    def seal(key, salt, claims, associated):
        return AESGCM(key).encrypt(bytes(12), claims, associated)

    def open(key, salt, sealed, associated):
        return AESGCM(key).decrypt(bytes(12), sealed, associated)


CIPHERS = {
    "encrypted": Encrypted,
    "signed": Signed,
    "custom 0x80: AES-256-GCM, nonce of zeros": Custom,
}


def around(vector, header, salt):
    """The cipher, the key of the one message, and the data beside its claims."""
    cipher = CIPHERS[vector["mode"]]
    associated = b"mrtr-core request state" + with_length(header)
    for name in ("purpose", "protocol_version", "method", "endpoint"):
        associated += with_length(vector[name].encode())
    ring_key = bytes.fromhex(vector["key"])
    key = hmac.digest(ring_key, b"mrtr-core message key" + bytes([cipher.mode]) + salt, "sha256")
    return cipher, key, associated


def seal_token(vector):
    """The token of a vector, from its other members."""
    key_id, salt = vector["key_id"].encode(), bytes.fromhex(vector["salt"])
    header = bytes([2, CIPHERS[vector["mode"]].mode, len(key_id)]) + key_id
    claims = struct.pack(">QQI", vector["issued"], vector["expires"], vector["round"])
    claims += bytes.fromhex(vector["id"]) + bytes.fromhex(vector["digest"])
    if vector["principal"] is None:
        claims += b"\0"
    else:
        principal = vector["principal"].encode()
        claims += b"\1" + struct.pack(">H", len(principal)) + principal
    claims += vector["payload"].encode()
    cipher, key, associated = around(vector, header, salt)
    token = header + salt + cipher.seal(key, salt, claims, associated)
    return base64.urlsafe_b64encode(token).decode().rstrip("=")


def open_token(vector):
    """The claims of a vector, from its token."""
    token = vector["token"]
    data = base64.urlsafe_b64decode(token + "=" * (-len(token) % 4))
    version, mode, id_len = data[:3]
    header, salt, sealed = data[: 3 + id_len], data[3 + id_len : 27 + id_len], data[27 + id_len :]
    assert version == 2 and mode == CIPHERS[vector["mode"]].mode
    assert header[3:].decode() == vector["key_id"] and salt.hex() == vector["salt"]
    cipher, key, associated = around(vector, header, salt)
    return cipher.open(key, salt, sealed, associated)


def canonical(value):
    """The canonical form, as far as the vectors need it."""
    if isinstance(value, dict):
        members = sorted(value.items(), key=lambda member: member[0].encode("utf-16-be", "surrogatepass"))
        return "{" + ",".join(canonical(name) + ":" + canonical(member) for name, member in members) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    text = json.dumps(value, ensure_ascii=False)
    return "".join(f"\\u{ord(c):04x}" if "\ud800" <= c <= "\udfff" else c for c in text)


def digest(vector):
    params = json.loads(vector["params"])
    for name in ("_meta", "inputResponses", "requestState"):
        params.pop(name, None)
    return hashlib.sha256(vector["method"].encode() + b"\0" + canonical(params).encode()).hexdigest()


def check(vector):
    claims = open_token(vector)
    issued, expires, number = struct.unpack(">QQI", claims[:20])
    found = {
        "issued": issued,
        "expires": expires,
        "round": number,
        "id": claims[20:36].hex(),
        "digest": claims[36:68].hex(),
        "principal": None,
    }
    rest = claims[69:]
    if claims[68]:
        length = struct.unpack(">H", rest[:2])[0]
        found["principal"], rest = rest[2 : 2 + length].decode(), rest[2 + length :]
    found["payload"] = rest.decode()
    for name, value in found.items():
        assert value == vector[name], (name, value, vector[name])
    assert digest(vector) == vector["digest"]
    assert seal_token(vector) == vector["token"], "the token is made of the other members"


path = pathlib.Path(__file__).with_name("request-state-vectors.json")
vectors = json.loads(path.read_text())
if "--write" in sys.argv[1:]:
    for vector in vectors:
        vector["digest"] = digest(vector)
        vector["token"] = seal_token(vector)
    path.write_text(json.dumps(vectors, indent=2, ensure_ascii=False) + "\n")
for index, vector in enumerate(vectors, 1):
    check(vector)
    print(f"vector {index} is made and opens: {vector['mode']}, for {vector['purpose']}, round {vector['round']}")
print(f"{len(vectors)} passed, 0 failed")
