// Creates a payout file for a bank.

import { useState } from 'preact/hooks'
import { payoutFilesStrings as strings } from '../../../copy.ts'
import { send } from '../../api.ts'
import { useData } from '../../loading.ts'
import { DialogForm } from '../../parts/dialog.tsx'
import { choiceOf, Field, textOf, useSending } from '../../parts/forms.tsx'
import { Failed, Skeleton } from '../../parts/states.tsx'
import { toast } from '../../parts/toasts.tsx'
import { goTo, hrefOf } from '../../routing.ts'

const FORMATS = ['pain.001', 'csv'] as const

export function CreateFile({ done }: { done: () => void }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" class="button primary" onClick={() => setOpen(true)}>
        {strings.create}
      </button>
      {isOpen && (
        <FileForm
          close={() => setOpen(false)}
          done={(id) => {
            setOpen(false)
            toast(strings.made(id))
            done()
            goTo(hrefOf('payouts', id, { tab: 'files' }))
          }}
        />
      )}
    </>
  )
}

function FileForm({ close, done }: { close: () => void; done: (id: string) => void }) {
  const sending = useSending(async (given, headers) => {
    const body = {
      bankCode: textOf(given, 'bankCode'),
      format: choiceOf(given, 'format', FORMATS),
    }
    const { id } = await send('POST', '/api/v1/operator/payout-files', { body, headers })
    done(id)
  })
  return (
    <DialogForm title={strings.createTitle} action={strings.create} sending={sending} close={close}>
      <p class="muted">{strings.createText}</p>
      <OurBanks />
      <Field label={strings.format}>
        {(id) => (
          <select id={id} name="format">
            {FORMATS.map((format) => (
              <option key={format} value={format}>
                {strings.formatChoices[format]}
              </option>
            ))}
          </select>
        )}
      </Field>
    </DialogForm>
  )
}

function OurBanks() {
  const { data, problem, reload } = useData('/api/v1/operator/banks', {})
  if (problem) return <Failed problem={problem} retry={reload} />
  if (!data) return <Skeleton kind="text" lines={2} />
  return (
    <Field label={strings.bank}>
      {(id) => (
        <select id={id} name="bankCode" required>
          <option value="">{strings.chooseBank}</option>
          {data.map(({ code, name }) => (
            <option key={code} value={code}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}
