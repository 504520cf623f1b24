"""NLI and embedding models on ONNX Runtime: their cards, probes and sessions, and the scorer made of two of them."""
