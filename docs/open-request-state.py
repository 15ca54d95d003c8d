"""Opens the vectors of request-state-vectors.json, by request-state.md and public libraries alone.

Needs the package `cryptography`. Prints a line for each vector, and fails at the first that differs.
"""

import base64
import hashlib
import hmac
import json
import pathlib
import struct

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM


def xaes_256_gcm_open(key, nonce, ciphertext, associated):
    """XAES-256-GCM (C2SP): AES-256-GCM with a key that is derived from the first half of the nonce."""
    block = Cipher(algorithms.AES(key), modes.ECB()).encryptor().update
    first = int.from_bytes(block(bytes(16)), "big") << 1
    if first >> 128:
        first = (first & ((1 << 128) - 1)) ^ 0b10000111
    k1 = first.to_bytes(16, "big")
    xor = lambda a, b: bytes(x ^ y for x, y in zip(a, b))
    derived = b"".join(block(xor(bytes([0, n, ord("X"), 0]) + nonce[:12], k1)) for n in (1, 2))
    return AESGCM(derived).decrypt(nonce[12:], ciphertext, associated)


def with_length(part):
    return struct.pack(">Q", len(part)) + part


def open_token(vector):
    token = vector["token"]
    data = base64.urlsafe_b64decode(token + "=" * (-len(token) % 4))
    version, mode, id_len = data[:3]
    header, salt, sealed = data[: 3 + id_len], data[3 + id_len : 27 + id_len], data[27 + id_len :]
    assert version == 2 and header[3:].decode() == vector["key_id"]
    associated = b"mrtr-core request state" + with_length(header)
    for name in ("purpose", "protocol_version", "method", "endpoint"):
        associated += with_length(vector[name].encode())
    ring_key = bytes.fromhex(vector["key"])
    key = hmac.digest(ring_key, b"mrtr-core message key" + bytes([mode]) + salt, "sha256")
    return MODES[vector["mode"]](mode, key, salt, sealed, associated)


def open_encrypted(mode, key, salt, sealed, associated):
    assert mode == 1
    return xaes_256_gcm_open(key, salt, sealed, associated)


def open_signed(mode, key, salt, sealed, associated):
    assert mode == 2
    claims, signature = sealed[:-32], sealed[-32:]
    expected = hmac.digest(key, with_length(associated) + claims, "sha256")
    assert hmac.compare_digest(signature, expected)
    return claims


def open_custom(mode, key, salt, sealed, associated):
    assert mode == 0x80
    return AESGCM(key).decrypt(bytes(12), sealed, associated)


MODES = {
    "encrypted": open_encrypted,
    "signed": open_signed,
    "custom 0x80: AES-256-GCM, nonce of zeros": open_custom,
}


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


vectors = json.loads(pathlib.Path(__file__).with_name("request-state-vectors.json").read_text())
for index, vector in enumerate(vectors, 1):
    check(vector)
    print(f"vector {index} opens: {vector['mode']}, for {vector['purpose']}, round {vector['round']}")
print(f"{len(vectors)} passed, 0 failed")
