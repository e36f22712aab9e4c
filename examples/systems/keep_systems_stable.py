"""
Keep systems stable
===================

A system fitted by least squares may be unstable: its forecasts grow without bound. This example
compares stabilizers on the utterances of JapaneseVowels. Soft normalisation damps every system,
which makes systems comparable. Clipping and ``"wls"`` change only systems whose spectral radius is
above ``bound``, 0.99 by default. They change them little, which is better for forecasts.
"""

# sphinx_gallery_thumbnail_number = 2

import warnings

import matplotlib.pyplot as plt
import numpy as np

from ldslearn import LDSEncoder
from ldslearn.datasets import load_japanese_vowels
from ldslearn.plot import plot_eigenvalues

# %%
# The certificate of an encoder lists the spectral radius and the reconstruction error of every
# system, before and after. ``"none"`` keeps unstable systems and warns, which is expected here.

X, y, _, _ = load_japanese_vowels()
methods = ["none", "soft", "clip", "wls"]
systems, growth = {}, {}
for method in methods:
    encoder = LDSEncoder(n_states=5, stabilizer=method)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        systems[method], certificate = encoder.fit(X).transform(X, return_certificate=True)
    unstable = certificate.radius_before >= 1
    growth[method] = certificate.error_growth[unstable].mean()
    print(
        f"{method:>5}: largest radius {certificate.radius_after.max():.2f}; "
        f"error of the {unstable.sum()} unstable fits times {growth[method]:.3f}"
    )

# %%
# Eigenvalues outside the unit circle belong to states that grow. They are circled. Soft
# normalisation moves all eigenvalues towards zero. Clipping moves only those with a modulus above
# 0.99. ``"wls"`` changes only systems that have such eigenvalues.

fig, axes = plt.subplots(1, 4, figsize=(12, 3.6), layout="constrained", sharey=True)
for ax, method in zip(axes, methods, strict=True):
    plot_eigenvalues(systems[method], ax, s=6)
    ax.set(title=f"stabilizer={method!r}", xlim=(-1.2, 1.2), ylim=(-1.2, 1.6))
    ax.label_outer()

# %%
# The outputs of the most unstable system, continued for 30 time points after the utterance.

worst = int(systems["none"].spectral_radius.argmax())
fig, ax = plt.subplots(figsize=(8, 4), layout="constrained")
n_past = X[worst].shape[1]
ax.plot(np.arange(n_past), X[worst][0], color="0.25", label="utterance")
for method in methods:
    forecast = systems[method][[worst]].forecast([X[worst]], 30)[0]
    ax.plot(np.arange(n_past, n_past + 30), forecast[0], label=f"stabilizer={method!r}")
limit = 2 * np.abs(X[worst][0]).max()
ax.set(
    xlabel="time point", ylabel="first channel", ylim=(-limit, limit),
    title=f"forecasts of utterance {worst}: spectral radius "
    f"{systems['none'].spectral_radius[worst]:.2f} as fitted",
)  # fmt: skip
ax.legend(frameon=False)
plt.show()
