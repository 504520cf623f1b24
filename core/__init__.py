"""The consultation: domain records, forms, the seven rounds, the event log. No Qt, no engine, no network."""
