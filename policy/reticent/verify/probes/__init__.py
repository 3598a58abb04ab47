"""The probes that ship, one module for each thing they look at; ``reticent.verify.probing.SHIPPED`` lists them."""
