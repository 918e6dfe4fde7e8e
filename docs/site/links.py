#!/usr/bin/env python3
"""Checks that every link within a site leads to a file that is there, and to a heading of it.

usage: links.py FOLDER
"""
import html.parser
import pathlib
import sys
import urllib.parse


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.ids, self.links = set(), []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == "id":
                self.ids.add(value)
            elif name in ("href", "src") and value:
                self.links.append(value)


top = pathlib.Path(sys.argv[1]).resolve()
pages = {path: Page(path.read_text()) for path in top.rglob("*.html")}
broken = checked = 0
for path, page in pages.items():
    for link in page.links:
        url = urllib.parse.urlsplit(link)
        if url.scheme or url.netloc or path.name == "404.html":
            continue
        checked += 1
        target = (path.parent / urllib.parse.unquote(url.path)).resolve() if url.path else path
        target = target / "index.html" if target.is_dir() else target
        anchor = urllib.parse.unquote(url.fragment)
        if not target.is_file():
            print(f"{path.relative_to(top)}: {link} leads nowhere")
            broken += 1
        elif anchor and target in pages and anchor not in pages[target].ids:
            print(f"{path.relative_to(top)}: {link}: that page has no such heading")
            broken += 1
print(f"{len(pages)} pages, {checked} links, {broken} broken")
sys.exit(1 if broken or not checked else 0)
