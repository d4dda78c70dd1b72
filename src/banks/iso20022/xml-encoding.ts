// The bytes of an XML body as text: UTF-8, UTF-16 or Latin-1.
//
// A byte order mark decides, else the zero bytes that UTF-16 puts beside "<", else the declaration.
// Bytes that are not of their encoding are refused, never replaced.

const UTF_8 = 'utf-8'

// The names that a declaration may give each. Latin-1 is decoded as windows-1252, as browsers do.
const DECLARED: Record<string, RegExp> = {
  [UTF_8]: /^(?:utf-?8|us-ascii)$/i,
  'utf-16le': /^utf-16(?:le)?$/i,
  'utf-16be': /^utf-16(?:be)?$/i,
  'windows-1252': /^(?:iso-8859-1|latin-?1|windows-1252)$/i,
  'iso-8859-15': /^iso-8859-15$/i,
}

const DECLARATION = /^<\?xml\s[^>]{0,100}?\bencoding\s*=\s*["']([A-Za-z0-9._-]{1,40})["']/
export const DECLARATION_BYTES_MAX = 200

const MARKS: readonly [bytes: readonly number[], encoding: string][] = [
  [[0xff, 0xfe], 'utf-16le'],
  [[0xfe, 0xff], 'utf-16be'],
  [[0x3c, 0x00], 'utf-16le'],
  [[0x00, 0x3c], 'utf-16be'],
]

export function decodeXml(
  bytes: Buffer,
): { text: string; encoding: string } | { malformed: string } {
  const encoding = encodingOf(bytes)
  if (encoding === undefined) {
    return { malformed: 'The XML must be encoded in UTF-8, UTF-16 or ISO-8859-1.' }
  }
  try {
    return { text: new TextDecoder(encoding, { fatal: true }).decode(bytes), encoding }
  } catch {
    return { malformed: `The body is not valid ${encoding.toUpperCase()}.` }
  }
}

export function isDeclaredAs(name: string, encoding: string): boolean {
  return DECLARED[encoding]?.test(name) ?? false
}

// Undefined when it is none that we read. The first 200 bytes are enough.
export function encodingOf(bytes: Buffer): string | undefined {
  const mark = MARKS.find(([start]) => start.every((byte, at) => bytes[at] === byte))
  if (mark) return mark[1]
  const declared = DECLARATION.exec(bytes.toString('latin1', 0, DECLARATION_BYTES_MAX))?.[1]
  // Declared as UTF-16 and written otherwise: the reader says so at the declaration.
  if (declared === undefined || /^utf-16/i.test(declared)) return UTF_8
  return [UTF_8, 'windows-1252', 'iso-8859-15'].find((known) => isDeclaredAs(declared, known))
}
