"""Language models in GGUF files on llama.cpp: all requests of a round decode as one batch over a shared prefix."""
