// The signature checker: explains why the signature of a request is invalid. The user pastes the request, or
// opens it from a delivery.

import { useState } from 'preact/hooks'
import { webhooksStrings } from '../../../copy.ts'
import { InputField, TextAreaField, useSending } from '../../parts/forms.tsx'
import { Icon } from '../../parts/icons.tsx'
import { checkSignature, type Finding } from '../../signatures.ts'

const { checker: strings } = webhooksStrings

// The form of the signature checker. It checks in the browser, so the secret is not sent.
export function Checker() {
  const [draft] = useState(takeDraft)
  const [findings, setFindings] = useState<readonly Finding[]>([])
  const { isBusy, submit } = useSending(async (form) => {
    const field = (name: string) => String(form.get(name) ?? '')
    // Undoes the conversion of \n to \r\n, which forms make.
    const body = field('body').replaceAll('\r\n', '\n')
    const received = { headers: field('headers'), body, secret: field('secret') }
    setFindings(await checkSignature(received, Date.now()))
  })
  if (!window.isSecureContext) return <p class="notice">{strings.unsafe}</p>
  return (
    <form class="card panel form" onSubmit={submit} noValidate aria-busy={isBusy}>
      <p class="muted">{strings.intro}</p>
      <TextAreaField
        label={strings.headers}
        hint={strings.headersHint}
        name="headers"
        rows={5}
        class="code"
        defaultValue={draft.headers}
      />
      <TextAreaField
        label={strings.body}
        hint={strings.bodyHint}
        name="body"
        rows={8}
        class="code"
        defaultValue={draft.body}
      />
      <InputField
        label={strings.secret}
        hint={strings.secretHint}
        name="secret"
        type="text"
        class="code"
        spellcheck={false}
      />
      <div class="form-end start">
        <button type="submit" class="button primary">
          {strings.check}
        </button>
      </div>
      <Findings findings={findings} />
    </form>
  )
}

function Findings({ findings }: { findings: readonly Finding[] }) {
  return (
    <div role="status" aria-label={strings.result}>
      {findings.map(({ tone, text }) => (
        <p key={text} class={`checked ${tone}`}>
          <Icon name={tone === 'good' ? 'check' : 'warning'} />
          <span>{text}</span>
        </p>
      ))}
    </div>
  )
}

type Draft = { headers: string; body: string }

let draft: Draft = { headers: '', body: '' }

// Fills the form from a delivery, for the next time that the checker opens.
export function fillChecker(request: Draft): void {
  draft = request
}

// Returns the draft once; the checker is empty when it opens again.
function takeDraft(): Draft {
  const current = draft
  draft = { headers: '', body: '' }
  return current
}
