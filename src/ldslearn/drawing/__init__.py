"""Numbers as SVG text, and the HTML that notebooks show; pages and models use the same drawings."""
