from typing import Any

class Config:
    def __init__(self, **options: Any) -> None: ...
