"""How the threads of an engine wait for one another. The OpenMP runtime reads this when it is loaded, never again.

Threads that wait must soon go to sleep: where they spin, a busy machine makes llama.cpp several times slower. Where they sleep at
once, waking them costs more than the short pieces of work between two waits. So they spin for a moment, then sleep. Measured with
the test model on two cores, a step of five sequences: 87 ms sleeping at once, 34 ms spinning for a moment, 35 ms always spinning;
beside another busy program 68 ms, 125 ms and 450 ms.
"""

ENVIRONMENT = {"OMP_WAIT_POLICY": "PASSIVE", "GOMP_SPINCOUNT": "1000"}
"""Variables that must stand in the environment before the engine is loaded."""
