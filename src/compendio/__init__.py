"""compendio: a jury of small local language models codes a corpus, and every figure is rebuilt by one command."""

__version__ = "0.1.0"
