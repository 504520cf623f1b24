"""Clinical word lists as data, each with source and license, and the small rules that read them."""
