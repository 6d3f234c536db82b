"""The flags of the binary as keywords, and names of tables and figures.

Written by `go test ./cmd/heldout -run PythonTypes -update`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Literal, TypedDict

TableName = Literal[
    "headline",
    "verdict",
    "paper",
    "paper-robustness",
    "paper-best-of",
    "presets",
    "presets-published",
    "indices",
    "dose",
    "families",
    "old-forms",
    "results",
    "difficulty",
    "abilities",
    "trainings",
    "trainings-paired",
    "robustness",
    "change",
    "pass-at-k",
    "best-of-paired",
    "trials",
    "trials-cost",
    "trials-paired",
    "refinement",
    "refinement-measures",
    "refinement-paired",
    "kinds",
    "rates",
    "tasks",
    "seeds",
    "steps",
    "cost",
    "usage",
    "endings",
    "lost-steps",
    "notes",
    "all",
    "every",
]
FigureName = Literal[
    "rates",
    "differences",
    "tasks",
    "progress",
    "success",
    "pass-at-k",
    "robustness",
    "dose",
    "families",
    "abilities",
    "checkpoints",
]

# Earlier names of keywords, which still work.
RENAMED = {
    "name": "names",
    "max_steps": "step_limit",
    "task": "tasks",
}


class RunOptions(TypedDict, total=False):
    """Keywords of `evaluate`: flags of `heldout run`."""

    accept_changed_model: bool
    """Continue a run although another model, or version of an agent, has the name of the one with recorded
    results; tables then say so."""
    api_key_env: str
    """Environment variable with the server's API key; the default is OPENAI_API_KEY for OpenAI's own address."""
    header: str | Sequence[str]
    """Header of every request, NAME=ENV, with its value from the environment variable ENV, such as
    X-Api-Key=MY_KEY; a list for several."""
    context: int
    """Context length in tokens; 0 uses the server's (Ollama: at most 8192)."""
    extra_body: Mapping[str, object] | str
    """More fields of the request body as a JSON object, such as {"top_k":20}; null removes a field."""
    timeout: str
    """Time limit of a request. Default: 5m0s."""
    concurrency: int | Literal["auto"]
    """Number of episodes in flight; auto raises it while the rate of model calls grows. Default: 8."""
    names: Mapping[str, str] | str | Sequence[str]
    """What a model, or the model of a run directory, is called in tables and figures: SPEC=TEXT or FOLDER=TEXT,
    such as vllm:ckpt-1000=tuned or runs/a=tuned; a list for several; or a mapping."""
    data: str | os.PathLike[str]
    """Folder with the official task data (or HELDOUT_DATA, or the folder of heldout data pull); "" uses
    generated tasks."""
    tasks: str | Sequence[str]
    """Use only these tasks: names with * and ? (case counts), types, 0-based numbers and ranges, tasks outside
    the benchmark such as babyai's 1/10000, or @FILE with a name per line; separated by commas."""
    limit: int
    """Use only N tasks of each environment, balanced over types and difficulties; more tasks contain fewer; 0
    uses all."""
    step_limit: int
    """Step limit of an episode; 0 uses the environment's own, mostly 30."""
    trials: int
    """Play a task again after a failure, up to N trials (Reflexion; see heldout help agents). Default: 1."""
    budget_usd: float
    """Start no episode once the run will have cost this many dollars at `set` prices; 0 is off."""
    allow_unusable: bool
    """Continue if fewer than 5 of a model's first 100 replies are usable, and count them as failures; otherwise
    the run stops, or sets that model aside."""
    episode_timeout: str
    """Time limit of an episode of an agent of yours, whose outcome is then agent_error; 0 sets no limit."""
    perturb: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]
    """Perturbations, separated by commas: P1 to P5, FAMILY:GRADE such as verbs:2, random:SEED:K, or YAML files;
    the default of a sweep is P1 to P5; heldout run takes random:SEED:K for baselines and draws it for each task
    anew."""
    temperature: float
    """Sampling temperature; 0 is greedy."""
    max_tokens: int
    """Length limit of a reply in tokens; 0 uses the agent's own: react 512, act 100."""
    agent: Literal["react", "act"]
    """Agent of a served model: react (thought, then action) or act (AgentBoard's act-only agent); or
    exec:COMMAND, a program of yours that plays itself (heldout help own-agent). Default: react."""
    prompt: str | os.PathLike[str]
    """Prompt file (YAML, or AgentBoard's JSON), or a version of the built-in prompts: v2, v3, v1; the default is
    the first."""
    completions: bool
    """Use plain text completion (/v1/completions) for base models without a chat template; needs `agent` react."""
    preset: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]
    """Evaluation protocols, separated by commas: NAME, NAME:PART or a YAML file; heldout presets lists them."""
    originals: str | os.PathLike[str]
    """Folder with the original prompt and task files that presets read; the default is what heldout preset pull
    fetched."""
    queue: str
    """Have the episodes played by heldout worker: nats://HOST:4222, a NATS server with JetStream, or embedded, a
    server inside this process."""
    config: str | os.PathLike[str]
    """YAML file whose keys are the names of these flags; flags override it."""
    log: str | Sequence[str]
    """Where results go as well: wandb:PROJECT, mlflow:EXPERIMENT, mlflow:URI, or tensorboard:DIR for event
    files; a list for several."""
    budget_time: str
    """Start no episode that may not finish within this time, such as 8h; 0 is off."""
    budget_tokens: int
    """Start no episode once prompts and replies, also in earlier sessions, will have taken this many tokens; the
    same command with more resumes; 0 is off."""
    events: str | os.PathLike[str]
    """File or pipe that gets a line of JSON for every finished episode, and the tables at the end."""
    generator_seed: int | str
    """Seed of generated tasks, or a range such as 1-100, whose tasks are one environment."""
    give_up_after: str
    """Set a model aside if no server of it answers for that long, and end the run if it is the only one; until
    then it waits; 0 waits for ever. Default: 30m0s."""
    held_in: Mapping[str, str | Sequence[str]] | str | Sequence[str]
    """Environments whose data a model was trained on, such as vllm:tuned=alfworld,babyai; a list for several
    models; or a mapping."""
    history_share: int
    """Percentage of the turns that stays when the context is full, such as 50, so that the server's prompt cache
    lasts for many steps; 0 leaves out as few as possible."""
    log_step: int
    """With `log` tensorboard:DIR: step of all points; the default is the N of names that end in checkpoint-N,
    ckpt-N or step-N."""
    memory: int
    """With `trials`: number of the model's own reflections in the prompt, the newest; 0 retries without any.
    Default: 3."""
    no_system_role: bool
    """Put the system message into the first user message, for chat templates without a system role."""
    order: str
    """Sequential plays one task after the other, seed by seed: for an agent of yours that remembers earlier
    tasks."""
    prices: Mapping[str, str] | str | Sequence[str]
    """What a model costs in dollars per million tokens, SPEC=INPUT/OUTPUT or SPEC=INPUT/CACHED/OUTPUT, such as
    openai:NAME=2.5/0.25/10; a list for several; or a mapping."""
    queue_ack_wait: str
    """How long a worker may be silent before its episodes go to others. Default: 1m0s."""
    queue_ca: str
    """PEM file with the certificate authority of `queue`, for TLS."""
    queue_cert: str
    """PEM file with this process's certificate for `queue`."""
    queue_creds: str
    """File with the credentials for `queue`, as NATS writes them."""
    queue_key: str
    """PEM file with the key of `queue_cert`."""
    queue_listen: str
    """Address at which `queue` embedded listens; give :4222 for workers on other machines. Default:
    127.0.0.1:4222."""
    queue_login_env: str
    """Environment variable with USER:PASSWORD, or a token, for `queue`."""
    queue_open: bool
    """Let everybody who reaches `queue_listen` read and change the run."""
    queue_wait: str
    """How long to wait at the start for the server of `queue` and, in a worker, for its run. Default: 30s."""
    reflection_prompt: str | os.PathLike[str]
    """With `trials`: YAML file with another prompt for reflections, or a version of the built-in one: v1, v2;
    the default is the first."""
    reflection_tokens: int
    """With `trials`: length limit of a reflection in tokens. Default: 256."""
    retries: int
    """Number of retries of a failed request. Default: 7."""
    rpm: int
    """Requests per minute that each server address allows, so that it refuses none; 0 sets no limit."""
    same_action: int
    """With `trials`: end a trial after the same action N times in a row; 0 is off."""
    same_step: int
    """With `trials`: end a trial after the same action with the same observation N times in a row; 0 is off."""
    same_weights: bool
    """Servers that loaded a model from different folders have the same weights, as copies on each node do; the
    record then lists the folders."""
    shard: str
    """Play part I of N of the plan, written I/N, in a directory of its own inside the run directory; auto in a
    Slurm array, auto/N in an indexed Kubernetes job."""
    stop: str | Sequence[str]
    """Stop string; a list for several; an empty one means none; the default for react is "\\nObservation:"."""
    top_p: float
    """Nucleus sampling; 1 is off. Default: 1."""
    tpm: int
    """Tokens per minute, of prompts and replies, that each server address allows; 0 sets no limit."""
    wait_for_servers: str
    """Wait at the start for that long, such as 10m, while no server of a model is there or ready: vLLM takes
    minutes to load one; 0 does not wait."""
    variant: Literal[
        "agentboard",
        "agentgym",
        "alfworld",
        "jericho",
        "scienceworld",
        "scienceworld-1.2.3",
    ]
    """alfworld: AgentBoard's layer with sub-goals, or the games' own texts without; babyai: whose text layer:
    AgentBoard's with sub-goals, or AgentGym's without; jericho: AgentBoard's layer with sub-goals, or Jericho's
    own texts and scores; sciworld: AgentBoard's 90 tasks, or all of ScienceWorld with its own score
    (scienceworld-1.2.3: as that version), or AgentGym's tasks of it."""
    split: Literal[
        "all",
        "dev",
        "test",
        "train",
        "valid_seen",
        "valid_train",
        "valid_unseen",
    ]
    """alfworld: set of official games; sciworld: split of the variants scienceworld and scienceworld-1.2.3."""
    dialect: Literal["file", "v1", "v2"]
    """alfworld: dialect of the games: v1 is the one of published numbers, file takes each game file's own."""
    step_limit_reward: bool
    """alfworld: count the engine's limit of 50 commands as progress 1, as the reference does."""
    expert_knows: Literal["all", "shown"]
    """alfworld: what the expert knows: all, or only what was shown, so that it searches."""
    questions: str | os.PathLike[str]
    """hotpotqa: question file: a path, or a name in the hotpotqa folder of `data`."""
    sample: str
    """hotpotqa: which questions: all, seed:N or seed:N:COUNT."""
    wiki: Literal["live", "offline", "recorded"]
    """hotpotqa: source of pages; built-in questions have their own."""
    wiki_flow: Literal["html", "json"]
    """hotpotqa: how to ask Wikipedia: its API, or the HTML pages that the reference reads."""
    wiki_url: str
    """hotpotqa: script path of the Wikipedia."""
    wiki_contact: str
    """hotpotqa: your mail address or page; Wikipedia asks heavy readers to name themselves."""
    wiki_cache: str | os.PathLike[str]
    """hotpotqa: folder that keeps pages from Wikipedia, and has the recorded ones."""
    wiki_index: str | os.PathLike[str]
    """hotpotqa: folder of an index made by heldout wiki build, for `wiki` offline."""
    game_seed: int
    """jericho: seed of the games' random numbers in the variant jericho."""
    jericho_bindings: str | os.PathLike[str]
    """jericho: file with Jericho's templates of commands and walkthroughs: its game_info.py, or JSON."""
    huntdark: Literal["fixed", "upstream"]
    """jericho: opening texts of the game huntdark: upstream has none, as in the benchmark."""
    simplifications: str
    """sciworld: names separated by commas: easy, noElectricalAction, openContainers, openDoors,
    selfWateringFlowerPots, teleportAction, none."""
    simulator_limit: int
    """sciworld: moves after which the variants but agentboard end an episode."""
    env_processes: int
    """exec: number of processes of the program."""
    env_timeout: str
    """exec: how long an answer may take; after that, the episode ends without a result; agentgym: how long a
    server may take to answer; openenv: how long an answer may take; after that, the episode ends without a
    result."""
    success_threshold: float | str
    """exec: least progress of a success, for an environment that does not say what is solved; openenv: least
    progress of a success, for an environment that does not say what is solved."""
    agentgym_env: Literal["auto", "babyai", "maze", "textcraft", "webshop", "wordle"]
    """agentgym: environment of an AgentGym server; auto is what its greeting says."""
    agentgym_tasks: str
    """agentgym: indices of the tasks of an AgentGym server, such as 0-99."""
    agentgym_version: str
    """agentgym: version of an AgentGym server, which does not say it, such as a commit."""
    openenv_action: str
    """openenv: field of OpenEnv's actions that takes the text, or an action in JSON with the text "{action}"."""
    openenv_observation: str
    """openenv: fields of OpenEnv's observations that are shown, such as prompt,messages.-1.content or
    state.board."""
    openenv_success: str
    """openenv: field of OpenEnv's observations that says whether the task is solved."""
    openenv_progress: str
    """openenv: field of OpenEnv's observations with a progress from 0 to 1."""
    openenv_return: str
    """openenv: least and largest sum of OpenEnv's rewards, such as 0:1, between which progress is measured."""
    openenv_tasks: str
    """openenv: OpenEnv's tasks: seeds such as 0-9, or a split that the server lists."""
    openenv_reset: str
    """openenv: further arguments of OpenEnv's reset, such as size=10&variant=easy; values may be JSON."""
    openenv_token_file: str | os.PathLike[str]
    """openenv: file with the token for OpenEnv's server."""


class SweepOptions(RunOptions, total=False):
    """Keywords of `sweep`: flags of `heldout sweep`."""

    suite: str
    """"robust" for every family of perturbations of every `env`, alone and combined, instead of `perturb`."""
    grades: str | Sequence[str]
    """Grades of `suite`, from 1 for synonyms to 3 for invented words, separated by commas; the default is 2."""
    ind: str
    """"none" if the models never saw data of the environment; P5 is then the unperturbed result."""
    no_ind_base_url: str | Sequence[str]
    """Server address of `set` no-ind-model; the default is `base_url`."""
    no_ind_model: str | Sequence[str]
    """Model trained without data of the environment, for P5; repeat it, one for each served `model` in their
    order."""


class PoolOptions(TypedDict, total=False):
    """Keywords of `Pool`, `make` and `make_vec`: flags of `heldout serve`."""

    data: str | os.PathLike[str]
    """Folder with the official task data (or HELDOUT_DATA, or the folder of heldout data pull); "" uses
    generated tasks."""
    actions: bool
    """List the valid actions with every observation."""
    idle: str
    """End a session without a request for that long. Default: 30m0s."""
    max_sessions: int
    """Largest number of open sessions. Default: 4096."""
    name: str
    """With `record`: who plays, such as my-agent-v2; the default is the name of the folder, and a recording goes
    on only with the same player."""
    record: str | os.PathLike[str]
    """Folder for the episodes: a run directory for each mount and split."""
    reward: Literal["success", "progress", "delta"]
    """Reward of a step: success (1 when the task is solved), progress, or delta (change of progress). Default:
    success."""
    accept_changed_model: bool
    """Go on with a recording although `set` player says another version or source; tables then say so."""
    generator_seed: int | str
    """Seed of generated tasks, or a range such as 1-100, whose tasks are one environment."""
    tasks: str | Sequence[str]
    """Use only these tasks: names with * and ? (case counts), types, 0-based numbers and ranges, tasks outside
    the benchmark such as babyai's 1/10000, or @FILE with a name per line; separated by commas."""
    step_limit: int
    """Step limit of an episode; 0 uses the environment's own, mostly 30."""
    perturb: str | os.PathLike[str]
    """Serve under a perturbation: P1 to P4, or a YAML file."""
    invalid_penalty: float
    """Take this off the reward of a step without a valid action."""
    max_memory: str
    """Refuse sessions and forks before the process takes more, such as 4GB or 800MB; the default sets no limit."""
    step_cost: float
    """Take this off the reward of every step."""
    variant: Literal[
        "agentboard",
        "agentgym",
        "alfworld",
        "jericho",
        "scienceworld",
        "scienceworld-1.2.3",
    ]
    """alfworld: AgentBoard's layer with sub-goals, or the games' own texts without; babyai: whose text layer:
    AgentBoard's with sub-goals, or AgentGym's without; jericho: AgentBoard's layer with sub-goals, or Jericho's
    own texts and scores; sciworld: AgentBoard's 90 tasks, or all of ScienceWorld with its own score
    (scienceworld-1.2.3: as that version), or AgentGym's tasks of it."""
    split: Literal[
        "all",
        "dev",
        "test",
        "train",
        "valid_seen",
        "valid_train",
        "valid_unseen",
    ]
    """alfworld: set of official games; sciworld: split of the variants scienceworld and scienceworld-1.2.3."""
    dialect: Literal["file", "v1", "v2"]
    """alfworld: dialect of the games: v1 is the one of published numbers, file takes each game file's own."""
    step_limit_reward: bool
    """alfworld: count the engine's limit of 50 commands as progress 1, as the reference does."""
    expert_knows: Literal["all", "shown"]
    """alfworld: what the expert knows: all, or only what was shown, so that it searches."""
    questions: str | os.PathLike[str]
    """hotpotqa: question file: a path, or a name in the hotpotqa folder of `data`."""
    sample: str
    """hotpotqa: which questions: all, seed:N or seed:N:COUNT."""
    wiki: Literal["live", "offline", "recorded"]
    """hotpotqa: source of pages; built-in questions have their own."""
    wiki_flow: Literal["html", "json"]
    """hotpotqa: how to ask Wikipedia: its API, or the HTML pages that the reference reads."""
    wiki_url: str
    """hotpotqa: script path of the Wikipedia."""
    wiki_contact: str
    """hotpotqa: your mail address or page; Wikipedia asks heavy readers to name themselves."""
    wiki_cache: str | os.PathLike[str]
    """hotpotqa: folder that keeps pages from Wikipedia, and has the recorded ones."""
    wiki_index: str | os.PathLike[str]
    """hotpotqa: folder of an index made by heldout wiki build, for `wiki` offline."""
    game_seed: int
    """jericho: seed of the games' random numbers in the variant jericho."""
    jericho_bindings: str | os.PathLike[str]
    """jericho: file with Jericho's templates of commands and walkthroughs: its game_info.py, or JSON."""
    huntdark: Literal["fixed", "upstream"]
    """jericho: opening texts of the game huntdark: upstream has none, as in the benchmark."""
    simplifications: str
    """sciworld: names separated by commas: easy, noElectricalAction, openContainers, openDoors,
    selfWateringFlowerPots, teleportAction, none."""
    simulator_limit: int
    """sciworld: moves after which the variants but agentboard end an episode."""
    env_processes: int
    """exec: number of processes of the program."""
    env_timeout: str
    """exec: how long an answer may take; after that, the episode ends without a result; agentgym: how long a
    server may take to answer; openenv: how long an answer may take; after that, the episode ends without a
    result."""
    success_threshold: float | str
    """exec: least progress of a success, for an environment that does not say what is solved; openenv: least
    progress of a success, for an environment that does not say what is solved."""
    agentgym_env: Literal["auto", "babyai", "maze", "textcraft", "webshop", "wordle"]
    """agentgym: environment of an AgentGym server; auto is what its greeting says."""
    agentgym_tasks: str
    """agentgym: indices of the tasks of an AgentGym server, such as 0-99."""
    agentgym_version: str
    """agentgym: version of an AgentGym server, which does not say it, such as a commit."""
    openenv_action: str
    """openenv: field of OpenEnv's actions that takes the text, or an action in JSON with the text "{action}"."""
    openenv_observation: str
    """openenv: fields of OpenEnv's observations that are shown, such as prompt,messages.-1.content or
    state.board."""
    openenv_success: str
    """openenv: field of OpenEnv's observations that says whether the task is solved."""
    openenv_progress: str
    """openenv: field of OpenEnv's observations with a progress from 0 to 1."""
    openenv_return: str
    """openenv: least and largest sum of OpenEnv's rewards, such as 0:1, between which progress is measured."""
    openenv_tasks: str
    """openenv: OpenEnv's tasks: seeds such as 0-9, or a split that the server lists."""
    openenv_reset: str
    """openenv: further arguments of OpenEnv's reset, such as size=10&variant=easy; values may be JSON."""
    openenv_token_file: str | os.PathLike[str]
    """openenv: file with the token for OpenEnv's server."""
    version: str
    """With `record`: what you call this version of who plays; without it, the source of the code decides."""
    sampling: Mapping[str, object]
    """With `record`: how who plays samples replies, such as {"temperature": 0.7}."""


class CompareOptions(TypedDict, total=False):
    """Keywords of `Records.tables`: flags of `heldout compare`."""

    names: Mapping[str, str] | str | Sequence[str]
    """What a model, or the model of a run directory, is called in tables and figures: SPEC=TEXT or FOLDER=TEXT,
    such as vllm:ckpt-1000=tuned or runs/a=tuned; a list for several; or a mapping."""
    model: str | Sequence[str]
    """Read only these models."""
    preset: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]
    """Read only these presets; "none" for episodes without one."""
    env: str | Sequence[str]
    """Read only these environments; * and ? stand for characters."""
    tasks: str | Sequence[str]
    """Read only these tasks: names, types, 0-based numbers or ranges."""
    seeds: int | str | Sequence[int]
    """Read only these seeds: a range 0-9, a list 1,5, or a number: 10 means 0-9."""
    baseline: str | Sequence[str]
    """Published results to show as well, as NAME, NAME:TABLE or a YAML file; names are agentrefine, agentboard,
    …; presets are settings of presets that the run changed."""
    columns: str | Sequence[str]
    """Columns of the tables paper (the default of this flag) and kinds: SR (success rate), PR (progress rate),
    GA (grounding accuracy), steps (mean steps (turns) of an episode), solved-steps (mean steps of a solved
    episode), tokens-in (mean prompt tokens of an episode), tokens-out (mean tokens of an episode's replies)."""
    interval: Literal["tasks", "kinds", "new-kinds"]
    """Population of 95% intervals and tests: tasks (these tasks, decoded again), kinds (new tasks of these
    kinds), new-kinds (new kinds of tasks; too narrow at low rates if a few kinds are far easier: help
    statistics). Default: kinds."""
    margin: float
    """Differences of at most so many points count as none, where the intervals show it."""
    rate: Literal["SR", "PR", "GA"]
    """Rate of the first table: SR (success), PR (progress) or GA (grounding). Default: SR."""
    reference: str
    """Model that all others are compared with, by its name in tables or its run; the default is all pairs, or
    the first of two runs."""
    mixed: bool
    """Print runs of different protocols in one table; their numbers do not compare."""
    held_in: Mapping[str, str | Sequence[str]] | str | Sequence[str]
    """Environments whose data a model was trained on, such as vllm:tuned=alfworld,babyai; a list for several
    models; or a mapping."""
    intervals: bool
    """Add 95% intervals to the tables paper, paper-best-of and kinds."""
    prices: Mapping[str, str] | str | Sequence[str]
    """What a model costs in dollars per million tokens, SPEC=INPUT/OUTPUT or SPEC=INPUT/CACHED/OUTPUT, such as
    openai:NAME=2.5/0.25/10; a list for several; or a mapping."""
    thoughts: str | os.PathLike[str]
    """Text file with a thought per line to compare thoughts with, such as training data."""
    weights: str | os.PathLike[str]
    """YAML file with other weights of the held-out score, in the form of configs/weights.yaml."""


class PlotOptions(TypedDict, total=False):
    """Keywords of `Records.figure`: flags of `heldout plot`."""

    names: Mapping[str, str] | str | Sequence[str]
    """What a model, or the model of a run directory, is called in tables and figures: SPEC=TEXT or FOLDER=TEXT,
    such as vllm:ckpt-1000=tuned or runs/a=tuned; a list for several; or a mapping."""
    baseline: str | Sequence[str]
    """Published results to show as well, as NAME, NAME:TABLE or a YAML file; names are agentrefine, agentboard,
    …; presets are settings of presets that the run changed."""
    interval: Literal["tasks", "kinds", "new-kinds"]
    """Population of 95% intervals and tests: tasks (these tasks, decoded again), kinds (new tasks of these
    kinds), new-kinds (new kinds of tasks; too narrow at low rates if a few kinds are far easier: help
    statistics). Default: kinds."""
    reference: str
    """Model that all others are compared with, by its name in tables or its run; the default is all pairs, or
    the first of two runs."""
    env: str | Sequence[str]
    """Only these environments, separated by commas."""
    order: str | Sequence[str]
    """Checkpoints of one model in order: names of models or run directories, or "given" for all served models in
    the order of the directories."""
    held_in: Mapping[str, str | Sequence[str]] | str | Sequence[str]
    """Environments whose data a model was trained on, such as vllm:tuned=alfworld,babyai; a list for several
    models; or a mapping."""
    thoughts: str | os.PathLike[str]
    """Text file with a thought per line to compare thoughts with, such as training data."""
    weights: str | os.PathLike[str]
    """YAML file with other weights of the held-out score, in the form of configs/weights.yaml."""


class ReportOptions(TypedDict, total=False):
    """Keywords of `Records.report`: flags of `heldout report`."""

    names: Mapping[str, str] | str | Sequence[str]
    """What a model, or the model of a run directory, is called in tables and figures: SPEC=TEXT or FOLDER=TEXT,
    such as vllm:ckpt-1000=tuned or runs/a=tuned; a list for several; or a mapping."""
    model: str | Sequence[str]
    """Read only these models."""
    preset: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]
    """Read only these presets; "none" for episodes without one."""
    env: str | Sequence[str]
    """Read only these environments; * and ? stand for characters."""
    tasks: str | Sequence[str]
    """Read only these tasks: names, types, 0-based numbers or ranges."""
    seeds: int | str | Sequence[int]
    """Read only these seeds: a range 0-9, a list 1,5, or a number: 10 means 0-9."""
    baseline: str | Sequence[str]
    """Published results to show as well, as NAME, NAME:TABLE or a YAML file; names are agentrefine, agentboard,
    …; presets are settings of presets that the run changed."""
    interval: Literal["tasks", "kinds", "new-kinds"]
    """Population of 95% intervals and tests: tasks (these tasks, decoded again), kinds (new tasks of these
    kinds), new-kinds (new kinds of tasks; too narrow at low rates if a few kinds are far easier: help
    statistics). Default: kinds."""
    reference: str
    """Model that all others are compared with, by its name in tables or its run; the default is all pairs, or
    the first of two runs."""
    order: str | Sequence[str]
    """Checkpoints of one model in order: names of models or run directories, or "given" for all served models in
    the order of the directories."""
    held_in: Mapping[str, str | Sequence[str]] | str | Sequence[str]
    """Environments whose data a model was trained on, such as vllm:tuned=alfworld,babyai; a list for several
    models; or a mapping."""
    prices: Mapping[str, str] | str | Sequence[str]
    """What a model costs in dollars per million tokens, SPEC=INPUT/OUTPUT or SPEC=INPUT/CACHED/OUTPUT, such as
    openai:NAME=2.5/0.25/10; a list for several; or a mapping."""
    thoughts: str | os.PathLike[str]
    """Text file with a thought per line to compare thoughts with, such as training data."""
    weights: str | os.PathLike[str]
    """YAML file with other weights of the held-out score, in the form of configs/weights.yaml."""


# Keywords whose flags are repeated for a list; others take it with commas.
REPEATED = {
    "base_url",
    "header",
    "held_in",
    "log",
    "model",
    "names",
    "no_ind_base_url",
    "no_ind_model",
    "player",
    "prices",
    "set",
    "stop",
}
