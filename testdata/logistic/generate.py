#!/usr/bin/env python3
"""Writes the data of the logistic regression: 400 machines, five measurements and a constant.

The labels are drawn from a logistic model with the weights below, so that the minimiser is
near them; w is the point at which the README takes the derivatives. Deterministic.
"""
import os

import numpy as np

here = os.path.dirname(os.path.abspath(__file__))
rng = np.random.default_rng(7)
m = 400
load = rng.beta(2, 3, m)                      # share of full load
temperature = 20 + 45 * load + rng.normal(0, 5, m)
vibration = np.exp(rng.normal(0.2 + 0.8 * load, 0.35))
age = rng.gamma(2.5, 2.0, m)                  # years
serviced = (rng.random(m) < 0.4).astype(float)
raw = np.column_stack([load, temperature, vibration, age])
scaled = (raw - raw.mean(0)) / raw.std(0)
X = np.column_stack([np.ones(m), scaled, serviced]).round(4)
truth = np.array([-0.4, 0.3, 0.7, 1.1, 0.6, -0.9])
y = np.where(rng.random(m) < 1 / (1 + np.exp(-X @ truth)), 1, -1)
w = np.array([-0.1, 0.2, 0.4, 0.6, 0.3, -0.5])

np.save(os.path.join(here, "X.npy"), X)
np.save(os.path.join(here, "w.npy"), w)
np.savetxt(os.path.join(here, "y.csv"), y, fmt="%d")
print(X.shape, (y > 0).mean())
