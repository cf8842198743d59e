"""The linear engine on a CUDA device: Newton's method on blocks of problems, with products of our own.

Nothing here imports CuPy before a device is asked for.
"""
