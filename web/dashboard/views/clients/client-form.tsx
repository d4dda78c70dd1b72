// Creates or edits a client.

import { useState } from 'preact/hooks'
import { appStrings, clientsStrings as strings } from '../../../copy.ts'
import { type Schemas, send } from '../../api.ts'
import { DialogForm } from '../../parts/dialog.tsx'
import { Field, textOf, useSending } from '../../parts/forms.tsx'
import { CLIENT, CLIENTS, type Client } from './client-fields.tsx'
import { scopesFor } from './client-scopes.ts'

const NAME_MAX = 100

type Made = Schemas['ClientWithSecret']
type Props = { close: () => void } & (
  | { client: Client; done: () => void } // To be changed …
  | { client?: undefined; done: (made: Made) => void } // … or a new one.
)

export function ClientForm({ client, close, done }: Props) {
  const [isOperator, setOperator] = useState(client?.isOperator ?? false)
  const sending = useSending(async (given, headers) => {
    const fields = fieldsOf(given)
    if (!client) {
      const clientId = textOf(given, 'clientId')
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
      <Field label={strings.name} hint={strings.nameHint}>
        {(id) => (
          <input
            id={id}
            name="name"
            required
            maxLength={NAME_MAX}
            autocomplete="off"
            defaultValue={client?.name ?? ''}
          />
        )}
      </Field>
      {!client && (
        <Field label={strings.id} hint={strings.idHint}>
          {(id) => <input id={id} name="clientId" autocomplete="off" spellcheck={false} />}
        </Field>
      )}
      <label class="option">
        <input
          type="checkbox"
          name="isOperator"
          checked={isOperator}
          onChange={(event) => setOperator(event.currentTarget.checked)}
        />
        {strings.isOperator}
      </label>
      <ScopeChoices client={client} isOperator={isOperator} />
      <Lines name="merchantCodes" client={client} />
      <Lines name="allowedAddresses" client={client} />
    </DialogForm>
  )
}

type Fields = ReturnType<typeof fieldsOf>

function fieldsOf(given: FormData) {
  const isOperator = given.has('isOperator')
  const chosen = given.getAll('scope')
  return {
    name: textOf(given, 'name'),
    isOperator,
    scopes: scopesFor(isOperator).filter((scope) => chosen.includes(scope)),
    merchantCodes: linesOf(given, 'merchantCodes'),
    allowedAddresses: linesOf(given, 'allowedAddresses'),
  }
}

function linesOf(given: FormData, name: string): string[] | null {
  const lines = textOf(given, name).split('\n')
  const written = new Set(lines.map((line) => line.trim()).filter(Boolean))
  return written.size > 0 ? [...written] : null
}

// Only what is another: what somebody else changes meanwhile stays, and the audit log says what was
// meant.
function changesOf(client: Client, fields: Fields): Partial<Fields> {
  const isOther = ([name, value]: [string, unknown]) =>
    inOrder(client[name as keyof Fields]) !== inOrder(value)
  return Object.fromEntries(Object.entries(fields).filter(isOther))
}

const inOrder = (value: unknown) => JSON.stringify(Array.isArray(value) ? value.toSorted() : value)

type ScopeProps = { client: Client | undefined; isOperator: boolean }

function ScopeChoices({ client, isOperator }: ScopeProps) {
  return (
    <fieldset class="choices">
      <legend>{strings.scopes}</legend>
      <div class="type-choices">
        {scopesFor(isOperator).map((scope) => (
          <label key={scope} class="option">
            <input
              type="checkbox"
              name="scope"
              value={scope}
              defaultChecked={client?.scopes.includes(scope) ?? true}
            />
            <code>{scope}</code>
          </label>
        ))}
      </div>
    </fieldset>
  )
}

type LinesProps = { name: 'merchantCodes' | 'allowedAddresses'; client: Client | undefined }

function Lines({ name, client }: LinesProps) {
  return (
    <Field label={strings[name]} hint={strings[`${name}Hint`]}>
      {(id) => (
        <textarea
          id={id}
          name={name}
          rows={2}
          class="code"
          spellcheck={false}
          defaultValue={client?.[name]?.join('\n') ?? ''}
        />
      )}
    </Field>
  )
}
