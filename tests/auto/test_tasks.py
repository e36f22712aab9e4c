import numpy as np

from ldslearn.auto.number_trials import NumberTask
from ldslearn.auto.tasks import LabelTask


def test_a_part_of_the_labels_has_its_own_classes():
    """Functions are compiled with two classes; shuffled labels of these items have others."""
    labels = np.repeat(np.arange(6), 4)
    task = LabelTask(labels, np.random.default_rng(0).permutation(labels)[None])
    few = task.pick_few()
    assert labels[few].tolist() == [0, 0, 1, 1]
    part = task.select(few)
    assert part.labels.tolist() == [0, 0, 1, 1]
    assert part.shuffled.max() == 1


def test_a_part_of_the_numbers():
    task = NumberTask(np.arange(12.0).reshape(6, 2))
    assert task.select(np.array([1, 3])).targets.tolist() == [[2, 3], [6, 7]]
    assert task.pick_few().tolist() == [0, 1, 2, 3]
    assert task.n_shuffles == 0
