"""Between processes: spans and evaluations in Kafka topics."""
