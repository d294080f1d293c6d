"""What the codings are worth: agreement, validation, blocs, divergences, prevalence."""
