"""The engines behind `core.ports`: model weights, llama.cpp and ONNX Runtime. No Qt.

Nothing heavy is imported before it is used, and nothing but `models.fetch` downloads anything.
"""
