"""The HTTP service over the library: an application that is deployed, not a package that is imported.

Start it with ``uvicorn reticent_service.app:create_app --factory`` or ``reticent serve``.
"""
