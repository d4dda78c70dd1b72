// The record of actions: who did what by hand, to what, and when.

import type { Schemas } from '../../api.ts'
import { usePages } from '../../loading.ts'
import { CodeBlock } from '../../parts/code-block.tsx'
import { Drawer, Facts } from '../../parts/drawer.tsx'
import { askedFor, type Filter, Filters, withoutFilters } from '../../parts/filters.tsx'
import { Empty } from '../../parts/states.tsx'
import { type Column, ListTable } from '../../parts/table.tsx'
import { Time } from '../../parts/values.tsx'
import { follow, goTo, hrefOf } from '../../routing.ts'
import { SETTINGS_STRINGS } from '../../settings-strings.ts'
import { STRINGS } from '../../strings.ts'
import type { ViewProps } from '../../views.ts'

type Action = Schemas['AuditLogEntry']

const { record: said } = SETTINGS_STRINGS

const FILTERS: readonly Filter[] = [
  { name: 'action', label: said.action, placeholder: said.example },
  { name: 'actor', label: said.actor, placeholder: said.exampleActor },
  { name: 'subject', label: said.subject, placeholder: said.exampleSubject },
  { name: 'from', label: STRINGS.filters.from, type: 'date' },
  { name: 'to', label: STRINGS.filters.to, type: 'date' },
]

const COLUMNS: readonly Column<Action>[] = [
  { name: said.action, place: 'lead', show: ({ action }) => <code>{action}</code> },
  { name: said.actor, place: 'second', show: ({ actor }) => actor },
  { name: said.subject, show: ({ subject }) => subject },
  { name: said.when, place: 'time', show: ({ takenAt }) => <Time at={takenAt} /> },
]

export function RecordOfActions({ place }: ViewProps) {
  const asked = askedFor(FILTERS, place.query)
  const pages = usePages('/api/v1/audit-log', {}, asked)
  const close = () => goTo(hrefOf('settings', undefined, place.query))
  return (
    <>
      <Filters view="settings" filters={FILTERS} query={place.query} />
      <ListTable
        caption={SETTINGS_STRINGS.tabs.record}
        columns={COLUMNS}
        pages={pages}
        keyOf={({ id }) => `${id}`}
        hrefOf={({ id }) => hrefOf('settings', `${id}`, place.query)}
        openKey={place.open}
        empty={
          Object.values(asked).some(Boolean) ? (
            <Empty icon="search" title={STRINGS.filters.nothing}>
              <a
                href={hrefOf('settings', undefined, withoutFilters(FILTERS, place.query))}
                onClick={follow}
              >
                {STRINGS.filters.clearAll}
              </a>
            </Empty>
          ) : (
            <Empty icon="action" title={said.none}>
              {said.noneText}
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
    <Drawer title={said.one} close={close}>
      {!action && <p class="notice">{said.notOnPage}</p>}
      {action && (
        <>
          <div class="headline">
            <span class="headline-text">{action.action}</span>
          </div>
          <Facts
            facts={[
              [said.actor, action.actor],
              [said.subject, action.subject],
              [said.when, <Time key="when" at={action.takenAt} />],
            ]}
          />
          <h3>{said.details}</h3>
          <CodeBlock label={said.details} text={JSON.stringify(action.detail, null, 2)} isWrapped />
        </>
      )}
    </Drawer>
  )
}
