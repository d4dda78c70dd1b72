// Actions on a client. The service refuses to suspend one's own.

import { useState } from 'preact/hooks'
import { appStrings, clientsStrings as strings } from '../../../copy.ts'
import { type Query, send } from '../../api.ts'
import { DialogForm } from '../../parts/dialog.tsx'
import { Field, textOf, useSending } from '../../parts/forms.tsx'
import { toast } from '../../parts/toasts.tsx'
import { follow, hrefOf } from '../../routing.ts'
import { CLIENT, type ClientDetail } from './client-fields.tsx'
import { ClientForm } from './client-form.tsx'

const REASON_MAX = 500

type Verb = 'suspend' | 'resume'
type Decision = 'approve' | 'reject'
type Props = { client: ClientDetail; isOwn: boolean; query: Query; changed: () => void }

export function ClientActions({ client, isOwn, query, changed }: Props) {
  const [asking, setAsking] = useState<'edit' | Verb | `${Decision}Name` | undefined>()
  const close = () => setAsking(undefined)
  const done = (said: string) => {
    close()
    toast(said)
    changed()
  }
  const button = (name: 'edit' | Verb | `${Decision}Name`, tone = '') => (
    <button type="button" class={`button ${tone}`} onClick={() => setAsking(name)}>
      {strings[name]}
    </button>
  )
  const users = hrefOf('clients', undefined, { ...query, usersOf: client.clientId })
  return (
    <>
      <div class="actions">
        {!isOwn && !client.isActive && button('resume', 'primary')}
        {client.pendingAccountName && button('approveName', 'primary')}
        {client.pendingAccountName && button('rejectName')}
        {button('edit')}
        <a class="button" href={users} onClick={follow}>
          {strings.users}
        </a>
        {!isOwn && client.isActive && button('suspend', 'danger-text')}
      </div>
      {asking === 'edit' && (
        <ClientForm client={client} close={close} done={() => done(appStrings.saved)} />
      )}
      {(asking === 'suspend' || asking === 'resume') && (
        <StateForm client={client} verb={asking} close={close} done={done} />
      )}
      {(asking === 'approveName' || asking === 'rejectName') && client.pendingAccountName && (
        <NameForm
          clientId={client.clientId}
          accountName={client.pendingAccountName}
          decision={asking === 'approveName' ? 'approve' : 'reject'}
          close={close}
          done={done}
        />
      )}
    </>
  )
}

type StateProps = {
  client: ClientDetail
  verb: Verb
  close: () => void
  done: (said: string) => void
}

function StateForm({ client, verb, close, done }: StateProps) {
  const sending = useSending(async (given, headers) => {
    const reason = textOf(given, 'reason')
    const params = { clientId: client.clientId }
    await send('POST', `${CLIENT}/${verb}`, { params, body: reason ? { reason } : {}, headers })
    done(strings[`${verb}Done`])
  })
  return (
    <DialogForm
      title={strings[`${verb}Title`](client.name)}
      action={strings[verb]}
      isDangerous={verb === 'suspend'}
      sending={sending}
      close={close}
    >
      <p class="muted">{strings[`${verb}Text`]}</p>
      <Field
        label={strings.reason}
        hint={verb === 'suspend' ? strings.reasonHint : strings.optionalReasonHint}
      >
        {(id) => (
          <textarea
            id={id}
            name="reason"
            rows={2}
            maxLength={REASON_MAX}
            required={verb === 'suspend'}
          />
        )}
      </Field>
    </DialogForm>
  )
}

type NameProps = {
  clientId: string
  accountName: string
  decision: Decision
  close: () => void
  done: (message: string) => void
}

function NameForm({ clientId, accountName, decision, close, done }: NameProps) {
  const sending = useSending(async (fields, headers) => {
    const reason = textOf(fields, 'reason')
    const body = { accountName, ...(reason ? { reason } : {}) }
    const path = `${CLIENT}/account-name/${decision}` as const
    await send('POST', path, { params: { clientId }, body, headers })
    done(strings[`${decision}NameDone`])
  })
  return (
    <DialogForm
      title={strings[`${decision}NameTitle`](accountName)}
      action={strings[`${decision}Name`]}
      isDangerous={decision === 'reject'}
      sending={sending}
      close={close}
    >
      <p class="muted">{strings[`${decision}NameText`]}</p>
      <Field label={strings.reason} hint={strings.optionalReasonHint}>
        {(id) => <textarea id={id} name="reason" rows={2} maxLength={REASON_MAX} />}
      </Field>
    </DialogForm>
  )
}
