// The audit log: each action, with its actor, object and time.

import { settingsStrings } from '../../../copy.ts'
import type { Schemas } from '../../api.ts'
import { CodeBlock } from '../../parts/code-block.tsx'
import { Drawer, Facts } from '../../parts/drawer.tsx'
import { DATES, type Filter } from '../../parts/filters.tsx'
import { ListView } from '../../parts/list-view.tsx'
import type { Column } from '../../parts/table.tsx'
import { TextHeadline, Time } from '../../parts/values.tsx'
import type { ViewProps } from '../../view-props.ts'

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

export function AuditLog(props: ViewProps) {
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
          <Facts
            facts={[
              [strings.actor, action.actor],
              [strings.subject, action.subject],
              [strings.when, <Time key="when" at={action.takenAt} />],
            ]}
          />
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
