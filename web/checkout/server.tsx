// Renders the payment page on the server. The document contains the page's data but no inline scripts; the
// browser hydrates from the data.

import type { ComponentChildren, VNode } from 'preact'
import { language, checkoutStrings as strings } from '../copy.ts'
import { qrPaths } from '../qr-code.ts'
import { type CheckoutPage, firstModel } from './checkout.ts'
import { OutcomeSign } from './outcomes.tsx'
import { Frame, Page, titleOf } from './page.tsx'

type Files = { script: string; styles: readonly string[] }

const RELOAD_SECONDS = 15

// Without JavaScript the page reloads itself until the status is final.
export function drawCheckout(page: CheckoutPage, files: Files): string {
  const model = firstModel(page)
  const { status } = page.checkout
  const isFinal = status === 'Successful' || status === 'Cancelled' || status === 'Reversed'
  return drawDocument(
    titleOf(model),
    <>
      <StyleLinks styles={files.styles} />
      <script type="module" src={files.script} />
      {!isFinal && (
        <noscript>
          <meta http-equiv="refresh" content={String(RELOAD_SECONDS)} />
        </noscript>
      )}
    </>,
    <div id="page" data-page={JSON.stringify(page)}>
      <Page model={model} actions={undefined} />
    </div>,
  )
}

// Renders the empty page for the dashboard's branding preview.
export function drawEmpty(styles: readonly string[]): string {
  return drawDocument(strings.sample.title, <StyleLinks styles={styles} />, <div id="page" />)
}

// The page for an unknown payment request.
export function drawMissing({ styles }: Files): string {
  return drawNotice(styles, { title: strings.missingTitle, hint: strings.missingHint })
}

// The page while the service cannot answer, with a link to try again.
export function drawUnavailable({ styles }: Files, address: string): string {
  const { unavailableTitle, unavailableHint, tryAgain } = strings
  const children = (
    <div class="actions">
      <a class="primary" href={address}>
        {tryAgain}
      </a>
    </div>
  )
  return drawNotice(styles, { title: unavailableTitle, hint: unavailableHint, children })
}

// The QR code of the payment page’s link, as an SVG image of its own. Level L of error correction has the
// largest modules.
export function drawQrCode(link: string): string {
  const { size, white, black } = qrPaths(link, 'L')
  return renderHtml(
    // biome-ignore lint/a11y/noSvgWithoutTitle: the page that embeds this image names it
    <svg
      xmlns="http://www.w3.org/2000/svg"
      viewBox={`0 0 ${size} ${size}`}
      shape-rendering="crispEdges"
    >
      <path fill="#fff" d={white} />
      <path d={black} />
    </svg>,
  )
}

function drawNotice(
  styles: readonly string[],
  { title, hint, children }: { title: string; hint: string; children?: ComponentChildren },
): string {
  return drawDocument(
    title,
    <StyleLinks styles={styles} />,
    <Frame merchant={undefined} note={undefined}>
      <div class="outcome">
        <OutcomeSign kind="stopped" />
        <h1>{title}</h1>
        <p class="hint">{hint}</p>
        {children}
      </div>
    </Frame>,
  )
}

function StyleLinks({ styles }: Pick<Files, 'styles'>) {
  return (
    <>
      {styles.map((href) => (
        <link key={href} rel="stylesheet" href={href} />
      ))}
    </>
  )
}

// The whole HTML document around the page. It has no icon, so that browsers request none.
function drawDocument(title: string, head: ComponentChildren, body: ComponentChildren): string {
  const document = (
    <html lang={language.tag}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="format-detection" content="telephone=no" />
        <meta name="robots" content="noindex" />
        <link rel="icon" href="data:," />
        <title>{title}</title>
        {head}
      </head>
      <body>{body}</body>
    </html>
  )
  return `<!doctype html>${renderHtml(document)}`
}

// Void elements of HTML. SVG elements must be closed.
const VOID = new Set(['br', 'hr', 'img', 'input', 'link', 'meta'])
const NOT_ATTRIBUTES = new Set(['children', 'key', 'ref'])
const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

// A component is called as a plain function, which works because the page’s components have no hooks. A void
// element, such as <img>, gets no closing tag.
function renderHtml(node: ComponentChildren): string {
  if (node === null || node === undefined || typeof node === 'boolean') return ''
  if (Array.isArray(node)) return node.map(renderHtml).join('')
  if (typeof node !== 'object') return escapeHtml(String(node))
  const { type, props } = node as VNode<Record<string, unknown>>
  if (typeof type === 'function') {
    return renderHtml((type as (props: object) => ComponentChildren)(props))
  }
  const openingTag = `<${type}${renderAttributes(props)}>`
  const isVoid = VOID.has(type as string)
  return isVoid
    ? openingTag
    : `${openingTag}${renderHtml(props.children as ComponentChildren)}</${type}>`
}

// Omits event handlers, and props that are not attributes, such as `key`.
function renderAttributes(props: Record<string, unknown>): string {
  return Object.entries(props)
    .filter(([name]) => !NOT_ATTRIBUTES.has(name) && !/^on[A-Z]/.test(name))
    .map(([name, value]) => renderAttribute(name, value))
    .join('')
}

// A boolean attribute is present or absent; aria and data attributes (`isTristate`) are written as "true" or
// "false".
function renderAttribute(name: string, value: unknown): string {
  if (value === null || value === undefined) return ''
  const isTristate = name.startsWith('aria-') || name.startsWith('data-')
  if (typeof value === 'boolean' && !isTristate) return value ? ` ${name}` : ''
  return ` ${name}="${escapeHtml(String(value))}"`
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ESCAPES[character] as string)
}
