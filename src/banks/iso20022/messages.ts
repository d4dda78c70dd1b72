// Finds the one document of a message, bare or in an envelope with a business application header
// (BusMsg, DataPDU and the like).

import type { XmlElement } from './xml.ts'

export const NAMESPACE =
  /^urn:iso:std:iso:20022:tech:xsd:([a-z]{4}\.[0-9]{3})\.[0-9]{3}\.([0-9]{2})$/
export const ENVELOPE_DEPTH_MAX = 4

// `name` is the message's, such as camt.054; `version` its two last digits.
export type Iso20022Document = { name: string; version: number; root: XmlElement }

export function findDocuments(
  element: XmlElement,
  depthMax = ENVELOPE_DEPTH_MAX,
): Iso20022Document[] {
  if (element.name === 'Document') {
    const [, name = '', version = ''] = NAMESPACE.exec(element.namespace) ?? []
    return name === '' ? [] : [{ name, version: Number(version), root: element }]
  }
  if (depthMax === 0) return []
  return element.children.flatMap((inner) => findDocuments(inner, depthMax - 1))
}
