// The users of a client: invite one, change a role, disable, reset a password, remove; and the addresses from
// which they may sign in.

import { useState } from 'preact/hooks'
import { settingsStrings, userAddressesStrings } from '../../../copy.ts'
import { type Query, type Schemas, send } from '../../api.ts'
import { humanize } from '../../format.ts'
import { useData, usePage, usePages } from '../../loading.ts'
import { Action, ActionForm, AtOnceButton } from '../../parts/action.tsx'
import { ShowOnce } from '../../parts/dialog.tsx'
import { Drawer, factList } from '../../parts/drawer.tsx'
import { CheckBox, type Form, InputField, SelectField, TextAreaField } from '../../parts/forms.tsx'
import { Empty, Pending } from '../../parts/states.tsx'
import { type Column, ListTable } from '../../parts/table.tsx'
import { toast } from '../../parts/toasts.tsx'
import { Badge, TextHeadline, Time } from '../../parts/values.tsx'
import { closeTo, hrefOf } from '../../routing.ts'
import type { Session, ViewProps } from '../../session.ts'
import { ConfirmFields, proofFrom } from './confirm-identity.tsx'
import { PASSKEYS } from './passkeys.tsx'

const { users: strings } = settingsStrings

const COLUMNS: readonly Column<User>[] = [
  { name: strings.email, place: 'lead', show: ({ email }) => email },
  { name: strings.role, place: 'second', show: ({ role }) => humanize(role) },
  { name: strings.state, place: 'state', show: (user) => <UserBadge user={user} /> },
  {
    name: strings.factor,
    show: ({ hasTotp, hasPasskey }) =>
      hasTotp || hasPasskey ? strings.hasFactor : strings.noFactor,
  },
  {
    name: strings.signedIn,
    place: 'time',
    show: ({ signedInAt }) => (signedInAt ? <Time at={signedInAt} /> : strings.never),
  },
]

// The users of the signed-in user’s own client, as a tab of the settings.
export function Users(props: ViewProps) {
  return (
    <UserList {...props} view="settings" query={{ tab: 'users' }} client={props.session.client} />
  )
}

type Props = ViewProps & {
  view: string
  query: Query
  client: ClientOfUsers
}

// Also shows the users of another client, which an operator opened in Clients.
export function UserList({ session, place, view, query, client }: Props) {
  const pages = usePages(USERS, {}, { clientId: client.clientId })
  const [linkToShow, setLinkToShow] = useState<{ email: string; link: string } | undefined>()
  const open = pages.data?.data.find(({ id }) => id === place.open)
  // After an invitation or a reset: the link was mailed, or if that is impossible the user hands it over.
  const onInvited = ({ email, invitationLink: link }: InvitedUser) => {
    if (link === null) toast(strings.mailed(email))
    else setLinkToShow({ email, link })
    pages.reload()
  }
  return (
    <>
      <div class="above">
        <Action
          key={place.query.new}
          isOpenAtFirst={place.query.new === 'user'}
          action={strings.invite}
          style="primary"
          text={strings.inviteText}
          run={(form, headers) => {
            const role = form.choice('role', rolesFor(session, client))
            const body = { email: form.text('email'), role, clientId: client.clientId }
            return send('POST', USERS, { body, headers })
          }}
          onDone={onInvited}
        >
          <InputField label={strings.email} name="email" type="email" required />
          <RoleSelect
            {...{ session, client }}
            chosen={pages.data?.data.length === 0 ? 'owner' : 'support'}
          />
        </Action>
      </div>
      <ListTable
        caption={settingsStrings.tabs.users}
        columns={COLUMNS}
        pages={pages}
        keyOf={({ id }) => id}
        hrefOf={({ id }) => hrefOf(view, id, query)}
        openKey={place.open}
        empty={<Empty icon="action" title={strings.none} text={strings.noneText} />}
      />
      {open && (
        <UserDrawer
          key={open.id}
          user={open}
          session={session}
          client={client}
          changed={pages.reload}
          onInvited={onInvited}
          close={() => closeTo(hrefOf(view, undefined, query))}
        />
      )}
      {linkToShow && (
        <ShowOnce
          title={strings.password}
          text={strings.passwordText(linkToShow.email)}
          secrets={[linkToShow.link]}
          close={() => setLinkToShow(undefined)}
        />
      )}
    </>
  )
}

type UserDrawerProps = {
  user: User
  session: Session
  client: ClientOfUsers
  changed: () => void
  onInvited: (user: InvitedUser) => void
  close: () => void
}

// The details of a user, with the actions that the signed-in user may take on them. A user with `countsFrom`
// counts as a person of their own, who may decide on other people’s requests.
function UserDrawer(props: UserDrawerProps) {
  const { user, session, client, close } = props
  const { email, role, hasTotp, hasPasskey, signedInAt, createdAt, countsFrom, mailProblem } = user
  const isOwn = user.id === session.user.id
  const mayChange = !isOwn && mayManage(session, client, role)
  const mayOnlyDisable = !isOwn && !mayChange && user.isActive && mayDisable(session, role)
  return (
    <Drawer title={strings.one} close={close}>
      <TextHeadline text={email} badge={<UserBadge user={user} />} />
      {factList([
        [strings.role, humanize(role)],
        [strings.factor, hasTotp || hasPasskey ? strings.hasFactor : strings.noFactor],
        [strings.counts, countsFrom ? strings.countsOwn : strings.countsOther],
        [strings.signedIn, signedInAt ? <Time at={signedInAt} /> : strings.never],
        [strings.created, <Time key="created" at={createdAt} />],
        [strings.mailProblem, mailProblem],
      ])}
      {mailProblem && <p class="notice">{strings.mailProblemText}</p>}
      {isOwn && <p class="notice">{strings.you}</p>}
      {mayChange && <RoleForm {...props} />}
      {mayChange && session.role === 'operator' && !user.isPasswordTemporary && (
        <VouchForUser {...props} />
      )}
      {(mayChange || mayOnlyDisable) && <UserActions {...props} mayChange={mayChange} />}
    </Drawer>
  )
}

function RoleForm({ user, session, client, changed }: UserDrawerProps) {
  return (
    <ActionForm
      action={strings.changeRole}
      class="role-form"
      run={(form) => {
        const body = { role: form.choice('role', rolesFor(session, client)) }
        return send('PATCH', `${USERS}/{id}`, { params: { id: user.id }, body })
      }}
      message={strings.changed}
      onDone={changed}
    >
      <RoleSelect session={session} client={client} chosen={user.role} />
    </ActionForm>
  )
}

// A vouched user counts as a person of their own, who may approve requests of the user who invited them.
function VouchForUser({ user, changed }: UserDrawerProps) {
  return (
    <div class="actions">
      <Action
        title={strings.vouchTitle(user.email)}
        action={strings.vouch}
        text={strings.vouchText}
        run={(form) => {
          const body = { note: form.text('note') }
          return send('POST', `${USERS}/{id}/vouch`, { params: { id: user.id }, body })
        }}
        message={strings.vouched}
        onDone={changed}
      >
        <TextAreaField
          label={strings.vouchNote}
          hint={strings.vouchHint}
          name="note"
          rows={3}
          maxLength={500}
          required
        />
      </Action>
    </div>
  )
}

// Resets the password, disables, enables or removes the user. A user without `mayChange` may only disable.
function UserActions(props: UserDrawerProps & { mayChange: boolean }) {
  const { user, changed, onInvited, close, mayChange } = props
  const { id, email, hasTotp, isActive } = user
  const params = { id }
  return (
    <div class="actions">
      <Action
        action={strings.reset}
        isOffered={mayChange}
        text={<p>{strings.resetText(email)}</p>}
        run={(form, headers) => {
          const body = form.has('removesFactor') ? { removeTotp: true } : {}
          return send('POST', `${USERS}/{id}/reset-password`, { params, body, headers })
        }}
        onDone={onInvited}
      >
        {hasTotp && <CheckBox name="removesFactor" label={strings.removeFactor} />}
      </Action>
      <Action
        action={strings.disable}
        isOffered={isActive}
        text={<p>{strings.disableText(email)}</p>}
        run={() => send('PATCH', `${USERS}/{id}`, { params, body: { isActive: false } })}
        onDone={changed}
      />
      {!isActive && (
        <AtOnceButton
          label={strings.enable}
          run={async () => {
            await send('PATCH', `${USERS}/{id}`, { params, body: { isActive: true } })
            toast(strings.changed)
            changed()
          }}
        />
      )}
      <Action
        action={strings.remove}
        style="danger-text"
        isOffered={mayChange}
        isDangerous
        text={<p>{strings.removeText(email)}</p>}
        run={() => send('DELETE', `${USERS}/{id}`, { params })}
        message={strings.removed}
        onDone={() => {
          close()
          changed()
        }}
      />
    </div>
  )
}

type User = Schemas['User']
type Role = keyof typeof strings.roles
type InvitedUser = Schemas['UserWithPassword']

const USERS = '/dashboard/api/users'

// Whether the user can sign in: disabled, not reachable by mail, invited, or active.
function UserBadge({ user }: { user: User }) {
  if (!user.isActive) return <Badge state={strings.states.off} tone="bad" />
  if (user.mailProblem) return <Badge state={strings.states.unreachable} tone="bad" />
  if (user.isPasswordTemporary) return <Badge state={strings.states.waiting} tone="warn" />
  return <Badge state={strings.states.active} tone="good" />
}

type ClientOfUsers = Pick<Schemas['RegisteredClient'], 'clientId' | 'isOperator'>

// Only operators may manage operators, and the accountants of an operator's client.
function mayManage(
  { role: ownRole }: Session,
  { isOperator }: ClientOfUsers,
  role: string,
): boolean {
  if (ownRole === 'operator') return true
  return role !== 'operator' && !(role === 'finance' && isOperator)
}

// Disabling grants no access, so more users may disable a user than manage one.
function mayDisable({ role: ownRole }: Session, role: string): boolean {
  return ownRole === 'operator' || role !== 'operator'
}

// The roles that the signed-in user may give to a user of the client.
function rolesFor(session: Session, client: ClientOfUsers): Role[] {
  const roles = Object.keys(strings.roles) as Role[]
  const existsAtClient = (role: Role) => role !== 'operator' || client.isOperator
  return roles.filter((role) => existsAtClient(role) && mayManage(session, client, role))
}

// The choice of a role. At an operator’s client, the role `finance` has another name.
function RoleSelect(props: { session: Session; client: ClientOfUsers; chosen: Role }) {
  const { session, client, chosen } = props
  const { roles, operatorFinance } = strings
  const roleNames = client.isOperator ? { ...roles, finance: operatorFinance } : roles
  return (
    <SelectField
      label={strings.role}
      name="role"
      options={rolesFor(session, client)}
      names={roleNames}
      chosen={chosen}
    />
  )
}

const PATH = '/dashboard/api/client/user-addresses'

export function UserAddresses({ session }: ViewProps) {
  const { data, problem, reload } = useData(PATH, {})
  const passkeys = usePage(PASSKEYS, {})
  const hasPasskey = (passkeys.data?.data.length ?? 0) > 0
  const factors = { hasTotp: session.user.hasTotp, hasPasskey, session }
  return (
    <section class="card panel" aria-labelledby="user-addresses">
      <h2 id="user-addresses">{userAddressesStrings.heading}</h2>
      <p class="muted">{userAddressesStrings.text}</p>
      <Pending {...{ data, problem, reload }} kind="rows" lines={1} />
      {data && <p>{data.addresses?.join(', ') ?? userAddressesStrings.any}</p>}
      {data && passkeys.data && (
        <div class="actions">
          <Action
            action={userAddressesStrings.change}
            title={userAddressesStrings.heading}
            run={async (form) => {
              const body = { addresses: addressesFrom(form), ...(await proofFrom(form)) }
              return send('PUT', PATH, { body })
            }}
            message={userAddressesStrings.saved}
            onDone={reload}
          >
            <TextAreaField
              label={userAddressesStrings.addresses}
              hint={userAddressesStrings.hint}
              name="addresses"
              rows={4}
              defaultValue={data.addresses?.join('\n') ?? ''}
            />
            <ConfirmFields {...factors} />
          </Action>
        </div>
      )}
    </section>
  )
}

// Without any address, users may sign in from everywhere (null).
function addressesFrom(form: Form): string[] | null {
  const lines = form.text('addresses').split(/\s+/).filter(Boolean)
  return lines.length > 0 ? lines : null
}
