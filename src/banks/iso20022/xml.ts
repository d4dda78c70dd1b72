// XML from a bank, read into a small tree. Strict and namespace-aware; a document with a DOCTYPE is
// refused before any entity in it could exist, so there is nothing to expand and nothing to fetch.
//
// Reading stops at the first fault or limit: a hostile body costs no more than its honest part.

import { SaxesParser, type SaxesTagNS } from 'saxes'
import { decodeXml, isDeclaredAs } from './xml-encoding.ts'

// The parser asks every open element for the meaning of a name: without this bound, 100,000 levels
// keep it busy for minutes.
export const DEPTH_MAX = 32
export const ELEMENTS_MAX = 200_000 // 1,000 transactions of the fullest kind have about 100,000
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

class Unreadable extends Error {}

const NO_ATTRIBUTES: ReadonlyMap<string, string> = new Map()

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
  return { root: document.children[0] as XmlElement }
}

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

// Without children and text yet.
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

// Of the element's own namespace: what a bank adds in another one is never taken for the standard's.
export function children(element: XmlElement | undefined, name: string): XmlElement[] {
  if (element === undefined) return []
  return element.children.filter((one) => one.name === name && one.namespace === element.namespace)
}

// What should occur once and occurs twice counts as absent: nobody can say which one is meant.
export function child(element: XmlElement | undefined, ...path: string[]): XmlElement | undefined {
  let at = element
  for (const name of path) {
    const found = children(at, name)
    at = found.length === 1 ? found[0] : undefined
  }
  return at
}

// Text and elements side by side are no value: "1<b>5</b>00" is neither 100 nor 1500.
export function leafText(element: XmlElement): string | undefined {
  return element.children.length === 0 ? element.text.trim() : undefined
}

export function textOf(element: XmlElement | undefined, ...path: string[]): string | undefined {
  const found = child(element, ...path)
  return found && leafText(found)
}
