"""Tables, figures and the article, from classification results."""
