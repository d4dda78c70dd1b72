// Previews of each kind of message, with invented facts and the client's branding.

import { useState } from 'preact/hooks'
import { messagesStrings } from '../../../copy.ts'
import { useData } from '../../loading.ts'
import { SelectField } from '../../parts/forms.tsx'
import { Pending } from '../../parts/states.tsx'
import { MailFrame } from './mail-frame.tsx'

const { previews: strings, kinds } = messagesStrings
const KINDS = Object.keys(kinds)

// Shows the chosen kind of notice as a mail and as a short message.
export function Previews() {
  const [kind, setKind] = useState('payer.receipt')
  const loaded = useData('/api/v1/notice-previews/{kind}', { kind })
  return (
    <section class="card panel" aria-labelledby="previews">
      <h2 id="previews">{strings.title}</h2>
      <p class="muted">{strings.text}</p>
      <SelectField
        label={strings.kind}
        name="kind"
        options={KINDS}
        names={kinds}
        chosen={kind}
        onChange={({ currentTarget }: { currentTarget: HTMLSelectElement }) =>
          setKind(currentTarget.value)
        }
      />
      <Pending {...loaded} kind="page" lines={8} />
      {loaded.data && (
        <>
          <h3>{loaded.data.subject}</h3>
          <MailFrame html={loaded.data.html} title={loaded.data.subject} />
          <h3>{strings.short}</h3>
          <pre class="mail-text">{loaded.data.short}</pre>
        </>
      )}
    </section>
  )
}
