// Renders the payment page on the server. The document contains the page's data but no inline scripts; the
// browser hydrates from the data.

import type { ComponentChildren } from 'preact'
import { language, checkoutStrings as strings } from '../copy.ts'
import { qrPaths } from '../qr-code.ts'
import { type CheckoutPage, firstModel } from './checkout.ts'
import { OutcomeSign } from './outcomes.tsx'
import { Frame, Page, titleOf } from './page.tsx'
import { renderHtml } from './render-html.ts'

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

// A page with a message and no payment.
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
