"""The environment heldout-v1 of verifiers, which looks environments up as top-level modules: `vf-eval heldout-v1`.

See `heldout.verifiers`.
"""

from heldout.verifiers import HeldoutEnv, HeldoutHarness, HeldoutTaskset

__all__ = ["HeldoutEnv", "HeldoutHarness", "HeldoutTaskset"]
