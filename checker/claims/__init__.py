"""Claims about hard and soft attention: read, proved for all n, or refuted with a witness."""
