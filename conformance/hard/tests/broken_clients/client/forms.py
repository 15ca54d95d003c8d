"""Flat forms: which schemas are read, and which answers fit."""

DIALECT = "https://json-schema.org/draft/2020-12/schema"
ROOT = {"$schema", "type", "properties", "required", "title", "description"}
FIELD = {"type", "title", "description", "default", "format", "pattern", "multipleOf"}
KEYWORDS = {
    "string": FIELD | {"minLength", "maxLength", "enum", "enumNames", "oneOf"},
    "number": FIELD | {"minimum", "maximum"},
    "integer": FIELD | {"minimum", "maximum"},
    "boolean": FIELD,
    "array": FIELD | {"items", "minItems", "maxItems"},
}
TYPES = {"string": str, "boolean": bool, "array": list, "number": (int, float), "integer": int}


class Unfit(Exception):
    """A form that cannot be read, or an answer that does not fit its form."""


def read(schema, has):
    """Raises if a form is outside the subset."""
    if has("sends-any-answer") or has("reads-any-form"):
        return
    if not isinstance(schema, dict) or schema.get("type") != "object" or not schema.keys() <= ROOT:
        raise Unfit("the form is outside the subset")
    if schema.get("$schema", DIALECT) != DIALECT:
        raise Unfit("the dialect is unknown")
    fields = schema.get("properties", {})
    if not all(name in fields for name in schema.get("required", [])):
        raise Unfit("a required field is unknown")
    for field in fields.values():
        kind = field.get("type") if isinstance(field, dict) else None
        if not isinstance(kind, str) or kind not in KEYWORDS or not field.keys() <= KEYWORDS[kind]:
            raise Unfit("a field is outside the subset")
        if kind == "array" and not isinstance(options(field["items"]), list):
            raise Unfit("an array has no options")
        if "format" in field and has("refuses-formats"):
            raise Unfit("a format is unknown")


def options(field):
    """The values of a choice. `None` if the field is not a choice."""
    if "enum" in field:
        return field["enum"]
    for name in ("oneOf", "anyOf"):
        if name in field:
            return [option["const"] for option in field[name]]
    return None


def check(schema, content, has):
    """Raises if content does not fit its form."""
    if has("sends-any-answer"):
        return
    if not content and has("wants-content"):
        raise Unfit("there is no content")
    if any(name not in content for name in schema.get("required", [])):
        raise Unfit("a field is missing")
    for name, value in content.items():
        field = schema.get("properties", {}).get(name, {})
        check_field(field if isinstance(field, dict) else {}, value, has)


def check_field(field, value, has):
    kind = field.get("type")
    if not isinstance(kind, str) or kind not in TYPES:
        if has("reads-any-form"):
            return
        raise Unfit("a field has no known type")
    if isinstance(value, bool) != (kind == "boolean") or not isinstance(value, TYPES[kind]):
        raise Unfit("a value has the wrong type")
    known = options(field.get("items", {}) if kind == "array" else field)
    if known is not None and not all(it in known for it in (value if kind == "array" else [value])):
        raise Unfit("a value is not an option")
    if kind == "boolean":
        return
    size, low, high = value, "minimum", "maximum"
    if kind == "string":
        size, low, high = len(value), "minLength", "maxLength"
        if has("utf-16-lengths"):
            size = len(value.encode("utf-16-le", "surrogatepass")) // 2
    elif kind == "array":
        size, low, high = len(value), "minItems", "maxItems"
    if not field.get(low, size) <= size <= field.get(high, size):
        raise Unfit("a value is out of range")


def changed(schema, content, has):
    """The content as it is sent: the answer, unless a fault changes it."""
    if has("masks-texts"):
        content = {name: "***" if isinstance(it, str) else it for name, it in content.items()}
    if has("numbers-as-texts"):
        is_number = lambda it: isinstance(it, (bool, int, float))
        content = {name: str(it) if is_number(it) else it for name, it in content.items()}
    if has("adds-defaults"):
        content = {name: content.get(name) for name in schema.get("properties", {})}
    return content
