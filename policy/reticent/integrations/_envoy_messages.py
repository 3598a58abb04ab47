"""The messages of Envoy's external processing protocol, as far as they are read and written here.

Fields and numbers are those of Envoy's public API, version 3:
https://www.envoyproxy.io/docs/envoy/latest/api-v3/service/ext_proc/v3/external_processor.proto (read 2026-11-29).
Only numbers and kinds travel, so the names of types are ours, and a field that is not listed is skipped, as protobuf
has it. The packages on PyPI that hold Envoy's generated messages overwrite files of other packages.
"""

from __future__ import annotations

from typing import Any, Final

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

__all__ = ["FULL_DUPLEX_STREAMED", "METHOD", "OVERWRITE", "SERVICE", "ProcessingRequest", "ProcessingResponse"]

SERVICE: Final = "envoy.service.ext_proc.v3.ExternalProcessor"
METHOD: Final = "Process"

FULL_DUPLEX_STREAMED: Final = 4
"""``ProcessingMode.BodySendMode``: chunks come as they arrive, and go back at our own pace."""
OVERWRITE: Final = 2
"""``HeaderValueOption.HeaderAppendAction``: the header has one value afterwards."""

_PACKAGE: Final = "reticent.envoy"
_REPEATED: Final = "*"

# Message: {field: (number, kind)}; a kind is a scalar or another message, and `*` in front makes it a list.
# Enums travel as int32.
_FIELDS: Final[dict[str, dict[str, tuple[int, str]]]] = {
    "HeaderValue": {"key": (1, "string"), "value": (2, "string"), "raw_value": (3, "bytes")},
    "HeaderMap": {"headers": (1, "*HeaderValue")},
    "HeaderValueOption": {"header": (1, "HeaderValue"), "append_action": (3, "int32")},
    "HeaderMutation": {"set_headers": (1, "*HeaderValueOption"), "remove_headers": (2, "*string")},
    "HttpHeaders": {"headers": (1, "HeaderMap"), "end_of_stream": (3, "bool")},
    "HttpBody": {"body": (1, "bytes"), "end_of_stream": (2, "bool")},
    "HttpTrailers": {"trailers": (1, "HeaderMap")},
    "ProtocolConfiguration": {"request_body_mode": (1, "int32"), "response_body_mode": (2, "int32")},
    "ProcessingRequest": {
        "request_headers": (2, "HttpHeaders"),
        "response_headers": (3, "HttpHeaders"),
        "request_body": (4, "HttpBody"),
        "response_body": (5, "HttpBody"),
        "request_trailers": (6, "HttpTrailers"),
        "response_trailers": (7, "HttpTrailers"),
        "observability_mode": (10, "bool"),
        "protocol_config": (11, "ProtocolConfiguration"),
    },
    "StreamedBodyResponse": {"body": (1, "bytes"), "end_of_stream": (2, "bool")},
    "BodyMutation": {"streamed_response": (3, "StreamedBodyResponse")},
    "CommonResponse": {"header_mutation": (2, "HeaderMutation"), "body_mutation": (3, "BodyMutation")},
    "HeadersResponse": {"response": (1, "CommonResponse")},
    "BodyResponse": {"response": (1, "CommonResponse")},
    "TrailersResponse": {"header_mutation": (1, "HeaderMutation")},
    "HttpStatus": {"code": (1, "int32")},
    "ImmediateResponse": {
        "status": (1, "HttpStatus"),
        "headers": (2, "HeaderMutation"),
        "body": (3, "bytes"),
        "details": (5, "string"),
    },
    "ProcessingResponse": {
        "request_headers": (1, "HeadersResponse"),
        "response_headers": (2, "HeadersResponse"),
        "request_body": (3, "BodyResponse"),
        "response_body": (4, "BodyResponse"),
        "request_trailers": (5, "TrailersResponse"),
        "response_trailers": (6, "TrailersResponse"),
        "immediate_response": (7, "ImmediateResponse"),
    },
}


def _built() -> dict[str, Any]:
    file: Any = descriptor_pb2.FileDescriptorProto(name=f"{_PACKAGE}.proto", package=_PACKAGE, syntax="proto3")
    for name, fields in _FIELDS.items():
        message = file.message_type.add(name=name)
        for field, (number, kind) in fields.items():
            _add_field(message.field.add(name=field, number=number), kind)
    pool: Any = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return {name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{_PACKAGE}.{name}")) for name in _FIELDS}


def _add_field(field: Any, kind: str) -> None:
    of: Any = descriptor_pb2.FieldDescriptorProto
    field.label = of.LABEL_REPEATED if kind.startswith(_REPEATED) else of.LABEL_OPTIONAL
    kind = kind.removeprefix(_REPEATED)
    if kind in _FIELDS:
        field.type, field.type_name = of.TYPE_MESSAGE, f".{_PACKAGE}.{kind}"
    else:
        field.type = of.Type.Value(f"TYPE_{kind.upper()}")


_MESSAGES: Final = _built()

ProcessingRequest: Final[Any] = _MESSAGES["ProcessingRequest"]
"""What Envoy sends."""
ProcessingResponse: Final[Any] = _MESSAGES["ProcessingResponse"]
"""What Envoy gets."""
