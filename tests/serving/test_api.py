import base64
import json
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from starlette.testclient import TestClient

import regard
from regard.serving import Settings, Shelf, Studio
from regard.serving.operations import OPERATIONS


def post(client: TestClient, path: str, status: int = 200, **body: Any) -> Any:
    answer = client.post(path, json=body)
    assert answer.status_code == status, answer.text
    told = answer.json()
    if status == 200:
        hold_to_shape(path, told)
    return told


def hold_to_shape(path: str, told: Any, method: str = "POST") -> None:
    """Every answer is as /openapi.json describes it."""
    (operation,) = (one for one in OPERATIONS.values() if (one.method, one.path) == (method, path))
    shapes = {shape.__name__: shape for shape in operation.answers}
    kinds = {"worked": "WorkedTold", "numbers": "NumbersTold", "model": "OneQueryTold"}
    name = kinds[told["kind"]] if len(shapes) > 1 else next(iter(shapes))
    for one in told if operation.many else [told]:
        shapes[name].model_validate_json(json.dumps(one), strict=True)


def test_a_text_is_translated_as_the_translator_does(client: TestClient, shelf: Shelf) -> None:
    text = "alpha beta"
    told = post(client, "/translate", q=text, source="en", target="fr")
    assert told == {
        "translatedText": shelf.models["small"].translator.translate([text])[0].text,
        "model": "small",
    }


def test_a_list_is_answered_by_lists_in_order(client: TestClient, shelf: Shelf) -> None:
    texts = ["alpha beta", "", "gamma\ndelta"]
    told = post(client, "/translate", q=texts, source="auto", target="fr", alternatives=2)
    translator = shelf.models[told["model"]].translator
    expected = translator.translate(texts, beam=5, alternatives=2)
    assert told["translatedText"] == [one.text for one in expected]
    assert told["alternatives"] == [[other.text for other in one.alternatives] for one in expected]
    assert len(told["detectedLanguage"]) == 3


def test_a_form_is_as_good_as_json(client: TestClient) -> None:
    form = {"q": "alpha é", "source": "en", "target": "fr", "beam": "2", "details": "true"}
    told = client.post("/translate", data=form)
    assert told.status_code == 200
    assert told.json() == post(client, "/translate", **{**form, "beam": 2, "details": True})


def test_the_words_of_a_translation_spell_it(client: TestClient) -> None:
    for text in (" alpha  beta ", "猫 alpha", "one\ntwo three", ""):
        told = post(client, "/translate", q=text, model="small", details=True)
        (details,) = told["details"]
        assert (
            "".join(word["space"] + word["text"] for word in details["words"]) + details["after"]
            == (told["translatedText"])
        )
        assert (
            "".join(word["space"] + word["text"] for word in details["source_words"])
            + details["source_after"]
            == text
        )


@pytest.mark.parametrize("model", ["small", "spiral"])
def test_the_sources_of_a_word_are_weights(client: TestClient, model: str) -> None:
    (details,) = post(client, "/translate", q="alpha beta", model=model, details=True)["details"]
    seen = [word["sources"] for word in details["words"] if word["sources"] is not None]
    assert all(len(sources) == len(details["source_words"]) for sources in seen)
    assert all(0 <= sum(sources) <= 1 + 1e-5 for sources in seen)


def test_html_keeps_its_tags(client: TestClient) -> None:
    told = post(client, "/translate", q='<p id="a">alpha<br>beta</p>', model="small", format="html")
    assert told["translatedText"].startswith('<p id="a">')
    assert "<br>" in told["translatedText"]
    assert told["translatedText"].endswith("</p>")


def test_a_translation_goes_on_from_a_prefix(client: TestClient) -> None:
    told = post(client, "/translate", q="alpha beta", model="small", prefix="gamma delta")
    assert told["translatedText"].startswith("gamma delta")


def test_a_rivals_prefix_leads_to_its_word(client: TestClient) -> None:
    target = "gamma beta alpha"
    told = post(client, "/rivals", model="small", text="alpha beta", target=target, position=1, count=3)
    assert (told["word"], told["before"]) == ("beta", "gamma")
    assert [rival["chosen"] for rival in told["rivals"]].count(True) == 1
    ranked = [rival["probability"] for rival in told["rivals"] if not rival["chosen"]]
    assert ranked == sorted(ranked, reverse=True)
    for rival in told["rivals"]:
        if rival["word"] != "<end>":
            assert rival["prefix"] == f"gamma {rival['word']}"
            assert rival["text"].startswith(rival["prefix"])
    last = post(client, "/rivals", model="small", text="alpha", target=target, position=3)
    assert last["word"] == "<end>"
    assert "<end>" in {rival["word"] for rival in last["rivals"]}


def weights_of(told: dict[str, Any]) -> np.ndarray[Any, Any]:
    levels = np.frombuffer(base64.b64decode(told["levels"]), "<u2" if told["steps"] == 65535 else "<u1")
    return np.array(told["tops"])[..., None] * levels.reshape(told["shape"]) / told["steps"]


@pytest.mark.parametrize("model", ["small", "spiral"])
@pytest.mark.parametrize("words", [True, False])
def test_the_maps_are_those_of_look(client: TestClient, shelf: Shelf, model: str, words: bool) -> None:
    told = post(client, "/attention", model=model, text="alpha beta", target="beta alpha", words=words)
    maps = shelf.models[model].translator.look("alpha beta", "beta alpha", subwords=not words)
    assert [one["name"] for one in told["maps"]] == list(maps)
    for one in told["maps"]:
        seen = maps[one["name"]]
        assert (one["queries"], one["keys"]) == ([*seen.query_labels], [*seen.key_labels])
        assert np.abs(weights_of(one) - seen.per_head.numpy()).max() <= one["error"] + 1e-7
        assert one["error"] < 1e-4
        assert one["mask"] == ("causal" if one["kind"] == "decoder self" else None)


def test_a_knocked_out_head_is_silent_and_the_translation_is_told_again(
    client: TestClient, shelf: Shelf
) -> None:
    asked = {"model": "small", "text": "alpha beta", "target": "beta alpha"}
    plain = post(client, "/attention", **asked)
    told = post(client, "/attention", **asked, knock_out={"decoder.0.cross": [1]})
    cross = next(one for one in told["maps"] if one["name"] == "decoder.0.cross")
    assert weights_of(cross)[1].max() == 0 < weights_of(cross)[0].max()
    assert plain["knocked_out"] is None
    assert told["translation"] == plain["translation"]
    assert told["knocked_out"]["heads"] == {"decoder.0.cross": [1]}
    assert told["knocked_out"]["target_log_probability"] != told["target_log_probability"]
    model = shelf.models["small"].translator
    with regard.intervene(model.model, {"decoder.0.cross": regard.KnockOut(heads=[1])}):
        assert told["knocked_out"]["text"] == model.translate(["alpha beta"])[0].text


def test_a_picture_and_a_page_are_drawn(client: TestClient) -> None:
    draw = {"as": "svg", "name": "decoder.0.cross", "head": 1, "view": "flow"}
    assert post(client, "/attention", text="alpha", draw=draw)["drawn"].startswith("<svg")
    page = post(client, "/attention", text="alpha", draw={"as": "html", "language": "zh"})["drawn"]
    assert page.startswith("<!doctype html>")


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("small", "encoder.0.self"),
        ("small", "decoder.0.self"),
        ("small", "decoder.0.cross"),
        ("spiral", "decoder.cross"),
    ],
)
def test_the_arithmetic_of_a_query_is_the_models(client: TestClient, model: str, name: str) -> None:
    names = [one["name"] for one in client.get("/models").json()["models"][model == "spiral"]["attentions"]]
    name = name if name in names else names[-1]
    asked = {"model": model, "text": "alpha beta", "target": "beta alpha", "name": name}
    told = post(client, "/explain", **asked, head=0, query=1)
    assert told["error"] < 1e-5
    exponentials = torch.tensor(told["exponentials"])
    torch.testing.assert_close(exponentials / exponentials.sum(), torch.tensor(told["weights"]))
    output = torch.tensor(told["weights"]) @ torch.tensor(told["values"])
    torch.testing.assert_close(output, torch.tensor(told["model_output"]), atol=1e-5, rtol=1e-4)
    assert len(told["key_labels"]) == len(told["weights"])


@pytest.mark.parametrize(
    "extra",
    [
        {},
        {"score": "dot"},
        {"scale": False},
        {"score": "gaussian", "bandwidth": 0.5},
        {"score": "boxcar", "bandwidth": 0.5},
        {"score": "additive"},
        {"score": "additive", "additive": {"queries": [[1, 0, 0, 1]], "keys": [[0, 1, 0, 1]], "vector": [2]}},
        {"score": "uniform", "mask": {"kind": "causal"}},
        {"mask": {"kind": "window", "before": 1, "after": 0}, "heads": 2},
        {"mask": {"kind": "lengths", "counts": [0, 1, 2]}},
        {"mask": {"kind": "keep", "keep": [[True, False, True]] * 3}},
        {"position": {"kind": "sinusoidal"}},
        {"position": {"kind": "rotary"}, "heads": 2},
        {"position": {"kind": "alibi"}, "heads": 2},
        {"position": {"kind": "relative", "reach": 1, "key_table": [[1] * 4, [0] * 4, [2] * 4]}},
    ],
    ids=str,
)
def test_the_steps_of_ones_own_numbers_follow_from_one_another(
    client: TestClient, extra: dict[str, Any]
) -> None:
    x = [[1, 3, 2, 0], [1, 1, 3, 1], [1, 2, 1, 2]]
    told = post(client, "/explain", queries=x, **extra)
    assert told["error"] < 1e-9
    weights, totals = torch.tensor(told["weights"]), torch.tensor(told["totals"])
    heard = totals > 0
    torch.testing.assert_close(weights.sum(-1), heard.to(weights.dtype))
    torch.testing.assert_close(
        weights[heard], (torch.tensor(told["exponentials"])[heard] / totals[heard, None])
    )
    heads, queries, width = torch.tensor(told["outputs"]).shape
    assert torch.tensor(told["output"]).shape == (queries, heads * width)


def test_a_temperature_flattens(client: TestClient) -> None:
    x = [[1, 3, 2], [1, 1, 3]]
    cold, hot = (post(client, "/explain", queries=x, temperature=t)["weights"][0][0][0] for t in (0.5, 5.0))
    assert cold > hot > 0.5


def test_every_worked_example_is_told_in_both_languages(client: TestClient) -> None:
    listed = client.get("/explain").json()
    hold_to_shape("/explain", listed, "GET")
    names = [one["name"] for one in listed["examples"] if one["name"] != "kernel"]  # it learns for a second
    assert "good" in names
    titles = {post(client, "/explain", worked=name, language=language)["title"] for name in names
              for language in ("en", "zh")}  # fmt: skip
    assert len(titles) > len(names)
    scaled = post(client, "/explain", worked="good", settings={"scale": True})
    assert len(scaled["steps"]) == len(post(client, "/explain", worked="good")["steps"]) + 1


def test_models_languages_and_training_are_told(client: TestClient) -> None:
    models = client.get("/models").json()
    hold_to_shape("/models", models, "GET")
    assert [one["name"] for one in models["models"]] == ["small", "spiral", "small@1"]
    assert models["default"] == "small"
    assert client.get("/languages").json() == [
        {"code": "en", "name": "English", "targets": ["fr"]},
        {"code": "de", "name": "German", "targets": ["fr"]},
    ]
    training = client.get("/training").json()
    hold_to_shape("/training", training, "GET")
    assert [(run["name"], run["step"], run["state"]) for run in training["runs"]] == [
        ("small", 2, "finished"),
        ("spiral", 2, "finished"),
    ]
    assert training["runs"][0]["looks"] == [1, 2]
    assert [one["step"] for one in training["runs"][0]["validations"]] == [1, 2]
    later = client.get("/training?after=1").json()["runs"][0]
    assert [one["step"] for one in later["validations"]] == [2]
    look = client.get("/training/small/looks/2").json()
    hold_to_shape("/training/{name}/looks/{step}", look, "GET")


def test_a_run_without_a_checkpoint_is_watched(folder: Path, tmp_path: Path) -> None:
    starting = tmp_path / "starting"
    starting.mkdir()
    for name in ("recipe.toml", "tokenizer.json"):
        (starting / name).write_bytes((folder / "small" / name).read_bytes())
    with TestClient(Studio(Shelf.load([str(starting)])).app, base_url="http://localhost") as client:
        assert client.get("/models").json()["models"] == []
        (run,) = client.get("/training").json()["runs"]
        assert (run["name"], run["step"], run["state"]) == ("starting", 0, "stopped")
        (starting / "history.jsonl").write_text('{"kind": "step", "step": 1, "loss": 3.0}\n{"kind": "st')
        (run,) = client.get("/training").json()["runs"]
        assert (run["step"], run["state"], run["history"][0]["loss"]) == (1, "running", 3.0)
        assert post(client, "/translate", 404, q="alpha")["problem"]["code"] == "unknown_model"


@pytest.mark.parametrize(
    ("path", "body", "status", "problem"),
    [
        ("/translate", {"q": 5}, 400, ("invalid", "q: input should be a valid string.", "q")),
        (
            "/translate",
            {"q": "a", "beam": 99},
            400,
            ("invalid", "beam must be at most 16, but got 99.", "beam"),
        ),
        ("/translate", {"q": "a", "target": "xx"}, 400, ("invalid", "target must be one of fr.", "target")),
        (
            "/translate",
            {"q": ["a"] * 65},
            400,
            ("invalid", "q must have at most 64 texts, but has 65.", "q"),
        ),
        (
            "/translate",
            {"q": "a" * 10_001},
            413,
            ("too_large", "q must have at most 10,000 characters, but has 10,001.", "q"),
        ),
        (
            "/attention",
            {"text": "a", "model": "../small"},
            404,
            ("unknown_model", "No model of that name is served here.", "model"),
        ),
        (
            "/attention",
            {"text": "a " * 150},
            400,
            ("invalid", "text must have at most 100 tokens to be looked at, but has 300.", "text"),
        ),
        (
            "/attention",
            {"text": " \n"},
            400,
            ("invalid", "text is empty: there is nothing to look at.", "text"),
        ),
        (
            "/attention",
            {"text": "a", "knock_out": {"decoder.0.cross": [9]}},
            400,
            ("invalid", "knock_out may name heads 0 to 1 of decoder.0.cross, but got 9.", "knock_out"),
        ),
        (
            "/attention",
            {"text": "a", "knock_out": {"encoder.7.self": [0]}},
            400,
            (
                "invalid",
                "knock_out must name attentions of this model: "
                "encoder.0.self, decoder.0.self, decoder.0.cross.",
                "knock_out",
            ),
        ),
        (
            "/attention",
            {"text": "a", "foo": 1},
            400,
            ("invalid", "foo: extra inputs are not permitted.", "foo"),
        ),
        (
            "/explain",
            {"queries": [[1, 2], [1]]},
            400,
            ("invalid", "queries must have rows of one width, but they have 1 to 2.", "queries"),
        ),
        (
            "/explain",
            {"foo": 1},
            400,
            ("invalid", "The body must have one of the fields worked, queries, text.", None),
        ),
        (
            "/rivals",
            {"text": "a", "target": "beta", "position": 9},
            400,
            ("invalid", "position must be at most 1, one past the last word, but got 9.", "position"),
        ),
    ],
)
def test_a_problem_is_told_in_one_sentence(
    client: TestClient, path: str, body: Any, status: int, problem: tuple[str, str, str | None]
) -> None:
    told = post(client, path, status, **body)
    code, message, field = problem
    expected = {"version": 1, "code": code, "message": message, "field": field}
    libre = path == "/translate"
    assert told == ({"error": message, "problem": expected} if libre else {"error": expected})


def test_what_is_not_there_or_not_json_is_told_as_json(client: TestClient) -> None:
    cut = client.post("/attention", content='{"text":', headers={"content-type": "application/json"})
    assert cut.json()["error"]["message"] == (
        "The body is not valid JSON: EOF while parsing a value at line 1 column 8."
    )
    assert client.get("/nothing").json()["error"]["code"] == "not_found"
    assert client.get("/attention").json()["error"]["code"] == "method"
    assert client.get("/translate").json()["problem"]["code"] == "method"
    wrong = client.post(
        "/attention", content="text=a", headers={"content-type": "application/x-www-form-urlencoded"}
    )
    assert (wrong.status_code, wrong.json()["error"]["code"]) == (415, "media_type")
    files = client.post("/translate", files={"q": b"x"})
    assert (files.status_code, files.json()["problem"]["code"]) == (415, "media_type")


def test_the_page_has_a_strict_policy_and_a_tag(client: TestClient) -> None:
    page = client.get("/")
    assert page.status_code == 200
    policy = page.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'")
    assert "unsafe" not in policy
    again = client.get("/", headers={"if-none-match": page.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_the_description_is_whole_and_offline(client: TestClient) -> None:
    description = client.get("/openapi.json").json()
    assert {
        f"{method.upper()} {path}" for path, methods in description["paths"].items() for method in methods
    } == {f"{one.method} {one.path}" for one in OPERATIONS.values()}
    docs = client.get("/docs")
    assert "http" not in docs.text.replace("https://json-schema.org", "").replace('"http"', "")
    assert "<script" not in docs.text
    assert "unsafe" not in docs.headers["content-security-policy"]


def test_every_example_of_the_description_works(client: TestClient) -> None:
    docs = client.get("/docs").text
    for operation in OPERATIONS.values():
        assert bool(operation.example) == bool(operation.asks)
        if operation.example:
            assert escape(operation.example) in docs
            post(client, operation.path, **json.loads(operation.example))


def test_a_key_is_needed_where_keys_are_set(shelf: Shelf) -> None:
    with TestClient(
        Studio(shelf, Settings(keys=("sesam", "öffne"))).app, base_url="http://localhost"
    ) as client:
        told = post(client, "/translate", 403, q="alpha")
        assert told["error"] == "A key is needed: send Authorization: Bearer KEY."
        assert client.get("/models").status_code == client.get("/metrics").status_code == 403
        assert client.get("/languages").status_code == client.get("/health").status_code == 200
        assert client.get("/").status_code == 200
        post(client, "/translate", q="alpha", api_key="öffne")
        assert client.get("/models", headers={"authorization": "Bearer sesam"}).status_code == 200
        assert client.get("/models", headers={"authorization": "Bearer sesa"}).status_code == 403


def test_who_comes_too_often_is_told_when_to_come_again(shelf: Shelf) -> None:
    with TestClient(Studio(shelf, Settings(rate=2)).app, base_url="http://localhost") as client:
        answers = [client.get("/models") for _ in range(3)]
        assert [one.status_code for one in answers] == [200, 200, 429]
        assert int(answers[2].headers["retry-after"]) >= 1
        assert client.get("/health").status_code == 200


def test_a_false_name_is_not_answered(client: TestClient) -> None:
    wrong = client.get("/models", headers={"host": "evil.example"})
    assert (wrong.status_code, wrong.json()["error"]["code"]) == (403, "host")


def test_a_proxy_may_call_it_by_its_own_name(shelf: Shelf) -> None:
    named = Studio(shelf, Settings(names=("translate.example",)))
    with TestClient(named.app, base_url="http://translate.example:8080") as client:
        assert client.get("/models").status_code == 200


def test_metrics_count_and_hold_no_text(client: TestClient) -> None:
    secret = "xylophonic"
    post(client, "/translate", q=secret, model="small")
    client.get(f"/{secret}")
    post(client, "/attention", 404, text=secret, model=secret)
    text = client.get("/metrics").text
    assert 'regard_requests_total{route="/translate",status="200"}' in text
    assert 'regard_tokens_total{queue="model"}' in text
    assert secret not in text
