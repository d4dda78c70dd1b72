// Actions on a client. The service refuses to suspend one's own.

import { appStrings, clientsStrings as strings } from '../../../copy.ts'
import { type Query, send } from '../../api.ts'
import { Action, OpenButton } from '../../parts/action.tsx'
import { ReasonField } from '../../parts/forms.tsx'
import { Link } from '../../parts/link.tsx'
import { toast } from '../../parts/toasts.tsx'
import { hrefOf } from '../../routing.ts'
import { CLIENT, type ClientDetail } from './client-fields.tsx'
import { ClientForm } from './client-form.tsx'

type Props = { client: ClientDetail; isOwn: boolean; query: Query; changed: () => void }

export function ClientActions({ client, isOwn, query, changed }: Props) {
  const { isActive, pendingAccountName } = client
  const users = hrefOf('clients', undefined, { ...query, usersOf: client.clientId })
  return (
    <div class="actions">
      <SwitchAction {...{ client, changed }} verb="resume" isOffered={!isOwn && !isActive} />
      {pendingAccountName && (
        <>
          <NameAction {...{ client, changed }} name={pendingAccountName} decision="approve" />
          <NameAction {...{ client, changed }} name={pendingAccountName} decision="reject" />
        </>
      )}
      <OpenButton label={strings.edit}>
        {(close) => (
          <ClientForm
            client={client}
            close={close}
            done={() => {
              close()
              toast(appStrings.saved)
              changed()
            }}
          />
        )}
      </OpenButton>
      <Link class="button" href={users}>
        {strings.users}
      </Link>
      <SwitchAction {...{ client, changed }} verb="suspend" isOffered={!isOwn && isActive} />
    </div>
  )
}

type ActionProps = Pick<Props, 'client' | 'changed'>

function SwitchAction({
  client: { clientId, name },
  verb,
  isOffered,
  changed,
}: ActionProps & { verb: 'suspend' | 'resume'; isOffered: boolean }) {
  const isSuspension = verb === 'suspend'
  return (
    <Action
      title={strings[`${verb}Title`](name)}
      action={strings[verb]}
      style={isSuspension ? 'danger-text' : 'primary'}
      isOffered={isOffered}
      isDangerous={isSuspension}
      text={strings[`${verb}Text`]}
      run={(form, headers) => {
        const reason = form.text('reason')
        const body = reason ? { reason } : {}
        return send('POST', `${CLIENT}/${verb}`, { params: { clientId }, body, headers })
      }}
      message={strings[`${verb}Done`]}
      done={changed}
    >
      <ReasonField
        label={strings.reason}
        hint={isSuspension ? strings.reasonHint : strings.optionalReasonHint}
        rows={2}
        required={isSuspension}
      />
    </Action>
  )
}

function NameAction({
  client: { clientId },
  name: accountName,
  decision,
  changed,
}: ActionProps & { name: string; decision: 'approve' | 'reject' }) {
  const isRejection = decision === 'reject'
  return (
    <Action
      title={strings[`${decision}NameTitle`](accountName)}
      action={strings[`${decision}Name`]}
      style={isRejection ? '' : 'primary'}
      isDangerous={isRejection}
      text={strings[`${decision}NameText`]}
      run={(form, headers) => {
        const reason = form.text('reason')
        const body = { accountName, ...(reason ? { reason } : {}) }
        const path = `${CLIENT}/account-name/${decision}` as const
        return send('POST', path, { params: { clientId }, body, headers })
      }}
      message={strings[`${decision}NameDone`]}
      done={changed}
    >
      <ReasonField
        label={strings.reason}
        hint={strings.optionalReasonHint}
        rows={2}
        required={false}
      />
    </Action>
  )
}
