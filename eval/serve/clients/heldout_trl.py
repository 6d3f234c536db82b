"""Environment factory for TRL's GRPOTrainer over a heldout server.

Protocol: OpenEnv WebSocket frames, openenv-core 0.2 or newer. Needs: pip install trl openenv

    heldout serve pddl
    data = Dataset.from_list([{"prompt": [{"role": "user", "content": INSTRUCTIONS}], "seed": n} for n in range(60)])
    GRPOTrainer(MODEL, train_dataset=data, environment_factory=HeldoutEnv, args=...)

Set HELDOUT_URL to the mount, for example http://127.0.0.1:8000/openenv/pddl.
"""

import os

from openenv import GenericEnvClient

INSTRUCTIONS = "Solve the task. Call the tool `act` with one action at a time."
RESET = ("task_id", "split", "index", "seed", "max_steps")


class HeldoutEnv:
    """One rollout. Columns of the data set with these names choose the task: task_id, split, index, seed, max_steps."""

    def __init__(self):
        client = GenericEnvClient(base_url=os.environ.get("HELDOUT_URL", "http://127.0.0.1:8000"))
        self._client = client.sync() if hasattr(client, "sync") else client
        self._done, self._reward = False, 0.0

    def reset(self, **row) -> str:
        self._done, self._reward = False, 0.0
        first = self._client.reset(**{key: row[key] for key in RESET if row.get(key) is not None}).observation
        return f"\n\nGoal: {first['goal']}\n{first['text']}" if first.get("goal") else "\n\n" + first["text"]

    def act(self, action: str) -> str:
        """
        Carries out one action in the environment.

        Args:
            action: The action as text.

        Returns:
            What happens.
        """
        if self._done:
            return "The episode is over."
        result = self._client.step({"message": action})
        self._done, self._reward = result.done, self._reward + float(result.reward)
        return result.observation["text"]

    def get_reward(self) -> float:
        """Returns the sum of the rewards of the rollout."""
        return self._reward
