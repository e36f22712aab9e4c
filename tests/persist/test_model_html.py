from dataclasses import replace

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline

import ldslearn
from ldslearn import LDSSVC, AutoLDSClassifier, LDSEncoder, SparseCodingClassifier
from ldslearn.datasets import Collection, load_basic_motions
from ldslearn.evaluate import Settings, train
from ldslearn.persist import Model

from support.markup import HOSTILE, read_card

X, Y, _, _ = load_basic_motions()


@pytest.fixture(scope="module")
def model():
    data = Collection(list(X), Y, rates=[10.0] * len(X), channel_names=list("abcdef"))
    return train(data, "lds-sc-grass", n_states=4, sparsity=0.1, delays=2, settings=Settings())


def test_a_trained_model(model):
    card = read_card(model)
    assert card.title == "Model: lds-sc-grass"
    assert card.rows["classes"] == "4: Badminton, Running, Standing, Walking"
    assert card.rows["trained on"] == "40 sequences, 6 channels, 100 time points, 10 Hz"
    assert card.rows["files read"] == "channels=[a, b, c, d, e and 1 more]"
    assert card.rows["steps"] == "LDSEncoder, SparseCodingClassifier"
    assert card.rows["parameters"] == (
        "n_states=4, delays=2, windows=1, stabilizer=soft, kernel=projection, sparsity=0.1"
    )
    assert f"ldslearn {ldslearn.__version__}" in card.rows["versions"]
    fingerprint = model.about["data"]["fingerprint"]
    assert card.rows["fingerprint"] == f"{fingerprint[:8]}…{fingerprint[-7:]}"
    assert [one.text for one in card.svg.findall("text")][:2] == ["Badminton", "10"]
    assert card.find_texts("figcaption") == ["Training sequences per class."]


def test_the_repr_of_a_loaded_model_is_one_line(model, tmp_path):
    model.save(tmp_path / "model.lds")
    loaded = Model.load(tmp_path / "model.lds")
    assert repr(loaded) == (
        "Model(lds-sc-grass, n_channels=6, 4 classes: Badminton, Running, Standing, Walking, "
        "trained on 40 sequences)"
    )
    assert read_card(loaded).text == read_card(model).text


def test_models_that_were_only_saved(tmp_path):
    pipeline = make_pipeline(LDSEncoder(n_states=3, delays=2), LDSSVC()).fit(X, Y)
    ldslearn.save(pipeline, tmp_path / "model.lds")
    card = read_card(Model.load(tmp_path / "model.lds"))
    assert card.title == "Model: LDSSVC"
    assert card.rows["trained on"] == "6 channels"
    assert card.svg is None


def test_an_automatic_model(tmp_path):
    automatic = AutoLDSClassifier(2, random_state=0).fit(X[::2], Y[::2])
    ldslearn.save(automatic, tmp_path / "model.lds")
    loaded = Model.load(tmp_path / "model.lds")
    card = read_card(loaded)
    assert card.title == "Model: AutoLDSClassifier"
    assert card.rows["trained on"] == "20 sequences, 6 channels"
    assert "±" in card.rows["expected accuracy"]
    assert read_card(loaded.estimator.report_).title.endswith(card.rows["expected accuracy"])


def test_frames():
    data = Collection(list(X), Y, frame_shape=(2, 3))
    model = train(data, "lds-sc-grass", n_states=3, sparsity=0.1, delays=1)
    assert "6 channels (2 x 3)" in read_card(model).rows["trained on"]
    assert "frame_shape=(2, 3)" in repr(model)


def test_thousands_of_classes_and_hostile_texts(model):
    n = 3000
    labels = np.array([f"{HOSTILE} {k}" for k in range(n)])
    estimator = make_pipeline(LDSEncoder(n_states=2), SparseCodingClassifier()).fit(X, Y)
    estimator[-1].classes_ = labels
    about = {
        **model.about,
        "method": HOSTILE * 50,
        "tried": [{"accuracy": 0.5}] * n,
        "versions": {HOSTILE * 50: HOSTILE} | {f"package {k}": "1" for k in range(n)},
        "data": {
            **model.about["data"],
            "classes": dict.fromkeys(labels.tolist(), 3),
            "fingerprint": HOSTILE * 50,
            "skipped": [[HOSTILE, HOSTILE]] * n,
        },
    }
    channels = tuple(f"{HOSTILE} {k}" for k in range(6))
    reading = replace(model.reading, channels=channels, time=HOSTILE * 50)
    large = Model(estimator, reading, None, about)
    card = read_card(large)
    assert card.rows["classes"].startswith("3,000: &lt;script&gt;")
    assert card.rows["classes"].endswith("and 2,992 more")
    assert card.rows["skipped"] == "3,000 items"
    assert card.rows["settings tried"] == "3,000"
    assert len(repr(large)) < 1000


@pytest.mark.parametrize(
    "data",
    [
        {"classes": 3, "n_sequences": "x", "shortest": None, "rates": "fast", "skipped": 4},
        {"classes": {"a": "many"}, "rates": ["a"]},
        {"classes": {"a": -1}},
        {"rates": []},
        {"rates": [float("nan")]},
        {},
    ],
)
@pytest.mark.parametrize("tried", [5, None, "many", {}, [], float("nan")])
def test_values_of_any_type_are_shown(model, data, tried):
    about = {**model.about, "data": data, "versions": 1, "tried": tried}
    strange = replace(model, about=about)
    card = read_card(strange)
    assert card.svg is None
    assert "settings tried" not in card.rows
    assert "Hz" not in card.rows["trained on"]
    assert "nan" not in card.text
    assert repr(strange).endswith("Walking)")
