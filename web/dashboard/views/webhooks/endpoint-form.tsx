// Adds or edits an endpoint.

import { useState } from 'preact/hooks'
import { EVENT_TYPES } from '../../../../sdk/src/api-types.ts'
import { appStrings, webhooksStrings } from '../../../copy.ts'
import { send } from '../../api.ts'
import { DialogForm } from '../../parts/dialog.tsx'
import { CheckBox, InputField, useSending } from '../../parts/forms.tsx'
import type { Endpoint } from './endpoint-state.ts'

const { form: strings } = webhooksStrings
const PATH = '/api/v1/webhook-endpoints'
const SUBSCRIBABLE = EVENT_TYPES.filter((type) => type !== 'endpoint.test')

type Props = {
  endpoint?: Endpoint // Without one, the form creates one.
  close: () => void
  done: (newSecret?: string) => void
}

export function EndpointForm({ endpoint, close, done }: Props) {
  const [isAll, setAll] = useState(!endpoint?.eventTypes)
  const [fault, setFault] = useState('')
  const sending = useSending(async (form, headers) => {
    const chosen = SUBSCRIBABLE.filter((type) => form.getAll('type').includes(type))
    if (!isAll && chosen.length === 0) return setFault(strings.noneChosen)
    setFault('')
    const body = { url: form.text('url'), eventTypes: isAll ? null : chosen }
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
      <InputField
        label={strings.address}
        hint={strings.addressHint}
        name="url"
        type="url"
        required
        placeholder="https://"
        defaultValue={endpoint?.url ?? ''}
      />
      <fieldset class="choices">
        <legend>{strings.types}</legend>
        <CheckBox
          type="radio"
          name="which"
          checked={isAll}
          onChange={() => setAll(true)}
          label={strings.allTypes}
        />
        <CheckBox
          type="radio"
          name="which"
          checked={!isAll}
          onChange={() => setAll(false)}
          label={strings.theseTypes}
        />
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
        <CheckBox
          key={type}
          name="type"
          value={type}
          defaultChecked={chosen.includes(type)}
          label={<code>{type}</code>}
        />
      ))}
    </div>
  )
}
