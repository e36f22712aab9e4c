"""``python -m ldslearn``: the command line."""

from ldslearn.cli import main

if __name__ == "__main__":
    main()
