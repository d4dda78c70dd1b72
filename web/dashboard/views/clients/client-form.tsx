// The form that creates or edits a client. Also the client's API path, its state and the possible scopes.

import { useState } from 'preact/hooks'
import type { paths } from '../../../../sdk/src/api-types.ts'
import { appStrings, clientsStrings as strings } from '../../../copy.ts'
import { type Schemas, send } from '../../api.ts'
import { DialogForm } from '../../parts/dialog.tsx'
import { CheckBox, type Form, InputField, TextAreaField, useSending } from '../../parts/forms.tsx'
import { Badge } from '../../parts/values.tsx'

const NAME_MAX = 100

type Props = { close: () => void } & (
  | { client: Client; onDone: () => void }
  | { client?: undefined; onDone: (created: Schemas['ClientWithSecret']) => void }
)

// Creates a client, or changes the given one. `onDone` gets a new client with its secret.
export function ClientForm({ client, close, onDone }: Props) {
  const [isOperator, setOperator] = useState(client?.isOperator ?? false)
  // Sends a new client whole, and of a changed one only the changed fields.
  const sending = useSending(async (form, headers) => {
    const fields = readFields(form)
    if (!client) {
      const clientId = form.text('clientId')
      const body = clientId ? { ...fields, clientId } : fields
      return onDone(await send('POST', CLIENTS, { body, headers }))
    }
    const body = changedFields(client, fields)
    const params = { clientId: client.clientId }
    if (Object.keys(body).length > 0) await send('PATCH', CLIENT, { params, body })
    onDone()
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
      <LinesField name="merchantCodes" client={client} />
      <LinesField name="allowedAddresses" client={client} />
    </DialogForm>
  )
}

type Fields = ReturnType<typeof readFields>

// Scopes that the kind of client cannot have are left out, even if they are still ticked.
function readFields(form: Form) {
  const isOperator = form.has('isOperator')
  const chosenScopes = form.getAll('scope')
  return {
    name: form.text('name'),
    isOperator,
    scopes: scopesFor(isOperator).filter((scope) => chosenScopes.includes(scope)),
    merchantCodes: readLines(form, 'merchantCodes'),
    allowedAddresses: readLines(form, 'allowedAddresses'),
  }
}

// Returns the distinct lines of a field, or null if it has none, which means no restriction.
function readLines(form: Form, name: string): string[] | null {
  const lines = form.text(name).split('\n')
  const uniqueLines = new Set(lines.map((line) => line.trim()).filter(Boolean))
  return uniqueLines.size > 0 ? [...uniqueLines] : null
}

// Returns only the changed fields, so that the PATCH keeps another user's changes, and the audit log shows
// only the fields that this user changed.
function changedFields(client: Client, fields: Fields): Partial<Fields> {
  const hasChanged = ([name, value]: [string, unknown]) =>
    comparable(client[name as keyof Fields]) !== comparable(value)
  return Object.fromEntries(Object.entries(fields).filter(hasChanged))
}

// The order of scopes, codes and addresses has no meaning.
const comparable = (value: unknown) =>
  JSON.stringify(Array.isArray(value) ? value.toSorted() : value)

function ScopeChoices(props: { client?: Client | undefined; isOperator: boolean }) {
  const { client, isOperator } = props
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

type LinesFieldProps = { name: 'merchantCodes' | 'allowedAddresses'; client: Client | undefined }

// A field with one merchant code or network address per line.
function LinesField({ name, client }: LinesFieldProps) {
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

export type Client = Schemas['RegisteredClient']
export type ClientDetail = Schemas['ClientDetail']

export const CLIENTS = '/api/v1/operator/clients'
export const CLIENT = '/api/v1/operator/clients/{clientId}'

export function ClientBadge({ client: { isActive } }: { client: Client }) {
  if (isActive) return <Badge state={strings.active} tone="good" />
  return <Badge state={strings.suspended} tone="bad" />
}

type Body = paths['/api/v1/operator/clients']['post']['requestBody']['content']['application/json']
type Scope = NonNullable<Body['scopes']>[number]

// The scopes of a client, and whether only an operator's client may have them. The type is the API's, so a
// new scope does not compile until it is listed here.
const IS_OPERATOR_ONLY: Readonly<Record<Scope, boolean>> = {
  'accounts:read': false,
  'accounts:write': false,
  'payments:read': false,
  'payments:write': false,
  'credits:read': false,
  'webhooks:read': false,
  'webhooks:write': false,
  'suspense:read': false,
  'suspense:write': false,
  'actions:read': false,
  'payouts:read': false,
  'payouts:write': false,
  'refunds:write': false,
  'returns:read': true,
  'returns:write': true,
  'accounting:read': true,
  'accounting:write': true,
  operator: true,
}

// Some scopes exist only for an operator’s client.
export function scopesFor(isOperator: boolean): Scope[] {
  const scopes = Object.keys(IS_OPERATOR_ONLY) as Scope[]
  return scopes.filter((scope) => isOperator || !IS_OPERATOR_ONLY[scope])
}
