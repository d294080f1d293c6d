"""The jury: votes, one round of deliberation, the supervisor, the audit."""
