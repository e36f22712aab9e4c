import pytest

from support.clip_folders import write_two_classes


@pytest.fixture
def clips(tmp_path):
    return write_two_classes(tmp_path)
