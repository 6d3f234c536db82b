"""Results for the card of a model, read by the Hub's own classes."""

import pytest

import heldout

hub = pytest.importorskip("huggingface_hub", reason="pip install huggingface_hub")


def test_model_card(run):
    text = heldout.cli("compare", run, "--format=model-card", "--model=random").stdout
    card = hub.ModelCard(text)
    rates = {result.metric_type: result for result in card.data.eval_results}
    found = heldout.read(run).metrics("", model="random")
    for name, rate in (("success_rate", "success"), ("progress_rate", "progress")):
        result = rates[name]
        assert (card.data.model_name, result.task_type) == ("random", "text-generation")
        assert (result.dataset_type, result.dataset_name, result.dataset_args["tasks"]) == ("heldout/pddl", "PDDL", 20)
        assert result.metric_value == pytest.approx(100 * found[f"pddl/{rate}"], abs=0.005)
        for limit in ("low", "high"):
            assert result.metric_args[limit] == pytest.approx(100 * found[f"pddl/{rate}_{limit}"], abs=0.005)
        assert result.metric_args["std_over_seeds"] == pytest.approx(100 * found[f"pddl/{rate}_std"], abs=0.005)
    again = hub.ModelCard(str(card)).data  # what the Hub's classes write says the same
    assert again.eval_results == card.data.eval_results
    assert "## Evaluation\n\nMeasured with heldout " in card.text
