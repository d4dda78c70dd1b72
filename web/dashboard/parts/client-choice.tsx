// A field for a client id, for operators: typed, or chosen by a part of the id or name. Shows the client's
// name below the field.

import { useId, useRef, useState } from 'preact/hooks'
import { clientsStrings as strings } from '../../copy.ts'
import { getPage, type Schemas } from '../api.ts'
import { useLoaded } from '../loading.ts'
import { Field } from './forms.tsx'

const SHOWN = '20'

// A field for a client id that suggests clients while the operator types a name or id.
export function ClientChoice({ label, chosen: initial = '' }: { label: string; chosen?: string }) {
  const [text, setText] = useState(initial)
  const listId = useId()
  const search = text.trim()
  const { data } = useLoaded(search, (signal) => {
    const query = { search, limit: SHOWN }
    return getPage('/api/v1/operator/clients', {}, { query, signal })
  })
  const foundClients = useRef<readonly Schemas['Client'][]>([])
  if (data) foundClients.current = data.data // Earlier results stay visible while loading.
  const chosen = foundClients.current.find(({ clientId }) => clientId === search)
  return (
    <Field label={label} hint={chosen?.name ?? strings.choiceHint}>
      {(id) => (
        <>
          <input
            id={id}
            name="clientId"
            list={listId}
            required
            maxLength={100}
            autocomplete="off"
            spellcheck={false}
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
          <datalist id={listId}>
            {foundClients.current.map(({ clientId, name }) => (
              <option key={clientId} value={clientId}>
                {name}
              </option>
            ))}
          </datalist>
        </>
      )}
    </Field>
  )
}
