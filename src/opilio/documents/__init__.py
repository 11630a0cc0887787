"""Documents that are not HTML become HTML: title, text and links, read in a process with limits.

render: whoever asks; pdf and docx: the work, done in a sandbox.
"""
