// Parses CSV.

import assert from 'node:assert/strict'

// By RFC 4180.
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

// Rows by column name.
export function parseCsv(text: string): Record<string, string>[] {
  const [head = [], ...rows] = parseLines(text)
  return rows.map((cells) => {
    assert.equal(cells.length, head.length)
    return Object.fromEntries(head.map((name, at) => [name, cells[at] as string]))
  })
}
