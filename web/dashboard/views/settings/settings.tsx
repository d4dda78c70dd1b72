// The tabs of Settings, of which users see those that their role allows; among them the approvals and the
// audit log.

import { settingsStrings } from '../../../copy.ts'
import type { Schemas } from '../../api.ts'
import { useData, usePage } from '../../loading.ts'
import { tabbedView } from '../../parts/controls.tsx'
import { Drawer, factList } from '../../parts/drawer.tsx'
import { DATES, type Filter } from '../../parts/filters.tsx'
import { ListView } from '../../parts/list-view.tsx'
import { Pending } from '../../parts/states.tsx'
import type { Column } from '../../parts/table.tsx'
import { CodeBlock, TextHeadline, Time } from '../../parts/values.tsx'
import type { Session, ViewProps } from '../../session.ts'
import { Profile } from '../access/profile.tsx'
import { Provider } from '../access/provider.tsx'
import { UserAddresses, Users } from '../access/users.tsx'
import { PayoutRules } from '../payouts/payout-rules.tsx'
import { Schedules } from '../reports/reports.tsx'
import { ApprovalSettings } from '../settlements/settings.tsx'
import { Splits } from '../splits/splits.tsx'
import { Subaccounts } from '../splits/subaccounts.tsx'
import { MakerCheckerSetting, SETTINGS } from '../suspense/suspense-requests.tsx'
import { BrandingPart } from './branding.tsx'
import { Chat } from './chat.tsx'
import { Fees } from './fees.tsx'
import { LimitProfiles, Limits } from './limit-profiles.tsx'

function Approvals({ session }: ViewProps) {
  const hasScope = (scope: string) => session.scopes.includes(scope)
  return (
    <>
      {hasScope('suspense:read') && <MakerChecker session={session} />}
      {hasScope('payouts:read') && <ApprovalSettings mayWrite={hasScope('payouts:write')} />}
    </>
  )
}

// The maker-checker setting with its open request, if there is one.
function MakerChecker({ session }: { session: Session }) {
  const settings = useData(SETTINGS, {})
  const waiting = usePage('/api/v1/suspense/requests', { state: 'open', limit: '100' })
  if (settings.problem || !settings.data) return <Pending {...settings} kind="line" />
  return (
    <MakerCheckerSetting
      isOn={settings.data.makerChecker}
      session={session}
      // A request without an item is about the setting itself.
      request={waiting.data?.data.find(({ itemId }) => itemId === null)}
      changed={() => [settings, waiting].forEach(({ reload }) => void reload())}
    />
  )
}

type Action = Schemas['AuditLogEntry']

const { auditLog: strings } = settingsStrings

const FILTERS: readonly Filter[] = [
  { name: 'action', label: strings.action, placeholder: strings.example },
  { name: 'actor', label: strings.actor, placeholder: strings.exampleActor },
  { name: 'subject', label: strings.subject, placeholder: strings.exampleSubject },
  ...DATES,
]

const COLUMNS: readonly Column<Action>[] = [
  { name: strings.action, place: 'lead', show: ({ action }) => <code>{action}</code> },
  { name: strings.actor, place: 'second', show: ({ actor }) => actor },
  { name: strings.subject, show: ({ subject }) => subject },
  { name: strings.when, place: 'time', show: ({ takenAt }) => <Time at={takenAt} /> },
]

function AuditLog(props: ViewProps) {
  return (
    <ListView
      {...props}
      view="settings"
      icon="action"
      path="/api/v1/audit-log"
      caption={settingsStrings.tabs.auditLog}
      columns={COLUMNS}
      filters={FILTERS}
      keyOf={({ id }) => `${id}`}
      emptyState={{ title: strings.none, text: strings.noneText }}
      detail={({ open, rows, close }) =>
        rows && <ActionDrawer action={rows.find(({ id }) => `${id}` === open)} close={close} />
      }
    />
  )
}

// The details of an action. `action` is undefined if it is on another page of the list than the current one.
function ActionDrawer({ action, close }: { action: Action | undefined; close: () => void }) {
  return (
    <Drawer title={strings.one} close={close}>
      {!action && <p class="notice">{strings.notOnPage}</p>}
      {action && (
        <>
          <TextHeadline text={action.action} />
          {factList([
            [strings.actor, action.actor],
            [strings.subject, action.subject],
            [strings.when, <Time key="when" at={action.takenAt} />],
          ])}
          <h3>{strings.details}</h3>
          <CodeBlock
            label={strings.details}
            text={JSON.stringify(action.detail, null, 2)}
            isWrapped
          />
        </>
      )}
    </Drawer>
  )
}

const hasScope = (scope: string) => (session: Session) => session.scopes.includes(scope)

function SignIn(props: ViewProps) {
  return (
    <>
      <Provider {...props} />
      <UserAddresses {...props} />
    </>
  )
}

const PARTS = {
  users: Users,
  signIn: SignIn,
  profile: Profile,
  branding: BrandingPart,
  limits: Limits,
  limitProfiles: LimitProfiles,
  fees: Fees,
  subaccounts: Subaccounts,
  splits: Splits,
  approvals: Approvals,
  payoutRules: PayoutRules,
  reports: Schedules,
  chat: Chat,
  auditLog: AuditLog,
}

const MAY_SEE: Record<keyof typeof PARTS, (session: Session) => boolean> = {
  users: ({ role }) => role === 'owner' || role === 'operator',
  signIn: ({ role, client }) => role === (client.isOperator ? 'operator' : 'owner'),
  profile: () => true,
  branding: hasScope('accounts:read'),
  limits: hasScope('accounts:read'),
  limitProfiles: hasScope('accounts:read'),
  fees: hasScope('credits:read'),
  subaccounts: hasScope('payouts:read'),
  splits: hasScope('payouts:read'),
  approvals: (session) => hasScope('suspense:read')(session) || hasScope('payouts:read')(session),
  payoutRules: hasScope('operator'),
  reports: () => true,
  chat: hasScope('operator'),
  auditLog: hasScope('actions:read'),
}

export default tabbedView({
  view: 'settings',
  words: settingsStrings,
  tabs: PARTS,
  maySee: (name, session) => MAY_SEE[name](session),
})
