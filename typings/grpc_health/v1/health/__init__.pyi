from grpc_health.v1.health import aio as aio
