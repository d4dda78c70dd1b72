// Shows a mail as its recipient sees it, in a frame without scripts. Mails consist of inline styles, which
// our content security policy does not allow. So the dashboard applies the styles one by one.

import { useRef } from 'preact/hooks'

const STYLE = 'data-style'

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

// Edits the HTML as text, because a parser would report the styles as violations. Attribute values in our
// mails contain no quotation marks.
function withoutStyles(html: string): string {
  return html.replace(/<style>[\s\S]*?<\/style>/g, '').replaceAll(' style="', ` ${STYLE}="`)
}

function applyStyles(frame: HTMLIFrameElement): void {
  const page = frame.contentDocument
  if (!page) return
  for (const element of page.querySelectorAll<HTMLElement>(`[${STYLE}]`)) {
    element.style.cssText = element.getAttribute(STYLE) ?? ''
  }
  frame.style.height = `${page.documentElement.scrollHeight}px`
}
