// Reads files of listed names into entries, each with its names.
//
//   un_xml    UN Security Council consolidated list: INDIVIDUAL and ENTITY, by DATAID
//   ofac_xml  OFAC SDN.XML: sdnEntry, by uid, with its akaList
//   ofac_csv  OFAC SDN.CSV: ent_num, SDN_Name, …; it has no alternate names, which are in ALT.CSV
//   csv       your own list: one line per name, `id,name`
//
// Entries with the same id are merged into one entry with all their names. A file with a faulty entry, such
// as one without a name, is refused as a whole.

import { parse } from 'csv-parse/sync'
import { encodingOf, type XmlElement } from '#banks/iso20022/xml.ts'
import { streamXml, UnreadableXml } from '#banks/iso20022/xml-stream.ts'
import type { ListEntry } from './names.ts'

export const LIST_FORMATS = ['un_xml', 'ofac_xml', 'ofac_csv', 'csv'] as const
export type ListFormat = (typeof LIST_FORMATS)[number]

export const ENTRIES_MAX = 200_000
const NAME_MAX = 400
const NAMES_MAX = 200

export class UnreadableList extends Error {}

// Reads the entries of a file. If any part of it is faulty, throws UnreadableList with the reason.
export async function readListFile(format: ListFormat, bytes: Buffer): Promise<ListEntry[]> {
  const entries = mergeById(await READERS[format](bytes))
  if (entries.length === 0) throw new UnreadableList('The file has no entries.')
  if (entries.length > ENTRIES_MAX) {
    throw new UnreadableList(`The file has more than ${ENTRIES_MAX} entries.`)
  }
  return entries
}

function mergeById(entries: readonly ListEntry[]): ListEntry[] {
  const byId = Map.groupBy(entries, ({ id }) => id)
  if (byId.size === entries.length) return [...entries]
  return [...byId].map(([id, sameId]) => {
    const names = sameId.flatMap((listEntry) => listEntry.names)
    return sameId.length === 1 ? (sameId[0] as ListEntry) : checkedEntry(id, names, 'The file')
  })
}

const READERS: Record<ListFormat, (bytes: Buffer) => Promise<ListEntry[]> | ListEntry[]> = {
  un_xml: (bytes) =>
    readXmlEntries(bytes, {
      containers: ['CONSOLIDATED_LIST', 'INDIVIDUALS', 'ENTITIES'],
      elements: ['INDIVIDUAL', 'ENTITY'],
      entryOf: readUnEntry,
    }),
  ofac_xml: (bytes) =>
    readXmlEntries(bytes, {
      containers: ['sdnList'],
      elements: ['sdnEntry'],
      entryOf: readOfacEntry,
    }),
  ofac_csv: (bytes) => readCsvEntries(bytes, { isNull: (name) => name === '-0-' }),
  csv: (bytes) => readCsvEntries(bytes, { header: ['id', 'name'] }),
}

// Returns an entry with cleaned names. `place` names the line for the message of a refusal. An id that is
// longer than 64 characters counts as missing.
function checkedEntry(id: string | undefined, names: readonly string[], place: string): ListEntry {
  const cleanNames = [...new Set(names.map((name) => name.replace(/\s+/gu, ' ').trim()))].filter(
    Boolean,
  )
  if (!id || id.length > 64) throw new UnreadableList(`${place}: the entry has no id.`)
  if (cleanNames.length === 0) throw new UnreadableList(`${place}: entry ${id} has no name.`)
  if (cleanNames.length > NAMES_MAX || cleanNames.some((name) => name.length > NAME_MAX)) {
    throw new UnreadableList(`${place}: entry ${id} has too many or too long names.`)
  }
  return { id, names: cleanNames }
}

type XmlShape = {
  containers: readonly string[] // The elements around the entries; the first is the root.
  elements: readonly string[]
  entryOf: (element: XmlElement, place: string) => ListEntry
}

// Reads the entries of an XML file one by one. Refuses a file whose root element is not the first of
// `containers`. Skips elements whose name is not in `elements`.
async function readXmlEntries(bytes: Buffer, shape: XmlShape): Promise<ListEntry[]> {
  const { containers, elements, entryOf } = shape
  const encoding = encodingOf(bytes)
  if (encoding === undefined) throw new UnreadableList('The XML must be UTF-8 or UTF-16.')
  const entries: ListEntry[] = []
  let root: string | undefined
  const isContainer = (name: string) => containers.includes(name)
  try {
    for await (const part of streamXml(decode(bytes, encoding), { encoding, isContainer })) {
      root ??= part.part === 'element' ? part.element.name : part.name
      if (root !== containers[0]) throw new UnreadableList(`The root must be ${containers[0]}.`)
      if (part.part !== 'element' || !elements.includes(part.element.name)) continue
      entries.push(entryOf(part.element, `Line ${part.line}`))
    }
  } catch (error) {
    if (!(error instanceof UnreadableXml)) throw error
    throw new UnreadableList(`Line ${error.line}: ${error.message}`)
  }
  return entries
}

// Passes the decoded file to the XML reader, which takes a stream.
async function* decode(bytes: Buffer, encoding: string): AsyncGenerator<string> {
  yield decodeText(bytes, encoding)
}

// Decodes the file. Refuses bytes that are not valid in the encoding.
function decodeText(bytes: Buffer, encoding: string): string {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    throw new UnreadableList(`The file is not valid ${encoding.toUpperCase()}.`)
  }
}

const textOf = (element: XmlElement, name: string) =>
  element.children.find((child) => child.name === name)?.text.trim() ?? ''

const childrenOf = (element: XmlElement, name: string) =>
  element.children.filter((child) => child.name === name)

const UN_NAMES = ['FIRST_NAME', 'SECOND_NAME', 'THIRD_NAME', 'FOURTH_NAME']

// Reads a person or an entity of the UN list, with its aliases.
function readUnEntry(element: XmlElement, place: string): ListEntry {
  const aliases = [
    ...childrenOf(element, 'INDIVIDUAL_ALIAS'),
    ...childrenOf(element, 'ENTITY_ALIAS'),
  ].map((alias) => textOf(alias, 'ALIAS_NAME'))
  const name = UN_NAMES.map((part) => textOf(element, part)).join(' ')
  return checkedEntry(textOf(element, 'DATAID'), [name, ...aliases], place)
}

// Reads a person or an entity of the OFAC list, with its aliases.
function readOfacEntry(element: XmlElement, place: string): ListEntry {
  const nameOf = (person: XmlElement) =>
    `${textOf(person, 'firstName')} ${textOf(person, 'lastName')}`
  const aliases = childrenOf(element, 'akaList').flatMap((list) => childrenOf(list, 'aka'))
  return checkedEntry(textOf(element, 'uid'), [element, ...aliases].map(nameOf), place)
}

type CsvShape = { header?: readonly string[]; isNull?: (name: string) => boolean }

// Reads the entries of a CSV file. `isNull` recognises the word that stands for a missing name.
function readCsvEntries(bytes: Buffer, { header, isNull }: CsvShape): ListEntry[] {
  const rows = parseCsv(decodeText(bytes, 'utf-8'))
  if (header) {
    const first = rows.shift()?.map((cell) => cell.trim().toLowerCase()) ?? []
    if (header.some((name, index) => first[index] !== name)) {
      throw new UnreadableList(`Line 1: the columns must be ${header.join(', ')}.`)
    }
  }
  return rows.flatMap(([id = '', name = ''], index) => {
    if (id === '\u001a') return [] // SDN.CSV ends with this character.
    const knownName = isNull?.(name.trim()) ? '' : name
    return checkedEntry(id.trim(), [knownName], `Line ${index + (header ? 2 : 1)}`)
  })
}

function parseCsv(csv: string): string[][] {
  try {
    return parse(csv, { bom: true, relax_column_count: true, skip_empty_lines: true, trim: true })
  } catch (error) {
    throw new UnreadableList((error as Error).message)
  }
}
