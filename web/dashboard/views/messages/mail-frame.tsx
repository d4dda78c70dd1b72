// Shows a mail as its recipient sees it, in a frame without scripts. Mails have inline styles, which our
// content security policy forbids; so they are renamed in the HTML and applied one by one with a script of
// the dashboard.

import { useRef } from 'preact/hooks'

const STYLE = 'data-style'

// Shows a mail in a frame without scripts. The content security policy forbids inline styles, so they are
// taken out of the HTML and applied when the frame has loaded.
export function MailFrame({ html, title }: { html: string; title: string }) {
  const frame = useRef<HTMLIFrameElement>(null)
  return (
    <iframe
      ref={frame}
      class="mail-frame"
      title={title}
      sandbox="allow-same-origin"
      srcdoc={withoutStyles(html)}
      onLoad={() => frame.current && applyStyles(frame.current)}
    />
  )
}

// Renames the style attributes in the text, because parsing them would report violations of the policy.
// Attribute values in our mails contain no quotation marks, so a plain replacement is safe.
function withoutStyles(html: string): string {
  return html.replace(/<style>[\s\S]*?<\/style>/g, '').replaceAll(' style="', ` ${STYLE}="`)
}

// Gives the elements their styles back, and the frame the height of the mail.
function applyStyles(frame: HTMLIFrameElement): void {
  const page = frame.contentDocument
  if (!page) return
  for (const element of page.querySelectorAll<HTMLElement>(`[${STYLE}]`)) {
    element.style.cssText = element.getAttribute(STYLE) ?? ''
  }
  frame.style.height = `${page.documentElement.scrollHeight}px`
}
