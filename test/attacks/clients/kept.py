#!/usr/bin/env python3
"""kept.py application < log

Prints the queries that this application has sent, each once whatever the oids in it, from a server's
log that was written with log_statement = all and log_line_prefix = '@@%a@@',
with the values of parameters in their places.
"""
import re
import sys


def entries(lines, application):
    """Messages of the application, continued lines joined to their first."""
    entry = None
    for line in lines:
        start = re.match(r'@@(.*?)@@(\w+):  (.*)', line, re.S)
        if start is None:
            if entry is not None and line.startswith('\t'):
                entry[1] += line[1:]
            continue
        if entry is not None:
            yield entry
        entry = [start[2], start[3]] if start[1] == application else None
    if entry is not None:
        yield entry


def with_values(query, detail):
    values = dict(re.findall(r"(\$\d+) = ('(?:[^']|'')*'|NULL)", detail))
    return re.sub(r'\$\d+', lambda place: values.get(place[0], place[0]), query)


def queries(lines, application):
    query = None
    for kind, text in entries(lines, application):
        if kind == 'DETAIL' and query is not None:
            query = with_values(query, text)
            continue
        if query is not None:
            yield query
        start = re.match(r'(?:statement|execute [^:]*): (.*)', text, re.S)
        query = start[1].strip() if start is not None else None
    if query is not None:
        yield query


def main():
    seen = set()
    for query in queries(sys.stdin, sys.argv[1]):
        query = re.sub(r'\s+', ' ', query).rstrip('; ')
        shape = re.sub(r"'\d+'", "''", query)
        if re.match(r'(SELECT|WITH)\b', query) and 'dp_count' not in query and shape not in seen:
            seen.add(shape)
            print(query + '\n;')


main()
