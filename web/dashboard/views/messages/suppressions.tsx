// Addresses to which the service sends no messages, because a message bounced or a user added the address.

import { messagesStrings } from '../../../copy.ts'
import { type Schemas, send } from '../../api.ts'
import { Action } from '../../parts/action.tsx'
import { InputField } from '../../parts/forms.tsx'
import { ListView } from '../../parts/list-view.tsx'
import type { Column } from '../../parts/table.tsx'
import { Badge, Time } from '../../parts/values.tsx'
import { useRefreshKey } from '../../steady-refresh.ts'
import type { ViewProps } from '../../view-props.ts'

const { suppressions: strings } = messagesStrings

type Suppression = Schemas['MessageSuppression']

const PATH = '/api/v1/message-suppressions'

// The addresses that get no more messages, which users with write access can add and remove.
export function Suppressions(props: ViewProps) {
  const [refreshKey, refresh] = useRefreshKey()
  const mayWrite = props.session.scopes.includes('webhooks:write')
  const columns: readonly Column<Suppression>[] = [
    { name: strings.recipient, place: 'lead', show: ({ recipient }) => recipient },
    {
      name: strings.reason,
      place: 'state',
      show: ({ reason }) => <Badge state={strings.reasons[reason]} tone="calm" />,
    },
    { name: strings.detail, place: 'second', show: ({ detail }) => detail },
    { name: strings.created, place: 'time', show: ({ createdAt }) => <Time at={createdAt} /> },
    {
      name: strings.remove,
      show: (suppression) => mayWrite && <RemoveSuppression {...suppression} onDone={refresh} />,
    },
  ]
  return (
    <ListView
      {...props}
      view="messages"
      icon="attempt"
      path={PATH}
      caption={strings.caption}
      columns={columns}
      keyOf={({ id }) => `${id}`}
      refreshKey={refreshKey}
      emptyState={{ title: strings.none, text: strings.noneText }}
      add={(changed) => mayWrite && <AddSuppression onDone={changed} />}
    />
  )
}

function AddSuppression({ onDone }: { onDone: () => void }) {
  return (
    <Action
      action={strings.add}
      style="primary"
      run={(form, headers) => {
        const detail = form.text('detail')
        const body = { address: form.text('address'), ...(detail ? { detail } : {}) }
        return send('POST', PATH, { body, headers })
      }}
      message={strings.added}
      onDone={onDone}
    >
      <InputField
        label={strings.address}
        name="address"
        errorField="address"
        required
        maxLength={254}
      />
      <InputField label={strings.note} name="detail" errorField="detail" maxLength={200} />
    </Action>
  )
}

function RemoveSuppression({ id, recipient, onDone }: Suppression & { onDone: () => void }) {
  return (
    <Action
      action={strings.remove}
      style="small"
      name={`${strings.remove}: ${recipient}`}
      title={strings.removeTitle}
      text={strings.removeText}
      run={() => send('DELETE', `${PATH}/{id}`, { params: { id } })}
      message={strings.removed}
      onDone={onDone}
    />
  )
}
