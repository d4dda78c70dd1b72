// Days in camt.053: a date, or a time of which the day in West Africa counts.

import { child, textOf, type XmlElement } from '#banks/iso20022/xml.ts'
import { dayAlone, parseBankTime, watDay } from '#wat-time.ts'

// Of a choice of Dt and DtTm, as in BookgDt. Undefined when there is none, or it is no day.
export function dayIn(element: XmlElement | undefined, name: string): string | undefined {
  const choice = child(element, name)
  return dayOfText(textOf(choice, 'Dt')) ?? dayOfText(textOf(choice, 'DtTm'))
}

export function dayOfText(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  // A date with an offset is still that date.
  const alone = dayAlone(text)
  if (alone) return alone.slice(0, 10)
  const time = parseBankTime(text)
  return time && watDay(time)
}
