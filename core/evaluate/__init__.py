"""Research use of the consultation's own measures: other systems' transcripts, data sets, experiments."""
