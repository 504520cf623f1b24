"""Clinical sentence pairs for training the small NLI model. Not part of the installed product's work: nothing else
imports this package but `models.train_nli`."""
