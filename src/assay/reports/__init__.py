"""Results to text: terminal, HTML, Markdown, JSON, SARIF, JUnit."""
