// Renders a letter as HTML for mail clients: tables and inline styles, one column of at most 600 pixels, and
// colours that a mail client may darken. Every value is escaped here, and only here.

import { type Brand, type Copy, type Letter, type Part, withoutDirections } from './letter.ts'

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

// For mail clients that follow the recipient's dark mode. Other clients keep or invert the light colours. The
// top border keeps the colour of the brand.
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

type Writing = { copy: Copy; letter: Letter; brand: Brand; subject: string; support: string }

export function renderHtml({ copy, letter, brand, subject, support }: Writing): string {
  const { heading, parts } = letter
  const colour = brand.colour ?? COLOUR
  const preview = parts.find((part) => 'text' in part)?.text ?? heading
  const footer = [copy.sentBy(brand.name), support].filter(Boolean).map(escapeHtml).join('<br>')
  const card = [
    row('padding:24px 24px 16px', brandHtml(brand)),
    row('padding:0 24px 16px', headingHtml(heading)),
    ...parts.map((part) => row('padding:0 24px 16px', partHtml(part, colour))),
    row(`padding:16px 24px 24px;border-top:1px solid ${LINE}`, paragraph('dim', NOTE, footer)),
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

const row = (style: string, content: string) =>
  `<tr><td class="line" style="${style}">${content}</td></tr>`

const paragraph = (tone: 'ink' | 'dim', style: string, content: string) =>
  `<p class="${tone}" style="margin:0;${style}">${content}</p>`

function headingHtml(heading: string): string {
  const style = `margin:0;${STRONG};font-size:22px;line-height:28px`
  return `<h1 class="ink" style="${style}">${escapeHtml(heading)}</h1>`
}

function brandHtml({ name, logo }: Brand): string {
  const style = `${STRONG};font-size:16px;line-height:40px`
  const text = `<span class="ink" style="${style}">${escapeHtml(name)}</span>`
  if (!logo) return text
  const frame = 'height:40px;vertical-align:middle;margin-right:12px;border:0;border-radius:4px'
  return `<img src="${escapeHtml(logo)}" alt="" height="40" style="${frame};background:#ffffff">${text}`
}

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
  return luminance > 0.179 ? '#000000' : '#ffffff'
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escapeHtml(text: string): string {
  const clean = withoutDirections(text)
  return clean.replace(/[&<>"']/g, (character) => ENTITIES[character] as string)
}
