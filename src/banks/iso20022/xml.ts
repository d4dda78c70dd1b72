// Reads XML from a bank into a small tree. The reader is strict and namespace-aware. It refuses a document
// with a DOCTYPE before any entity is defined, so there are no entities to expand or to fetch.
//
// Reading stops at the first fault or limit, so that a hostile body costs little.

import { SaxesParser, type SaxesTagNS } from 'saxes'

// The bytes of an XML body may be UTF-8, UTF-16 or Latin-1. A byte order mark decides the encoding, else the
// zero bytes that UTF-16 has next to "<", else the declaration. Bytes that are invalid in the encoding are
// refused, never replaced.

const UTF_8 = 'utf-8'

// The names by which a declaration may call each encoding. Latin-1 is decoded as windows-1252, as browsers
// do.
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

function decodeXml(bytes: Buffer): { text: string; encoding: string } | { malformed: string } {
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

// Finds the encoding of a document from its first bytes; undefined for an encoding that we do not read. The
// first DECLARATION_BYTES_MAX bytes are enough.
export function encodingOf(bytes: Buffer): string | undefined {
  const mark = MARKS.find(([start]) => start.every((byte, index) => bytes[index] === byte))
  if (mark) return mark[1]
  const declared = DECLARATION.exec(bytes.toString('latin1', 0, DECLARATION_BYTES_MAX))?.[1]
  // If the document claims UTF-16 but is not written so, the XML reader reports the contradiction.
  if (declared === undefined || /^utf-16/i.test(declared)) return UTF_8
  return [UTF_8, 'windows-1252', 'iso-8859-15'].find((encoding) => isDeclaredAs(declared, encoding))
}

// To resolve a name, the parser searches all open elements. Without this limit, 100,000 levels would keep it
// busy for minutes.
export const DEPTH_MAX = 32
export const ELEMENTS_MAX = 200_000 // 1,000 transactions with every field have about 100,000.
export const ATTRIBUTES_MAX = 32
const CHUNK_CHARS = 65_536

// `name` is the local name.
export type XmlElement = {
  name: string
  namespace: string
  attributes: ReadonlyMap<string, string>
  children: XmlElement[]
  text: string
}

// Thrown inside the parser's callbacks to stop reading. The message tells the bank the reason.
class Unreadable extends Error {}

const NO_ATTRIBUTES: ReadonlyMap<string, string> = new Map()

// Reads a whole document into a tree.
export function readXml(
  rawBody: Buffer,
  elementsMax = ELEMENTS_MAX,
): { root: XmlElement } | { malformed: string } {
  const decoded = decodeXml(rawBody)
  if ('malformed' in decoded) return decoded
  const { text, encoding } = decoded
  const parser = new SaxesParser({ xmlns: true, forceXMLVersion: true, defaultXMLVersion: '1.0' })
  const document = growTree(parser, { encoding, elementsMax })
  try {
    // Writes in pieces, because the parser reads a whole piece before it reports any element in the piece.
    for (let start = 0; start < text.length; start += CHUNK_CHARS) {
      parser.write(text.slice(start, start + CHUNK_CHARS))
    }
    parser.close()
  } catch (error) {
    if (error instanceof Unreadable) return { malformed: error.message }
    const place = `line ${parser.line}, column ${parser.column}`
    return { malformed: `The body is not well-formed XML (${place}).` }
  }
  // The parser has already refused a document without a root.
  return { root: document.children[0] as XmlElement }
}

// Makes the parser add its elements to a tree. Returns an element that contains the root.
function growTree(
  parser: SaxesParser<{ xmlns: true }>,
  { encoding, elementsMax }: { encoding: string; elementsMax: number },
): XmlElement {
  const document: XmlElement = {
    name: '',
    namespace: '',
    attributes: NO_ATTRIBUTES,
    children: [],
    text: '',
  }
  const open = [document]
  let elements = 0
  let attributes = 0

  parser.on('xmldecl', (declaration) => {
    if (declaration.encoding !== undefined && !isDeclaredAs(declaration.encoding, encoding)) {
      throw new Unreadable('The encoding that the XML declares is not the one it is written in.')
    }
  })
  parser.on('doctype', () => {
    throw new Unreadable('A DOCTYPE is not accepted.')
  })
  parser.on('opentagstart', () => {
    attributes = 0
    if (open.length > DEPTH_MAX) throw new Unreadable('The XML is nested too deeply.')
    if (++elements > elementsMax) throw new Unreadable('The XML has too many elements.')
  })
  parser.on('attribute', () => {
    if (++attributes > ATTRIBUTES_MAX) throw new Unreadable('An element has too many attributes.')
  })
  parser.on('opentag', (tag) => {
    const element = elementOf(tag)
    ;(open.at(-1) as XmlElement).children.push(element)
    open.push(element)
  })
  parser.on('text', (text) => {
    ;(open.at(-1) as XmlElement).text += text
  })
  parser.on('cdata', (text) => {
    ;(open.at(-1) as XmlElement).text += text
  })
  parser.on('closetag', () => {
    open.pop()
  })
  return document
}

// Returns the element of an opening tag, without children and text, which follow later. Leaves out attributes
// with a prefix.
export function elementOf(tag: SaxesTagNS): XmlElement {
  const plain = Object.values(tag.attributes).filter((attribute) => attribute.prefix === '')
  return {
    name: tag.local,
    namespace: tag.uri,
    attributes:
      plain.length === 0
        ? NO_ATTRIBUTES
        : new Map(plain.map((attribute) => [attribute.local, attribute.value])),
    children: [],
    text: '',
  }
}

// Returns the children with this name in the element's own namespace. A bank's additions in another namespace
// are ignored.
export function children(element: XmlElement | undefined, name: string): XmlElement[] {
  if (element === undefined) return []
  return element.children.filter(
    (candidate) => candidate.name === name && candidate.namespace === element.namespace,
  )
}

// Returns the element at the end of a path of names. An element that should occur once but occurs twice is
// treated as absent, because it is ambiguous.
export function child(element: XmlElement | undefined, ...path: string[]): XmlElement | undefined {
  let current = element
  for (const name of path) {
    const matches = children(current, name)
    current = matches.length === 1 ? matches[0] : undefined
  }
  return current
}

// Returns the text of an element without children. Text next to child elements is no value: "1<b>5</b>00" is
// neither 100 nor 1500.
export function leafText(element: XmlElement): string | undefined {
  return element.children.length === 0 ? element.text.trim() : undefined
}

// Returns the text at the end of a path of names; undefined if there is none.
export function textOf(element: XmlElement | undefined, ...path: string[]): string | undefined {
  const leaf = child(element, ...path)
  return leaf && leafText(leaf)
}

// A message has its document bare or in an envelope with a business application header (BusMsg, DataPDU and
// the like).

// ISO's own namespaces, and those of national variants. A variant ends in the name of the message and may add
// its own version: http://www.six-interbank-clearing.com/de/pain.002.001.03.ch.02.xsd.
const MESSAGE = '([a-z]{4}\\.[0-9]{3})\\.[0-9]{3}\\.([0-9]{2})'
export const NAMESPACE = new RegExp(
  `^(?:urn:|https?://).{0,200}[:/$]${MESSAGE}(?:\\.[a-z]{2}\\.[0-9]{2})?(?:\\.xsd)?$`,
)
export const ENVELOPE_DEPTH_MAX = 4

// `name` is the message, such as camt.054. `version` is its version number.
export type Iso20022Document = { name: string; version: number; root: XmlElement }

// Finds the messages in a document: the root itself, or those in an envelope.
export function findDocuments(
  element: XmlElement,
  depthMax = ENVELOPE_DEPTH_MAX,
): Iso20022Document[] {
  if (element.name === 'Document') {
    const [, name = '', version = ''] =
      NAMESPACE.exec(element.namespace) ?? nameWithoutNamespace(element)
    return name === '' ? [] : [{ name, version: Number(version), root: element }]
  }
  if (depthMax === 0) return []
  return element.children.flatMap((inner) => findDocuments(inner, depthMax - 1))
}

// Returns name and version of a status report without a namespace, which some banks write. The name of its
// message, used since version 03, identifies it.
function nameWithoutNamespace({ namespace, children: [message] }: XmlElement): readonly string[] {
  return namespace === '' && message?.name === 'CstmrPmtStsRpt' ? ['', 'pain.002', '03'] : []
}
