"""The commands index and search."""

import json
import re

import numpy as np
import pytest

from ldslearn import LDSEncoder, LDSIndex
from ldslearn.cli.running import run
from ldslearn.geometry import pairwise_kernel
from ldslearn.scale import LDSStore


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """Clips, their store, and an index of it."""
    folder = tmp_path_factory.mktemp("search")
    clips, store = str(folder / "clips"), str(folder / "store")
    assert run(["make-clips", clips, "--per-class", "3", "--size", "12"]) == 0
    assert run(["encode", clips, "-n", "5", "--shard-size", "4", "-o", store]) == 0
    assert run(["index", store, "-o", str(folder / "index")]) == 0
    return folder


def answer(capsys, *arguments):
    capsys.readouterr()
    assert run([*map(str, arguments), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_a_clip_is_encoded_as_those_of_the_index(home, capsys):
    clip = home / "clips" / "flag" / "1.avi"
    record = answer(capsys, "search", home / "index", clip, "-k", 4)
    (query,) = record["queries"]
    assert (record["n_systems"], record["kernel"], query["name"]) == (18, "projection", str(clip))
    first, *others = query["neighbours"]
    assert (first["name"], first["label"]) == ("flag/1.avi", "flag")
    assert first["similarity"] == pytest.approx(1)
    store = LDSStore.open(home / "store")
    own = (store.read_texts("names") or []).index("flag/1.avi")
    K = np.sort(pairwise_kernel(store[own], store[:])[0] / 5)[::-1]
    np.testing.assert_allclose([one["similarity"] for one in others], K[1:4], rtol=1e-6)


def test_tables_name_queries_and_neighbours(home, capsys):
    clips = [home / "clips" / "flag" / f"{i}.avi" for i in (0, 2)]
    capsys.readouterr()
    assert run(["search", str(home / "index"), *map(str, clips), "-k", "2"]) == 0
    out = capsys.readouterr().out
    assert out.count("most similar to") == 2
    assert re.search(r"flag/2.avi *│ flag *│ 1\.0000", out)


def test_a_store_is_searched_for(home, capsys):
    record = answer(capsys, "search", home / "index", home / "store", "-k", 1, "--exact")
    assert [q["neighbours"][0]["id"] for q in record["queries"]] == list(range(18))


@pytest.mark.parametrize("known", [True, False], ids=["recorded", "simulated"])
def test_the_page_shows_films(home, capsys, known):
    clip, page = home / "clips" / "flag" / "1.avi", home / f"page-{known}.html"
    data = ["--data", str(home / "clips")] if known else []
    capsys.readouterr()
    assert (
        run(["search", str(home / "index"), str(clip), "-k", "3", "--report", str(page), *data])
        == 0
    )
    assert f"wrote {page}" in capsys.readouterr().out
    text = page.read_text()
    assert text.count('class="film"') == 4
    assert "1. similarity 1.000" in text
    assert ("simulated" in text) is not known
    assert "http" not in text.replace("http-equiv", "")  # nothing is loaded


def test_the_page_of_sequences_without_frames_shows_lines(tmp_path, capsys):
    random = np.random.default_rng(0)
    (tmp_path / "data").mkdir()
    for number in range(6):
        np.save(tmp_path / "data" / f"{number}.npy", random.normal(size=(4, 50)).cumsum(axis=1))
    data, store, index = (str(tmp_path / name) for name in ("data", "store", "index"))
    assert run(["encode", data, "-n", "3", "-o", store]) == 0
    assert run(["index", store, "-o", index, "--kernel", "projection=0.7,mean=0.3"]) == 0
    page = tmp_path / "page.html"
    query = str(tmp_path / "data" / "3.npy")
    assert run(["search", index, query, "-k", "2", "--report", str(page)]) == 0
    assert page.read_text().count("<polyline") == 3 * 4
    record = answer(capsys, "search", index, query, "-k", 1)
    assert record["kernel"] == "{'projection': 0.7, 'mean': 0.3}"


def test_a_store_is_added(home, tmp_path, capsys):
    first = answer(capsys, "index", home / "store", "-o", tmp_path / "index", "--exact-below", 9)
    assert (first["n_systems"], first["is_exact"]) == (18, False)
    second = answer(capsys, "index", home / "store", "-o", tmp_path / "index", "--add")
    assert (second["n_added"], second["n_systems"]) == (18, 36)
    clip = home / "clips" / "flag" / "1.avi"
    (query,) = answer(capsys, "search", tmp_path / "index", clip, "-k", 2)["queries"]
    assert [one["name"] for one in query["neighbours"]] == ["flag/1.avi"] * 2


def test_an_interrupted_index_is_made_again(home, tmp_path, capsys):
    LDSIndex().save(tmp_path / "index")
    assert answer(capsys, "index", home / "store", "-o", tmp_path / "index")["n_systems"] == 18


def test_the_kernel_that_is_asked_for_is_used_or_refused(home, failure, tmp_path, capsys):
    index = tmp_path / "index"
    LDSIndex("martin").save(index)  # of an interrupted run
    message = "must have the kernel and the settings that are asked for; got kernel martin"
    assert message in failure("index", home / "store", "-o", index)
    assert message in failure("index", home / "store", "-o", index, "--add", "--kernel", "mean")
    record = answer(capsys, "index", home / "store", "-o", index, "--add")
    assert (record["kernel"], record["n_systems"]) == ("martin", 18)


def test_recordings_are_not_replaced_by_a_page(home, failure, tmp_path):
    clip, other = (home / "clips" / "flag" / f"{i}.avi" for i in (1, 2))
    before = other.read_bytes()
    options = ["--report", other, "--data", home / "clips"]
    assert "must be another file than those that are read" in failure(
        "search", home / "index", clip, *options
    )
    assert other.read_bytes() == before


def test_a_store_that_was_encoded_otherwise_is_refused(home, failure, tmp_path):
    store = str(tmp_path / "store")
    options = ["-n", "5", "--stabilizer", "scale", "-o", store]
    assert run(["encode", str(home / "clips"), *options]) == 0
    assert "must be encoded as the systems in the index, encoder" in failure(
        "search", home / "index", store
    )


def test_messages(home, failure, tmp_path):
    clip = home / "clips" / "flag" / "1.avi"
    message = "k must be at most the number of systems in the index, 18; got 30"
    assert message in failure("search", home / "index", clip, "-k", 30)
    assert "must be an index with a file search.json; got a store" in failure(
        "search", home / "store", clip
    )
    assert "must be new or empty; got 18 systems in it" in failure(
        "index", home / "store", "-o", home / "index"
    )
    np.save(tmp_path / "other.npy", np.zeros((3, 20)))
    assert "other.npy must" in failure("search", home / "index", tmp_path / "other.npy")
    assert "must hold the recordings of the neighbours; got none of them" in failure(
        "search", home / "index", clip, "--report", tmp_path / "page.html", "--data", tmp_path
    )
    index = LDSIndex()
    index.add(LDSEncoder(3).fit_transform(np.random.default_rng(0).normal(size=(4, 5, 30))))
    index.save(tmp_path / "bare")
    assert "must know how its systems were encoded to be searched for files" in failure(
        "search", tmp_path / "bare", clip
    )


def test_a_kernel_that_does_not_exist(home, capsys, tmp_path):
    for kernel, message in (
        ("projektion", "Did you mean 'projection'"),
        ("projection=much", "--kernel must be a name, or pairs NAME=WEIGHT with commas"),
    ):
        capsys.readouterr()
        arguments = ["index", str(home / "store"), "-o", str(tmp_path / "new"), "--kernel", kernel]
        assert run(arguments) == 2
        assert message in " ".join(capsys.readouterr().err.split())
        assert not (tmp_path / "new").exists()
