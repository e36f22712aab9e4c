import re

import matplotlib.image
import numpy as np

from ldslearn import demo


def test_demo_prints_and_draws_into_the_folder_it_names(tmp_path, capsys):
    folder = tmp_path / "new" / "place"
    demo.run(folder)
    printed = capsys.readouterr().out
    assert re.search(r"JapaneseVowels\W+270\W+12\W+7-26", printed)
    assert re.search(r"LDS-Martin\)\W+87\.5%\W+\d\d\.\d%", printed)
    assert re.search(r"LDS-SC-Grass\)\W+97\.5%\W+\d\d\.\d%", printed)
    assert "place" in printed
    names = sorted(path.name for path in folder.iterdir())
    assert names == [
        "dictionary.png",
        "forecast.png",
        "kernel.png",
        "query.png",
        "report.html",
        "stability.png",
        "textures.png",
    ]
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert re.search(r'<span class="big">(8|9)\d\.\d %</span>accuracy', page)
    n_wrong = int(re.search(r"Wrong predictions: (\d+) of 72", page).group(1))
    # Two clips for each of six classes, twelve atoms, and misclassified sequences.
    assert page.count('class="film"') == 6 * 2 + 12 + min(n_wrong, 12)
    for name in (name for name in names if name.endswith(".png")):
        picture = matplotlib.image.imread(folder / name)
        assert picture.shape[0] > 300
        assert np.std(picture) > 0.05  # something is on it
