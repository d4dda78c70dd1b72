// Creates or edits a client.

import { useState } from 'preact/hooks'
import { appStrings, clientsStrings as strings } from '../../../copy.ts'
import { type Schemas, send } from '../../api.ts'
import { DialogForm } from '../../parts/dialog.tsx'
import { CheckBox, type Form, InputField, TextAreaField, useSending } from '../../parts/forms.tsx'
import { CLIENT, CLIENTS, type Client } from './client-fields.tsx'
import { scopesFor } from './client-scopes.ts'

const NAME_MAX = 100

type Props = { close: () => void } & (
  | { client: Client; done: () => void }
  | { client?: undefined; done: (created: Schemas['ClientWithSecret']) => void }
)

export function ClientForm({ client, close, done }: Props) {
  const [isOperator, setOperator] = useState(client?.isOperator ?? false)
  const sending = useSending(async (form, headers) => {
    const fields = fieldsOf(form)
    if (!client) {
      const clientId = form.text('clientId')
      const body = clientId ? { ...fields, clientId } : fields
      return done(await send('POST', CLIENTS, { body, headers }))
    }
    const body = changesOf(client, fields)
    const params = { clientId: client.clientId }
    if (Object.keys(body).length > 0) await send('PATCH', CLIENT, { params, body })
    done()
  })
  return (
    <DialogForm
      title={client ? strings.editTitle : strings.create}
      action={client ? appStrings.save : strings.create}
      sending={sending}
      close={close}
    >
      <p class="muted">{client ? strings.editText : strings.createText}</p>
      <InputField
        label={strings.name}
        hint={strings.nameHint}
        name="name"
        required
        maxLength={NAME_MAX}
        defaultValue={client?.name ?? ''}
      />
      {!client && (
        <InputField label={strings.id} hint={strings.idHint} name="clientId" spellcheck={false} />
      )}
      <CheckBox
        name="isOperator"
        checked={isOperator}
        onChange={(event) => setOperator(event.currentTarget.checked)}
        label={strings.isOperator}
      />
      <ScopeChoices client={client} isOperator={isOperator} />
      <Lines name="merchantCodes" client={client} />
      <Lines name="allowedAddresses" client={client} />
    </DialogForm>
  )
}

type Fields = ReturnType<typeof fieldsOf>

function fieldsOf(form: Form) {
  const isOperator = form.has('isOperator')
  const chosen = form.getAll('scope')
  return {
    name: form.text('name'),
    isOperator,
    scopes: scopesFor(isOperator).filter((scope) => chosen.includes(scope)),
    merchantCodes: linesOf(form, 'merchantCodes'),
    allowedAddresses: linesOf(form, 'allowedAddresses'),
  }
}

function linesOf(form: Form, name: string): string[] | null {
  const lines = form.text(name).split('\n')
  const written = new Set(lines.map((line) => line.trim()).filter(Boolean))
  return written.size > 0 ? [...written] : null
}

// Only the changed fields, so that somebody else's change stays and the audit log shows the intent.
function changesOf(client: Client, fields: Fields): Partial<Fields> {
  const isOther = ([name, value]: [string, unknown]) =>
    inOrder(client[name as keyof Fields]) !== inOrder(value)
  return Object.fromEntries(Object.entries(fields).filter(isOther))
}

const inOrder = (value: unknown) => JSON.stringify(Array.isArray(value) ? value.toSorted() : value)

function ScopeChoices({
  client,
  isOperator,
}: {
  client?: Client | undefined
  isOperator: boolean
}) {
  return (
    <fieldset class="choices">
      <legend>{strings.scopes}</legend>
      <div class="type-choices">
        {scopesFor(isOperator).map((scope) => (
          <CheckBox
            key={scope}
            name="scope"
            value={scope}
            defaultChecked={client?.scopes.includes(scope) ?? true}
            label={<code>{scope}</code>}
          />
        ))}
      </div>
    </fieldset>
  )
}

type LinesProps = { name: 'merchantCodes' | 'allowedAddresses'; client: Client | undefined }

function Lines({ name, client }: LinesProps) {
  return (
    <TextAreaField
      label={strings[name]}
      hint={strings[`${name}Hint`]}
      name={name}
      rows={2}
      class="code"
      spellcheck={false}
      defaultValue={client?.[name]?.join('\n') ?? ''}
    />
  )
}
