"""Kernels on disk whose computation is interrupted."""

import pytest

from ldslearn.scale import kernel_files, write_kernel


def interrupt_kernel(path, systems, kernel="projection", *, after):
    """Write a kernel and stop it by Ctrl-C after the given number of tiles."""
    original, made = kernel_files.compute_tile, []

    def compute_tile(*arguments, **settings):
        made.append(1)
        if len(made) > after:
            raise KeyboardInterrupt
        return original(*arguments, **settings)

    with pytest.MonkeyPatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(kernel_files, "compute_tile", compute_tile)
        write_kernel(path, systems, kernel)
