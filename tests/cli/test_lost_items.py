"""Items that cannot be read are named, whatever they are in place of a file."""

import json
import os

import pytest

from ldslearn.cli.running import run


def make_link(path):
    path.symlink_to("/nowhere/else")


@pytest.mark.parametrize(
    ("make", "kind"), [(make_link, "a link to"), (os.mkfifo, "a pipe or device")]
)
@pytest.mark.parametrize("name", ["flag/9.avi", "flag/9.csv", "flag/9.npy"])
def test_pipes_and_links_to_nowhere_are_not_passed_over(
    clips, tmp_path, failure, capsys, name, make, kind
):
    make(clips / name)
    arguments = ["--method", "lds-martin", "--states", "3", "-o", tmp_path / "model.lds"]
    message = failure("train", clips, *arguments)
    assert f"{clips / name} must be a regular file; got {kind}" in message
    assert "--skip-errors skips such items." in message
    assert not (tmp_path / "model.lds").exists()
    with pytest.warns(UserWarning, match="must be a regular file"):
        assert run(["inspect", str(clips), "--json"]) == 0
    assert [item for item, _ in json.loads(capsys.readouterr().out)["skipped"]] == [name]


def test_loose_links_to_nowhere_beside_classes_are_named(clips, failure):
    make_link(clips / "loose.avi")
    assert "files such as loose.avi" in failure("inspect", clips)


def test_links_to_folders_that_are_not_there_are_warned_of(clips):
    make_link(clips / "lost class")
    make_link(clips / "flag" / "lost item")
    names = "lost class", "flag/lost item"
    with pytest.warns(UserWarning, match="skipped broken links") as caught:
        assert run(["inspect", str(clips), "--json"]) == 0
    texts = [str(warning.message) for warning in caught]
    assert all(any(str(clips / name) in text for text in texts) for name in names)
