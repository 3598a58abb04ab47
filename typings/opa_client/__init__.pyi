# Types for the few calls of opa-python-client that reticent makes; the package ships none.
