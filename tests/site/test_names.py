"""Names of the reference: whole summaries, and links to them from other pages."""

import re


def test_summaries_are_whole_sentences(site):
    for page in (site / "api").glob("ldslearn*.html"):
        text = page.read_text(encoding="utf-8")
        assert "[R" not in re.sub(r"<[^>]+>", "", text), (
            f"{page.name} shows the label of a citation"
        )
        for summary in re.findall(r"<td><p>(.*?)</p></td>", text, re.S):
            plain = re.sub(r"<[^>]+>", "", summary).strip()
            assert not re.search(r"\b(Sec|Eqs?|Figs?|Alg|Thm)\.$", plain), f"{page.name}: {plain}"


def test_code_that_is_a_public_name_is_a_link(site):
    text = (site / "get-started" / "which-tool.html").read_text(encoding="utf-8")
    for target in ("ldslearn.AutoLDSClassifier", "ldslearn.LDS.simulate", "ldslearn.save"):
        assert f"#{target}" in text
    assert "api/ldslearn.geometry.html" in text
    assert "ldslearn.evaluate.train" not in text  # `train` is a command on this page


def test_the_page_of_a_package_has_no_internals(site):
    text = (site / "api" / "ldslearn.datasets.html").read_text(encoding="utf-8")
    assert "labels_from_folders" not in text
