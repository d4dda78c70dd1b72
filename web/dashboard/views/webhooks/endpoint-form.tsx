// Adds or edits an endpoint.

import { useState } from 'preact/hooks'
import { EVENT_TYPES } from '../../../../sdk/src/api-types.ts'
import { appStrings, webhooksStrings } from '../../../copy.ts'
import { send } from '../../api.ts'
import { DialogForm } from '../../parts/dialog.tsx'
import { Field, textOf, useSending } from '../../parts/forms.tsx'
import type { Endpoint } from './endpoint-state.ts'

const { form: strings } = webhooksStrings
const PATH = '/api/v1/webhook-endpoints'
const SUBSCRIBABLE = EVENT_TYPES.filter((type) => type !== 'endpoint.test')

type Props = {
  endpoint?: Endpoint // To be changed; without: a new one.
  close: () => void
  done: (secret?: string) => void // Of a new one.
}

export function EndpointForm({ endpoint, close, done }: Props) {
  const [isAll, setAll] = useState(!endpoint?.eventTypes)
  const [fault, setFault] = useState('')
  const sending = useSending(async (given, headers) => {
    const chosen = SUBSCRIBABLE.filter((type) => given.getAll('type').includes(type))
    if (!isAll && chosen.length === 0) return setFault(strings.noneChosen)
    setFault('')
    const body = { url: textOf(given, 'url'), eventTypes: isAll ? null : chosen }
    if (!endpoint) return done((await send('POST', PATH, { body, headers })).secret)
    await send('PATCH', `${PATH}/{id}`, { params: { id: endpoint.id }, body })
    done()
  })
  return (
    <DialogForm
      title={endpoint ? strings.changeTitle : strings.addTitle}
      action={endpoint ? appStrings.save : strings.addTitle}
      sending={sending}
      close={close}
    >
      <Field label={strings.address} hint={strings.addressHint}>
        {(id) => (
          <input
            id={id}
            name="url"
            type="url"
            required
            autocomplete="off"
            placeholder="https://"
            defaultValue={endpoint?.url ?? ''}
          />
        )}
      </Field>
      <fieldset class="choices">
        <legend>{strings.types}</legend>
        <label class="option">
          <input type="radio" name="which" checked={isAll} onChange={() => setAll(true)} />
          {strings.allTypes}
        </label>
        <label class="option">
          <input type="radio" name="which" checked={!isAll} onChange={() => setAll(false)} />
          {strings.theseTypes}
        </label>
        {!isAll && <TypeChoices chosen={endpoint?.eventTypes ?? []} />}
      </fieldset>
      <p role="alert" class="fault">
        {fault}
      </p>
    </DialogForm>
  )
}

function TypeChoices({ chosen }: { chosen: readonly string[] }) {
  return (
    <div class="type-choices">
      {SUBSCRIBABLE.map((type) => (
        <label key={type} class="option">
          <input type="checkbox" name="type" value={type} defaultChecked={chosen.includes(type)} />
          <code>{type}</code>
        </label>
      ))}
    </div>
  )
}
