from grpc import Channel
from grpc.aio import Server
from grpc_health.v1.health.aio import HealthServicer
from grpc_health.v1.health_pb2 import HealthCheckRequest, HealthCheckResponse

class HealthStub:
    def __init__(self, channel: Channel) -> None: ...
    def Check(self, request: HealthCheckRequest, timeout: float | None = None) -> HealthCheckResponse: ...

def add_HealthServicer_to_server(servicer: HealthServicer, server: Server) -> None: ...
