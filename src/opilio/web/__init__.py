"""The dashboard: what people look at in a browser, and a REST API with the same."""
