// Reads XML of any size, piece by piece, for statements that are too large for memory. A container (an
// element that surrounds the others, such as a statement) is reported when it opens and when it closes. Each
// other element directly in a container is reported as a small tree when it is complete. The reader is as
// strict as xml.ts, and the limits of xml.ts apply to each tree.

import { SaxesParser } from 'saxes'
import {
  ATTRIBUTES_MAX,
  DEPTH_MAX,
  ELEMENTS_MAX,
  elementOf,
  isDeclaredAs,
  type XmlElement,
} from './xml.ts'

// The most characters that memory holds: of the text between two tags, and of one tree.
const GAP_CHARS_MAX = 4 * 1024 ** 2
const TREE_CHARS_MAX = 16 * 1024 ** 2
const CHUNK_CHARS = 65_536

type XmlPart =
  | { part: 'open' | 'close'; name: string; namespace: string; line: number }
  | { part: 'element'; element: XmlElement; line: number }

// Returns whether an element is a container. `path` has the containers around it, from the root on.
type IsContainer = (name: string, path: readonly XmlElement[]) => boolean

// Thrown at the first fault or limit.
export class UnreadableXml extends Error {
  readonly line: number

  constructor(line: number, message: string) {
    super(message)
    this.line = line
  }
}

// Yields the parts of the document as soon as they are complete.
export async function* streamXml(
  text: AsyncIterable<string>,
  { encoding, isContainer }: { encoding: string; isContainer: IsContainer },
): AsyncGenerator<XmlPart> {
  const trees = new GrowingTrees(encoding, isContainer)
  for await (const piece of text) {
    for (let start = 0; start < piece.length; start += CHUNK_CHARS) {
      yield* trees.write(piece.slice(start, start + CHUNK_CHARS))
    }
  }
  yield* trees.close()
}

// Collects the elements that the parser reports into trees.
class GrowingTrees {
  readonly #parser = new SaxesParser({
    xmlns: true,
    forceXMLVersion: true,
    defaultXMLVersion: '1.0',
  })
  readonly #isContainer: IsContainer
  readonly #containers: XmlElement[] = []
  readonly #open: XmlElement[] = [] // The open elements of the current tree.
  #parts: XmlPart[] = []
  #line = 1 // The line of the opening tag.
  #treeLine = 1
  #elements = 0
  #attributes = 0
  #gapChars = 0
  #treeChars = 0

  constructor(encoding: string, isContainer: IsContainer) {
    this.#isContainer = isContainer
    this.#handleParserEvents(encoding)
  }

  // Parses the next piece of the text. Returns the parts that it completes.
  write(chunk: string): readonly XmlPart[] {
    this.#gapChars += chunk.length
    this.#treeChars += chunk.length
    this.#run(() => this.#parser.write(chunk))
    if (this.#gapChars > GAP_CHARS_MAX) this.#fail('A text in the XML is too long.')
    if (this.#treeChars > TREE_CHARS_MAX) this.#fail('An element of the XML is too large.')
    return this.#takeParts()
  }

  close(): readonly XmlPart[] {
    this.#run(() => this.#parser.close())
    return this.#takeParts()
  }

  // Returns the parts that are complete, each once.
  #takeParts(): readonly XmlPart[] {
    const parts = this.#parts
    this.#parts = []
    return parts
  }

  // Runs the parser, and turns its errors into one message that does not quote the document.
  #run(step: () => void): void {
    try {
      step()
    } catch (error) {
      if (error instanceof UnreadableXml) throw error
      this.#fail(`The XML is not well-formed (column ${this.#parser.column}).`)
    }
  }

  #fail(message: string): never {
    throw new UnreadableXml(this.#parser.line, message)
  }

  #handleParserEvents(encoding: string): void {
    const parser = this.#parser
    parser.on('xmldecl', (declaration) => {
      if (declaration.encoding !== undefined && !isDeclaredAs(declaration.encoding, encoding)) {
        this.#fail('The encoding that the XML declares is not the one it is written in.')
      }
    })
    parser.on('doctype', () => this.#fail('A DOCTYPE is not accepted.'))
    parser.on('opentagstart', () => this.#beginElement())
    parser.on('attribute', () => {
      if (++this.#attributes > ATTRIBUTES_MAX) this.#fail('An element has too many attributes.')
    })
    parser.on('opentag', (tag) => this.#openElement(elementOf(tag)))
    parser.on('text', (text) => this.#addText(text))
    parser.on('cdata', (text) => this.#addText(text))
    parser.on('comment', () => {
      this.#gapChars = 0
    })
    parser.on('closetag', () => this.#closeElement())
  }

  // Checks the limits before the parser reads the attributes of an element.
  #beginElement(): void {
    this.#gapChars = 0
    this.#attributes = 0
    this.#line = this.#parser.line
    if (this.#containers.length + this.#open.length >= DEPTH_MAX) {
      this.#fail('The XML is nested too deeply.')
    }
    if (++this.#elements > ELEMENTS_MAX) this.#fail('An element of the XML has too many elements.')
  }

  // Reports a container, and adds any other element to the current tree or begins a tree with it.
  #openElement(element: XmlElement): void {
    const parent = this.#open.at(-1)
    if (!parent && this.#isContainer(element.name, this.#containers)) {
      this.#containers.push(element)
      this.#elements = 0
      this.#treeChars = 0
      this.#report('open', element)
      return
    }
    if (parent) parent.children.push(element)
    else {
      this.#treeLine = this.#line
      this.#elements = 0
      this.#treeChars = 0
    }
    this.#open.push(element)
  }

  // Ignores text between containers.
  #addText(text: string): void {
    this.#gapChars = 0
    const element = this.#open.at(-1)
    if (element) element.text += text
  }

  // Reports the end of a container, or a tree that is complete.
  #closeElement(): void {
    this.#gapChars = 0
    const element = this.#open.pop()
    if (!element) this.#report('close', this.#containers.pop() as XmlElement)
    else if (this.#open.length === 0) {
      this.#parts.push({ part: 'element', element, line: this.#treeLine })
    }
  }

  #report(part: 'open' | 'close', { name, namespace }: XmlElement): void {
    this.#parts.push({ part, name, namespace, line: this.#parser.line })
  }
}
