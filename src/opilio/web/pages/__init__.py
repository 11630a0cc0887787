"""The pages of the dashboard: one file with a template of the same name for each."""
