// A font with one glyph, ₦, which the test browser's fonts lack; pictures of money need it. TrueType,
// written by hand: an N with two bars.

type Point = readonly [x: number, y: number]

const EM = 1000
const ADVANCE = 800
const NAIRA = 0x20a6

// Clockwise, so that overlaps add up.
const rectangle = (x: number, y: number, width: number, height: number): Point[] => [
  [x, y],
  [x, y + height],
  [x + width, y + height],
  [x + width, y],
]
const CONTOURS: readonly (readonly Point[])[] = [
  rectangle(130, 0, 84, 714),
  rectangle(586, 0, 84, 714),
  [
    [130, 714],
    [234, 714],
    [670, 0],
    [566, 0],
  ],
  rectangle(30, 406, ADVANCE - 60, 56),
  rectangle(30, 262, ADVANCE - 60, 56),
]

export function makeNairaFont(): Buffer {
  const glyph = glyphTable()
  const tables: Record<string, Buffer> = {
    cmap: cmapTable(),
    glyf: glyph,
    head: headTable(),
    hhea: shorts(1, 0, 900, 0x10000 - 250, 0, ADVANCE, 0, 0, ADVANCE, 1, 0, 0, 0, 0, 0, 0, 0, 2),
    hmtx: shorts(ADVANCE, 0, ADVANCE, 0),
    loca: shorts(0, 0, glyph.length / 2), // No .notdef, then the glyph.
    maxp: shorts(1, 0, 2, ...pointCounts(), 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0),
    name: nameTable('Naira Sign'),
  }
  return assemble(tables)
}

function assemble(tables: Record<string, Buffer>): Buffer {
  const names = Object.keys(tables).sort()
  const head = shorts(1, 0, names.length, 128, 3, names.length * 16 - 128)
  let offset = head.length + names.length * 16
  const entries = names.map((name) => {
    const { length } = tables[name] as Buffer
    const entry = Buffer.concat([Buffer.from(name), longs(0, offset, length)])
    offset += (length + 3) & ~3
    return entry
  })
  const bodies = names.map((name) => padded(tables[name] as Buffer))
  return Buffer.concat([head, ...entries, ...bodies])
}

// Format 4: one segment for the sign, and one that ends the table.
function cmapTable(): Buffer {
  const segments = [NAIRA, 0xffff, 0, NAIRA, 0xffff, (1 - NAIRA) & 0xffff, 1, 0, 0]
  const table = [4, 32, 0, 4, 4, 1, 0, ...segments]
  return Buffer.concat([shorts(0, 1, 3, 1), longs(12), shorts(...table)])
}

function headTable(): Buffer {
  const times = longs(0, 0, 0, 0)
  return Buffer.concat([
    longs(0x10000, 0x10000, 0, 0x5f0f3cf5),
    shorts(0, EM),
    times,
    shorts(0, 0, ADVANCE, 714, 0, 8, 2, 0, 0),
  ])
}

function glyphTable(): Buffer {
  const points = CONTOURS.flat()
  let last = -1
  const ends = CONTOURS.map((contour) => {
    last += contour.length
    return last
  })
  const deltas = (axis: 0 | 1) =>
    points.map((point, at) => (point[axis] - (points[at - 1]?.[axis] ?? 0)) & 0xffff)
  const flags = Buffer.alloc(points.length, 1) // On the curve; both coordinates as shorts.
  const head = shorts(CONTOURS.length, 0, 0, ADVANCE, 714, ...ends, 0)
  return padded(Buffer.concat([head, flags, shorts(...deltas(0), ...deltas(1))]))
}

function pointCounts(): number[] {
  return [CONTOURS.flat().length, CONTOURS.length]
}

function nameTable(family: string): Buffer {
  const text = Buffer.from(family, 'utf16le').swap16()
  const records = [1, 4, 6].flatMap((id) => [3, 1, 0x409, id, text.length, 0])
  return Buffer.concat([shorts(0, 3, 6 + records.length * 2, ...records), text])
}

function padded(table: Buffer): Buffer {
  return Buffer.concat([table, Buffer.alloc(-table.length & 3)])
}

function shorts(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 2)
  for (const [at, value] of values.entries()) bytes.writeUInt16BE(value & 0xffff, at * 2)
  return bytes
}

function longs(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4)
  for (const [at, value] of values.entries()) bytes.writeUInt32BE(value, at * 4)
  return bytes
}
