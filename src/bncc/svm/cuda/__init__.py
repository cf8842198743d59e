"""The CUDA engine: batches of problems and chains of decisions on one GPU, through CuPy.

Nothing here imports CuPy before a device is asked for. `device` is the only module that knows it: the others take the
array module and the launches from it, so that all of them run on the CPU in tests.
"""
