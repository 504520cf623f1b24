"""PyTorch weights -> a folder that the scorer runs: what the files say, the graph, its storage, and its parity.

Needs the extra `export` and is never part of the installed program; `models.export_onnx` is the way in.
"""
