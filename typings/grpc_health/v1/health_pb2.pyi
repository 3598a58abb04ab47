class HealthCheckRequest:
    def __init__(self, *, service: str = ...) -> None: ...
    def SerializeToString(self) -> bytes: ...

class HealthCheckResponse:
    SERVING: int
    NOT_SERVING: int
    status: int
    @staticmethod
    def FromString(data: bytes) -> HealthCheckResponse: ...
