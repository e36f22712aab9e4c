"""One module per command: its options, its help, and the calls that do the work.

These modules are loaded by ``--help``. They import nothing heavy: the library is used as
``ldslearn.package.name`` and the rest of the command line as ``cli.module.name``, which loads
packages and modules on first use.
"""
