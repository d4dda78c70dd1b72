// XML from a bank, read into a small tree. Strict and namespace-aware; a document with a DOCTYPE is
// refused before any entity in it could exist, so there is nothing to expand and nothing to fetch.
//
// Reading stops at the first fault or limit: a hostile body costs no more than its honest part.

import { isUtf8 } from 'node:buffer'
import { SaxesParser } from 'saxes'

// The parser asks every open element for the meaning of a name: without this bound, 100,000 levels
// keep it busy for minutes.
const DEPTH_MAX = 32
const ELEMENTS_MAX = 200_000 // 1,000 transactions of the fullest kind have about 100,000
const ATTRIBUTES_MAX = 32
const CHUNK_CHARS = 65_536

// `name` is the local name for elements of the root's namespace; others carry theirs in front.
export type XmlElement = {
  name: string
  attributes: ReadonlyMap<string, string>
  children: XmlElement[]
  text: string
}

class Unreadable extends Error {}

const NO_ATTRIBUTES: ReadonlyMap<string, string> = new Map()

export function readXml(
  rawBody: Buffer,
): { root: XmlElement; namespace: string } | { malformed: string } {
  if (!isUtf8(rawBody)) return { malformed: 'The body is not valid UTF-8.' }
  const parser = new SaxesParser({ xmlns: true, forceXMLVersion: true, defaultXMLVersion: '1.0' })
  const tree = growTree(parser)
  const text = rawBody.toString('utf8')
  try {
    // In pieces, since the parser looks at a piece as a whole before it reports anything of it.
    for (let at = 0; at < text.length; at += CHUNK_CHARS) {
      parser.write(text.slice(at, at + CHUNK_CHARS))
    }
    parser.close()
  } catch (error) {
    if (error instanceof Unreadable) return { malformed: error.message }
    const place = `line ${parser.line}, column ${parser.column}`
    return { malformed: `The body is not well-formed XML (${place}).` }
  }
  // The parser has refused a document without a root by now.
  return { root: tree.document.children[0] as XmlElement, namespace: tree.namespace }
}

function growTree(parser: SaxesParser<{ xmlns: true }>) {
  const document: XmlElement = { name: '', attributes: NO_ATTRIBUTES, children: [], text: '' }
  const tree = { document, namespace: '' }
  const open = [document]
  let elements = 0
  let attributes = 0

  parser.on('xmldecl', ({ encoding }) => {
    if (encoding !== undefined && !/^(?:utf-8|us-ascii)$/i.test(encoding)) {
      throw new Unreadable('The XML must be encoded in UTF-8.')
    }
  })
  parser.on('doctype', () => {
    throw new Unreadable('A DOCTYPE is not accepted.')
  })
  parser.on('opentagstart', () => {
    attributes = 0
    if (open.length > DEPTH_MAX) throw new Unreadable('The XML is nested too deeply.')
    if (++elements > ELEMENTS_MAX) throw new Unreadable('The XML has too many elements.')
  })
  parser.on('attribute', () => {
    if (++attributes > ATTRIBUTES_MAX) throw new Unreadable('An element has too many attributes.')
  })
  parser.on('opentag', (tag) => {
    if (open.length === 1) tree.namespace = tag.uri
    const name = tag.uri === tree.namespace ? tag.local : `{${tag.uri}}${tag.local}`
    const plain = Object.values(tag.attributes).filter((attribute) => attribute.prefix === '')
    const element: XmlElement = {
      name,
      attributes:
        plain.length === 0
          ? NO_ATTRIBUTES
          : new Map(plain.map((attribute) => [attribute.local, attribute.value])),
      children: [],
      text: '',
    }
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
  return tree
}

// What should occur once and occurs twice counts as absent: nobody can say which one is meant.
export function child(element: XmlElement | undefined, ...path: string[]): XmlElement | undefined {
  let at = element
  for (const name of path) {
    const found = at === undefined ? [] : children(at, name)
    at = found.length === 1 ? found[0] : undefined
  }
  return at
}

export function children(element: XmlElement, name: string): XmlElement[] {
  return element.children.filter((one) => one.name === name)
}

export function textOf(element: XmlElement | undefined, ...path: string[]): string | undefined {
  return child(element, ...path)?.text.trim()
}
