// The audit log: who did what, to what, and when.

import type { Schemas } from '../../api.ts'
import { usePages } from '../../loading.ts'
import { CodeBlock } from '../../parts/code-block.tsx'
import { Drawer, Facts } from '../../parts/drawer.tsx'
import { type Filter, Filters, filterQuery, withoutFilters } from '../../parts/filters.tsx'
import { Empty } from '../../parts/states.tsx'
import { type Column, ListTable } from '../../parts/table.tsx'
import { Time } from '../../parts/values.tsx'
import { follow, goTo, hrefOf } from '../../routing.ts'
import { appStrings } from '../../strings/app.ts'
import { settingsStrings } from '../../strings/settings.ts'
import type { ViewProps } from '../../view-props.ts'

type Action = Schemas['AuditLogEntry']

const { auditLog: strings } = settingsStrings

const FILTERS: readonly Filter[] = [
  { name: 'action', label: strings.action, placeholder: strings.example },
  { name: 'actor', label: strings.actor, placeholder: strings.exampleActor },
  { name: 'subject', label: strings.subject, placeholder: strings.exampleSubject },
  { name: 'from', label: appStrings.filters.from, type: 'date' },
  { name: 'to', label: appStrings.filters.to, type: 'date' },
]

const COLUMNS: readonly Column<Action>[] = [
  { name: strings.action, place: 'lead', show: ({ action }) => <code>{action}</code> },
  { name: strings.actor, place: 'second', show: ({ actor }) => actor },
  { name: strings.subject, show: ({ subject }) => subject },
  { name: strings.when, place: 'time', show: ({ takenAt }) => <Time at={takenAt} /> },
]

export function AuditLog({ place }: ViewProps) {
  const asked = filterQuery(FILTERS, place.query)
  const pages = usePages('/api/v1/audit-log', {}, asked)
  const close = () => goTo(hrefOf('settings', undefined, place.query))
  return (
    <>
      <Filters view="settings" filters={FILTERS} query={place.query} />
      <ListTable
        caption={settingsStrings.tabs.auditLog}
        columns={COLUMNS}
        pages={pages}
        keyOf={({ id }) => `${id}`}
        hrefOf={({ id }) => hrefOf('settings', `${id}`, place.query)}
        openKey={place.open}
        empty={
          Object.values(asked).some(Boolean) ? (
            <Empty icon="search" title={appStrings.filters.nothing}>
              <a
                href={hrefOf('settings', undefined, withoutFilters(FILTERS, place.query))}
                onClick={follow}
              >
                {appStrings.filters.clearAll}
              </a>
            </Empty>
          ) : (
            <Empty icon="action" title={strings.none}>
              {strings.noneText}
            </Empty>
          )
        }
      />
      {place.open !== undefined && pages.data && (
        <ActionDrawer
          action={pages.data.data.find(({ id }) => `${id}` === place.open)}
          close={close}
        />
      )}
    </>
  )
}

function ActionDrawer({ action, close }: { action: Action | undefined; close: () => void }) {
  return (
    <Drawer title={strings.one} close={close}>
      {!action && <p class="notice">{strings.notOnPage}</p>}
      {action && (
        <>
          <div class="headline">
            <span class="headline-text">{action.action}</span>
          </div>
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
