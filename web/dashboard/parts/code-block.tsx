// Verbatim text with a copy button.

import { appStrings } from '../../copy.ts'
import { CopyButton } from './values.tsx'

type Props = { label: string; text: string; copied?: string; isWrapped?: boolean }

// `copied` is the exact text, if `text` is formatted for reading.
export function CodeBlock({ label, text, copied = text, isWrapped = false }: Props) {
  return (
    <div class="code-block">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it. */}
      <pre tabIndex={0} class={isWrapped ? 'wrapped' : ''}>
        {text}
      </pre>
      <CopyButton text={copied} name={label} announcement={appStrings.copied(label)} />
    </div>
  )
}
