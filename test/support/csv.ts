// Parses CSV files of the service.

import assert from 'node:assert/strict'

// The cells of each line, by RFC 4180. Asserts the byte order mark and CRLF that Excel needs.
export function parseLines(text: string): string[][] {
  assert(text.startsWith('\ufeff') && text.endsWith('\r\n'))
  const cells = [...text.slice(1).matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)]
  const rows: string[][] = [[]]
  for (const [, quoted, plain, end] of cells) {
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain ?? '')
    if (end === '\r\n') rows.push([])
  }
  return rows.slice(0, -1)
}

// One object per row, with the column names as keys.
export function parseCsv(text: string): Record<string, string>[] {
  const [head = [], ...rows] = parseLines(text)
  return rows.map((cells) => {
    assert.equal(cells.length, head.length)
    return Object.fromEntries(head.map((name, at) => [name, cells[at] as string]))
  })
}
