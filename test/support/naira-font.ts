// Makes a TrueType font with one glyph, the ₦ sign, an N with two bars. The fonts of the test browser lack
// it, and pictures of amounts need it.

type Point = readonly [x: number, y: number]

const EM = 1000 // Font units per em; all sizes below are in these units.
const ADVANCE = 800
const NAIRA = 0x20a6

// All contours are clockwise, so that overlaps are filled, not cut out.
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

// Builds the tables that a TrueType font needs. Zeros are fields that this font does not use.
export function makeNairaFont(): Buffer {
  const glyph = glyphTable()
  const tables: Record<string, Buffer> = {
    cmap: cmapTable(),
    glyf: glyph,
    head: headTable(),
    // Version 1.0, ascent 900, descent -250, widths; the last number counts the entries of hmtx.
    hhea: shorts(1, 0, 900, 0x10000 - 250, 0, ADVANCE, 0, 0, ADVANCE, 1, 0, 0, 0, 0, 0, 0, 0, 2),
    hmtx: shorts(ADVANCE, 0, ADVANCE, 0),
    loca: shorts(0, 0, glyph.length / 2), // The glyph .notdef is empty.
    maxp: shorts(1, 0, 2, ...pointCounts(), 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0),
    name: nameTable('Naira Sign'),
  }
  return assembleFont(tables)
}

// The font file: a directory of the tables, then the tables.
function assembleFont(tables: Record<string, Buffer>): Buffer {
  const names = Object.keys(tables).sort()
  // Version, number of tables, and three numbers for a binary search among eight tables: 128, 3 and a rest.
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

// Maps the character ₦ to the glyph (format 4): one segment for the sign, and one that ends the table.
function cmapTable(): Buffer {
  const segments = [NAIRA, 0xffff, 0, NAIRA, 0xffff, (1 - NAIRA) & 0xffff, 1, 0, 0]
  const table = [4, 32, 0, 4, 4, 1, 0, ...segments]
  return Buffer.concat([shorts(0, 1, 3, 1), longs(12), shorts(...table)])
}

// The general table: version, checksum (not set), magic number, units per em, times, and the bounding box.
function headTable(): Buffer {
  const times = longs(0, 0, 0, 0)
  return Buffer.concat([
    longs(0x10000, 0x10000, 0, 0x5f0f3cf5),
    shorts(0, EM),
    times,
    shorts(0, 0, ADVANCE, 714, 0, 8, 2, 0, 0),
  ])
}

// The outline of the sign.
function glyphTable(): Buffer {
  const points = CONTOURS.flat()
  let last = -1
  // The index of the last point of each contour.
  const ends = CONTOURS.map((contour) => {
    last += contour.length
    return last
  })
  // Each coordinate is stored relative to the point before.
  const deltas = (axis: 0 | 1) =>
    points.map((point, index) => (point[axis] - (points[index - 1]?.[axis] ?? 0)) & 0xffff)
  const flags = Buffer.alloc(points.length, 1) // On the curve; both coordinates as shorts.
  const head = shorts(CONTOURS.length, 0, 0, ADVANCE, 714, ...ends, 0)
  return padded(Buffer.concat([head, flags, shorts(...deltas(0), ...deltas(1))]))
}

function pointCounts(): number[] {
  return [CONTOURS.flat().length, CONTOURS.length]
}

// The name of the font as family, full name and PostScript name (ids 1, 4 and 6).
function nameTable(family: string): Buffer {
  const text = Buffer.from(family, 'utf16le').swap16()
  const records = [1, 4, 6].flatMap((id) => [3, 1, 0x409, id, text.length, 0])
  return Buffer.concat([shorts(0, 3, 6 + records.length * 2, ...records), text])
}

// Pads a table to a multiple of four bytes.
function padded(table: Buffer): Buffer {
  return Buffer.concat([table, Buffer.alloc(-table.length & 3)])
}

// Integers of 16 bits, big-endian, as fonts store them.
function shorts(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 2)
  for (const [at, value] of values.entries()) bytes.writeUInt16BE(value & 0xffff, at * 2)
  return bytes
}

// Integers of 32 bits, big-endian.
function longs(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4)
  for (const [at, value] of values.entries()) bytes.writeUInt32BE(value, at * 4)
  return bytes
}
