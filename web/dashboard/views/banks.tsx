// Banks: when each was last heard, how late its notifications are, what had to be asked for, and
// whether it answers.

import { useEffect } from 'preact/hooks'
import { appStrings, banksStrings as strings } from '../../copy.ts'
import type { Schemas } from '../api.ts'
import { count, seconds, share } from '../format.ts'
import { useData } from '../loading.ts'
import { Drawer, Facts } from '../parts/drawer.tsx'
import { onePage } from '../parts/one-page.ts'
import { Empty } from '../parts/states.tsx'
import { type Column, ListTable } from '../parts/table.tsx'
import { Badge, Time } from '../parts/values.tsx'
import { closeTo, hrefOf } from '../routing.ts'
import type { ViewProps } from '../view-props.ts'

type Bank = Schemas['BankHealth']
type State = keyof typeof strings.states

const PATH = '/api/v1/operator/banks'
const RELOAD_MS = 15_000

const TONES = {
  healthy: 'good',
  silent: 'warn',
  losing: 'warn',
  probing: 'warn',
  paused: 'bad',
  unasked: 'calm',
} as const

function stateOf({ circuit, silentSince, isLosing, canFind, canList }: Bank): State {
  if (circuit === 'open') return 'paused'
  if (circuit === 'half_open') return 'probing'
  if (silentSince !== null) return 'silent'
  if (isLosing) return 'losing'
  return canFind || canList ? 'healthy' : 'unasked'
}

function Status({ bank }: { bank: Bank }) {
  const state = stateOf(bank)
  return <Badge state={strings.states[state]} tone={TONES[state]} />
}

const orNone = (value: number | null, show: (value: number) => string) =>
  value === null ? appStrings.nothing : show(value)

const COLUMNS: readonly Column<Bank>[] = [
  { name: strings.bank, place: 'lead', show: ({ name }) => name },
  { name: strings.state, place: 'amount', show: (bank) => <Status bank={bank} /> },
  {
    name: strings.lastHeard,
    place: 'line',
    show: ({ lastHeardAt }) => (lastHeardAt ? <Time at={lastHeardAt} /> : strings.never),
  },
  {
    name: strings.lag,
    place: 'line',
    isAmount: true,
    show: ({ lagP50, lagP99 }) =>
      lagP50 === null || lagP99 === null
        ? appStrings.nothing
        : `${seconds(lagP50)} / ${seconds(lagP99)}`,
  },
  {
    name: strings.found,
    place: 'line',
    isAmount: true,
    show: ({ foundByRequery }) => count(foundByRequery),
  },
  { name: strings.queries, isAmount: true, show: ({ queries }) => count(queries) },
  { name: strings.errorRate, isAmount: true, show: ({ errorRate }) => orNone(errorRate, share) },
  { name: strings.open, isAmount: true, show: ({ openQuestions }) => count(openQuestions) },
]

export default function Banks({ place }: ViewProps) {
  const loaded = useData(PATH, {})
  const { data, reload } = loaded
  useEffect(() => {
    const timer = window.setInterval(reload, RELOAD_MS)
    return () => window.clearInterval(timer)
  }, [reload])
  const open = data?.find(({ code }) => code === place.open)
  return (
    <>
      <ListTable
        caption={appStrings.views.banks}
        columns={COLUMNS}
        pages={onePage(loaded)}
        keyOf={({ code }) => code}
        hrefOf={({ code }) => hrefOf('banks', code)}
        openKey={place.open}
        empty={<Empty icon="banks" title={strings.none} text={strings.noneText} />}
      />
      <p class="muted small under-list">{strings.day}</p>
      {open && (
        <Drawer key={open.code} title={strings.one} close={() => closeTo(hrefOf('banks'))}>
          <About bank={open} />
        </Drawer>
      )}
    </>
  )
}

function About({ bank }: { bank: Bank }) {
  const { lastHeardAt, silentSince, circuitUntil, canFind, canList } = bank
  return (
    <>
      <div class="headline">
        <span>{bank.name}</span>
        <Status bank={bank} />
      </div>
      <p class="muted">{strings.stateTexts[stateOf(bank)]}</p>
      <Facts
        facts={[
          [strings.lastHeard, lastHeardAt ? <Time at={lastHeardAt} /> : strings.never],
          [strings.silentSince, silentSince && <Time at={silentSince} />],
          [strings.lagP50, orNone(bank.lagP50, seconds)],
          [strings.lagP99, orNone(bank.lagP99, seconds)],
          [strings.found, count(bank.foundByRequery)],
          [strings.queries, count(bank.queries)],
          [strings.errorRate, orNone(bank.errorRate, share)],
          [strings.open, count(bank.openQuestions)],
          [strings.pausedUntil, circuitUntil && <Time at={circuitUntil} />],
          [
            strings.asked,
            [canList && strings.byList, canFind && strings.byIdentifier]
              .filter(Boolean)
              .join(', ') || appStrings.nothing,
          ],
          [strings.connector, bank.connector],
          [strings.code, bank.code],
        ]}
      />
    </>
  )
}
