// Renders a message from its facts, as plain text, as HTML, and as the short text for SMS and WhatsApp.
// Payers see the branding of the client that they pay. Users see Manilla's.

import type { Queryable } from '#db/pool.ts'
import type { ClientId } from '#ids.ts'
import { en } from '#messages/copy/en.ts'
import type { Sealer } from '#seal.ts'
import {
  type Attachment,
  type Brand,
  type Copy,
  flat,
  type Letter,
  MESSAGE_KINDS,
  type MessageFacts,
  type MessageKind,
  oneLine,
  type Part,
  withoutDirections,
} from './kinds.ts'

const MANILLA: Brand = {
  name: 'Manilla',
  colour: null,
  logo: null,
  supportEmail: null,
  supportPhone: null,
  supportUrl: null,
}

type BrandQuery = { clientId: ClientId; publicUrl: string; audience: string }

// Returns the branding of the client for messages to its payers, and Manilla's for all others.
async function findBrand(
  db: Queryable,
  { clientId, publicUrl, audience }: BrandQuery,
): Promise<Brand> {
  if (audience !== 'payer') return MANILLA
  const { rows } = await db.query<Omit<Brand, 'logo'> & { logoSha256: string | null }>({
    name: 'brand-of-message',
    text: `select coalesce(c.brand_name, c.name) as name, c.brand_colour as colour,
                  c.brand_support_email as support_email, c.brand_support_phone as support_phone,
                  c.brand_support_url as support_url,
                  (select sha256 from client_logos l where l.client_id = c.id) as logo_sha256
             from clients c where c.id = $1`,
    values: [clientId],
  })
  const [row] = rows
  if (!row) return MANILLA
  const { logoSha256, ...brand } = row
  return { ...brand, logo: logoSha256 && `${publicUrl}/pay/logos/${logoSha256}` }
}

type Rendering = { db: Queryable; sealer: Sealer; publicUrl: string; messageCopy: Copy }

// Renders a stored message, to send it or to show it in the inbox of a sandbox.
export async function renderMessage(
  { db, sealer, publicUrl, messageCopy: copy }: Rendering,
  { kind, factsSealed, clientId }: { kind: MessageKind; factsSealed: Buffer; clientId: ClientId },
) {
  const facts = JSON.parse(sealer.open(factsSealed)) as MessageFacts[typeof kind]
  const { audience } = MESSAGE_KINDS[kind]
  const brand = await findBrand(db, { clientId, publicUrl, audience })
  return { rendered: render(copy, writeLetter(copy, kind, facts), brand), brand }
}

type UnsealedMessage<Kind extends MessageKind> = {
  kind: Kind
  facts: MessageFacts[Kind]
  brandOf: BrandQuery
  copy: Copy
}

// Renders a message without sending it, for previews.
export async function renderFacts<Kind extends MessageKind>(
  db: Queryable,
  { kind, facts, brandOf, copy }: UnsealedMessage<Kind>,
) {
  return render(copy, writeLetter(copy, kind, facts), await findBrand(db, brandOf))
}

type Rendered = {
  subject: string
  text: string
  html: string
  short: string
  attachments: readonly Attachment[]
}

const SUBJECT_LENGTH_MAX = 150
const SHORT_LENGTH_MAX = 600 // The length of four parts of an SMS.

// Turns the facts of a message into its words.
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

// Renders a letter as plain text, for mail clients that do not show HTML.
function renderText(copy: Copy, { heading, parts }: Letter, { brand, support }: Sender): string {
  // One block of text per part of the letter. A table becomes lines of label and value.
  const blocks = parts.map((part) => {
    if ('text' in part) return flat(part.text)
    if ('note' in part) return flat(part.note)
    if ('button' in part) return `${part.button.label}:\n${flat(part.button.link)}`
    return part.rows.map(([label, value]) => flat(`${label}: ${value}`)).join('\n')
  })
  const footer = [copy.sentBy(brand.name), support].filter(Boolean).map(flat).join('\n')
  // A line of two hyphens and a space marks the rest of a mail as its signature.
  const paragraphs = [flat(heading), ...blocks, `-- \n${footer}`]
  return paragraphs.map(withoutDirections).join('\n\n').concat('\n')
}

// The line with the support contacts of the brand, or '' if it has none.
function supportLine({ questions }: Copy, brand: Brand): string {
  const contacts = [brand.supportEmail, brand.supportPhone, brand.supportUrl].filter(Boolean)
  return contacts.length === 0 ? '' : `${questions} ${contacts.join(' · ')}`
}

const COLOUR = '#0b6b4f'
const INK = '#1f2933'
const LINE = '#e4e7eb'
const FONT = `font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif`
const BREAK = 'word-break:break-word'
const BODY = `${FONT};font-size:16px;line-height:24px;color:${INK};${BREAK}`
const NOTE = `${FONT};font-size:14px;line-height:21px;color:#52606d;${BREAK}`
const ROW = `${FONT};font-size:15px;line-height:21px;color:${INK};${BREAK}`
const STRONG = `${FONT};font-weight:600;color:${INK};${BREAK}`
const TABLE = 'role="presentation" cellpadding="0" cellspacing="0" border="0"'

// The styles for mail clients that follow the recipient's dark mode. Other mail clients keep the light
// colours, or invert them. The top border keeps the brand's colour.
const DARK_LINE = ['left', 'right', 'bottom'].map(
  (side) => `border-${side}-color:#33404c!important`,
)
const DARK = `:root{color-scheme:light dark;supported-color-schemes:light dark}
@media (prefers-color-scheme:dark){
.page{background:#11161b!important}
.card{background:#1b232b!important;${DARK_LINE.join(';')}}
.ink{color:#f0f4f8!important}
.dim{color:#b3c0cc!important}
.line{border-color:#33404c!important}}`

type HtmlInput = { copy: Copy; letter: Letter; brand: Brand; subject: string; support: string }

// Renders a letter as HTML. Mail clients need tables and inline styles; the page has one column of up to 600
// pixels. This function and its helpers escape every value; their callers pass plain text.
function renderHtml({ copy, letter, brand, subject, support }: HtmlInput): string {
  const { heading, parts } = letter
  const colour = brand.colour ?? COLOUR
  const preview = parts.find((part) => 'text' in part)?.text ?? heading
  const footer = [copy.sentBy(brand.name), support].filter(Boolean).map(escapeHtml).join('<br>')
  const card = [
    tableRow('padding:24px 24px 16px', brandHtml(brand)),
    tableRow('padding:0 24px 16px', headingHtml(heading)),
    ...parts.map((part) => tableRow('padding:0 24px 16px', partHtml(part, colour))),
    tableRow(`padding:16px 24px 24px;border-top:1px solid ${LINE}`, paragraph('dim', NOTE, footer)),
  ]
  const cardStyle = [
    'max-width:600px;background:#ffffff;border-radius:8px',
    `border:1px solid ${LINE};border-top:4px solid ${colour}`,
  ]
  return `<!doctype html>
<html lang="${copy.language}"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escapeHtml(subject)}</title><style>${DARK}</style></head>
<body class="page" style="margin:0;padding:0;background:#f5f7fa">
<div style="display:none;max-height:0;overflow:hidden">${escapeHtml(preview)}</div>
<table class="page" width="100%" ${TABLE} style="background:#f5f7fa">
<tr><td align="center" style="padding:24px 12px">
<table class="card" width="100%" ${TABLE} style="${cardStyle.join(';')}">
${card.join('\n')}
</table></td></tr></table></body></html>
`
}

const tableRow = (style: string, content: string) =>
  `<tr><td class="line" style="${style}">${content}</td></tr>`

const paragraph = (tone: 'ink' | 'dim', style: string, content: string) =>
  `<p class="${tone}" style="margin:0;${style}">${content}</p>`

// Renders the heading of a letter. Mail clients in dark mode restyle the class `ink` (DARK).
function headingHtml(heading: string): string {
  const style = `margin:0;${STRONG};font-size:22px;line-height:28px`
  return `<h1 class="ink" style="${style}">${escapeHtml(heading)}</h1>`
}

// Renders the brand's name, after its logo if it has one.
function brandHtml({ name, logo }: Brand): string {
  const style = `${STRONG};font-size:16px;line-height:40px`
  const text = `<span class="ink" style="${style}">${escapeHtml(name)}</span>`
  if (!logo) return text
  const frame = 'height:40px;vertical-align:middle;margin-right:12px;border:0;border-radius:4px'
  return `<img src="${escapeHtml(logo)}" alt="" height="40" style="${frame};background:#ffffff">${text}`
}

// Renders one part of a letter: a paragraph, a note, a button, or a table of labels and values.
function partHtml(part: Part, colour: string): string {
  if ('text' in part) return paragraph('ink', BODY, escapeHtml(part.text))
  if ('note' in part) return paragraph('dim', NOTE, escapeHtml(part.note))
  if ('button' in part) return buttonHtml(part.button, colour)
  const line = `border-bottom:1px solid ${LINE}`
  const rows = part.rows.map(([label, value]) => {
    const name = `<td class="dim line" valign="top" style="padding:8px 12px 8px 0;${line};${NOTE}">`
    const cell = `<td class="ink line" align="right" valign="top" style="padding:8px 0;${line};${ROW}">`
    return `<tr>${name}${escapeHtml(label)}</td>${cell}${escapeHtml(value)}</td></tr>`
  })
  return `<table width="100%" ${TABLE}>${rows.join('')}</table>`
}

// Renders a link as a button: `ground` is the style of the table cell that colours the button's background.
function buttonHtml({ label, link }: { label: string; link: string }, colour: string): string {
  const style = [
    'display:inline-block;padding:12px 20px;text-decoration:none',
    `${FONT};font-size:16px;line-height:20px;font-weight:600;color:${readableOn(colour)}`,
  ]
  const anchor = `<a href="${escapeHtml(link)}" style="${style.join(';')}">${escapeHtml(label)}</a>`
  const ground = `border-radius:6px;background:${colour}`
  return `<table ${TABLE}><tr><td bgcolor="${colour}" style="${ground}">${anchor}</td></tr></table>`
}

// Returns black or white, whichever has more contrast with the colour (WCAG).
export function readableOn(colour: string): '#000000' | '#ffffff' {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((from) => {
    const share = Number.parseInt(colour.slice(from, from + 2), 16) / 255
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
  // At this luminance, black and white have the same contrast.
  return luminance > 0.179 ? '#000000' : '#ffffff'
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

// Escapes text for HTML, and removes marks that change the direction of text.
function escapeHtml(text: string): string {
  const clean = withoutDirections(text)
  return clean.replace(/[&<>"']/g, (character) => ENTITIES[character] as string)
}

// The languages that MANILLA_LANGUAGE can name, with the words of all messages. To add a language, write
// copy/<tag>.ts and add it here (docs/translating.md).
const LANGUAGES: Readonly<Record<string, Copy>> = { en }

export const LANGUAGE_NAMES = Object.keys(LANGUAGES)

export function findCopy(language: string): Copy | undefined {
  return Object.hasOwn(LANGUAGES, language) ? LANGUAGES[language] : undefined
}
