// Renders a letter as plain text, as HTML (html.ts), and as the short text of SMS and WhatsApp.

import { renderHtml } from './html.ts'
import type { MessageFacts, MessageKind } from './kinds.ts'
import {
  type Attachment,
  type Brand,
  type Copy,
  flat,
  type Letter,
  oneLine,
  withoutDirections,
} from './letter.ts'

export type Rendered = {
  subject: string
  text: string
  html: string
  short: string
  attachments: readonly Attachment[]
}

const SUBJECT_LENGTH_MAX = 150
const SHORT_LENGTH_MAX = 600 // The length of four parts of an SMS.

export function writeLetter<Kind extends MessageKind>(
  copy: Copy,
  kind: Kind,
  facts: MessageFacts[Kind],
): Letter {
  return copy.kinds[kind](facts)
}

export function render(copy: Copy, letter: Letter, brand: Brand): Rendered {
  const subject = oneLine(letter.subject, SUBJECT_LENGTH_MAX)
  const support = supportLine(copy, brand)
  return {
    subject,
    text: renderText(copy, letter, { brand, support }),
    html: renderHtml({ copy, letter, brand, subject, support }),
    short: oneLine(letter.short, SHORT_LENGTH_MAX),
    attachments: letter.attachments ?? [],
  }
}

type Sender = { brand: Brand; support: string }

function renderText(copy: Copy, { heading, parts }: Letter, { brand, support }: Sender): string {
  const blocks = parts.map((part) => {
    if ('text' in part) return flat(part.text)
    if ('note' in part) return flat(part.note)
    if ('button' in part) return `${part.button.label}:\n${flat(part.button.link)}`
    return part.rows.map(([label, value]) => flat(`${label}: ${value}`)).join('\n')
  })
  const footer = [copy.sentBy(brand.name), support].filter(Boolean).map(flat).join('\n')
  const all = [flat(heading), ...blocks, `-- \n${footer}`]
  return all.map(withoutDirections).join('\n\n').concat('\n')
}

function supportLine({ questions }: Copy, brand: Brand): string {
  const ways = [brand.supportEmail, brand.supportPhone, brand.supportUrl].filter(Boolean)
  return ways.length === 0 ? '' : `${questions} ${ways.join(' · ')}`
}
