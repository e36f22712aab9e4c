"""The tables and figures of the paper, and further tables of accuracy, from the data at hand.

To read it, start at the top:

1. ``plans`` reads what to do, ``data_sets`` finds the sequences, ``ledger`` keeps one record per
   run, ``experiment`` says what an experiment is. ``reproduction`` runs them all.
2. ``rounds``, ``timing`` and ``panels`` are shared by the experiments: rounds of training and
   testing, times, and plain values to draw.
3. One module per kind of exhibit, with its computations, its panels and its evidence on claims:
   ``stability`` (Figs. 2, 4), ``classification`` and ``coding`` (Figs. 5 to 10), ``table4``,
   ``convergence`` (Fig. 11), ``codes``, ``dictionaries`` and ``update_times`` (Figs. 12, 14),
   ``atom_pictures`` (Fig. 13), ``atoms_per_class`` (Fig. 15). Beyond the paper: ``accuracy``,
   ``tuning``, ``clusters``. ``registry`` lists them by name.
4. ``claims`` lists those of the paper, ``evidence`` is what one collection says about a claim,
   ``verdicts`` are what all of them say.
"""

from ldslearn.paper.plans import plan_names
from ldslearn.paper.reproduction import reproduce

__all__ = ["plan_names", "reproduce"]
