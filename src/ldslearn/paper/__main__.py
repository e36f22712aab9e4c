"""Write the table of claims into a Markdown page: python -m ldslearn.paper CLAIMS.json PAGE.md."""

import json
import sys
from pathlib import Path

from ldslearn.paper.verdicts import update_page

if __name__ == "__main__":
    claims, page = map(Path, sys.argv[1:])
    update_page(page, json.loads(claims.read_text("utf-8")))
