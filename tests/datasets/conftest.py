import numpy as np
import pytest

from support.clip_folders import write_two_classes


@pytest.fixture
def clips(tmp_path):
    return write_two_classes(tmp_path)


@pytest.fixture
def people(tmp_path):
    for person in ("anna", "ben"):
        for kind in ("run", "walk"):
            (tmp_path / "people" / person / kind).mkdir(parents=True)
            np.save(tmp_path / "people" / person / kind / "1.npy", np.ones((2, 9)))
    return tmp_path / "people"
