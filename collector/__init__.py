"""The process: receivers, OTLP codec, conventions, assembler, configuration, and the `groundwatch` command."""
