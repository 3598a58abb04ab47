# Types for the few calls of opa-python-client 3.0 that reticent makes; the package ships none.
# What OPA answered is left as Any: the adapter checks it.

from collections.abc import Mapping
from typing import Any

from requests import Session

class OpaClient:
    root_url: str
    def __init__(
        self,
        host: str = ...,
        port: int = ...,
        version: str = ...,
        # Handed to requests as `verify`: a string is a file of authorities.
        ssl: bool | str = ...,
        cert: str | tuple[str, str] | None = ...,
        headers: Mapping[str, str] | None = ...,
        token: str | None = ...,
        retries: int = ...,
        timeout: float = ...,
    ) -> None: ...
    def _init_session(self) -> Session: ...
    def close_connection(self) -> None: ...
    def get_policies_list(self) -> list[str]: ...
    def get_policy(self, policy_name: str) -> dict[str, Any]: ...
    def update_policy_from_string(self, new_policy: str, endpoint: str, rego_compat: bool = ...) -> bool: ...
    def query_rule(
        self,
        input_data: Mapping[str, Any],
        package_path: str,
        rule_name: str | None = ...,
        query_params: Mapping[str, bool] | None = ...,
    ) -> Any: ...
