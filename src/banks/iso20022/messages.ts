// Finds the one document of a message, bare or in an envelope with a business application header
// (BusMsg, DataPDU and the like).

import type { XmlElement } from './xml.ts'

// ISO's own, and those of national variants, which end in the name of the message and may add a
// version of their own: http://www.six-interbank-clearing.com/de/pain.002.001.03.ch.02.xsd.
const MESSAGE = '([a-z]{4}\\.[0-9]{3})\\.[0-9]{3}\\.([0-9]{2})'
export const NAMESPACE = new RegExp(
  `^(?:urn:|https?://).{0,200}[:/$]${MESSAGE}(?:\\.[a-z]{2}\\.[0-9]{2})?(?:\\.xsd)?$`,
)
export const ENVELOPE_DEPTH_MAX = 4

// `name` is the message's, such as camt.054; `version` its two last digits.
export type Iso20022Document = { name: string; version: number; root: XmlElement }

export function findDocuments(
  element: XmlElement,
  depthMax = ENVELOPE_DEPTH_MAX,
): Iso20022Document[] {
  if (element.name === 'Document') {
    const [, name = '', version = ''] = NAMESPACE.exec(element.namespace) ?? unnamed(element)
    return name === '' ? [] : [{ name, version: Number(version), root: element }]
  }
  if (depthMax === 0) return []
  return element.children.flatMap((inner) => findDocuments(inner, depthMax - 1))
}

// Some banks write a status report without any namespace. The name of its message, which is that of
// version 03 and later, tells what it is.
function unnamed({ namespace, children: [message] }: XmlElement): readonly string[] {
  return namespace === '' && message?.name === 'CstmrPmtStsRpt' ? ['', 'pain.002', '03'] : []
}
