// Suspense desk: items that await a decision, why they are there, and how to resolve them.

import { useEffect, useState } from 'preact/hooks'
import { getPage } from '../api.ts'
import { humanize } from '../format.ts'
import { useEvents, useThrottled } from '../live.ts'
import { useData, useLoaded, usePages, useReload } from '../loading.ts'
import { BankName } from '../parts/bank-name.tsx'
import { Drawer, Facts } from '../parts/drawer.tsx'
import { MakerCheckerSetting, SETTINGS } from '../parts/maker-checker-setting.tsx'
import { Empty, Failed, Skeleton } from '../parts/states.tsx'
import { type Item, SuspenseForm } from '../parts/suspense-form.tsx'
import { DecidedRequests, OpenRequest, WaitingRequests } from '../parts/suspense-requests.tsx'
import { amountColumn, type Column, ListTable } from '../parts/table.tsx'
import { Copyable, Headline, Time } from '../parts/values.tsx'
import { follow, goTo, hrefOf } from '../routing.ts'
import type { Session } from '../session.ts'
import { appStrings } from '../strings/app.ts'
import { suspenseStrings as strings } from '../strings/suspense.ts'
import type { ViewProps } from '../view-props.ts'

const PATH = '/api/v1/suspense'
const REQUESTS = `${PATH}/requests`
const STATES = ['open', 'assigned', 'returning', 'returned', 'reversed']
const LOOK_AGAIN_MS = 15_000 // What colleagues ask for makes no event.

const whyOf = (reason: string) => strings.reasons[reason] ?? humanize(reason)

const COLUMNS: readonly Column<Item>[] = [
  {
    name: strings.payer,
    place: 'lead',
    show: ({ sourceAccountName }) => sourceAccountName ?? strings.unnamed,
  },
  {
    name: strings.payerNumber,
    show: ({ sourceAccountNumberMasked: masked }) => <code>{masked}</code>,
  },
  { name: strings.why, place: 'second', show: ({ reason }) => whyOf(reason) },
  { name: strings.number, show: ({ accountNumber }) => <code>{accountNumber}</code> },
  {
    name: strings.age,
    place: 'time',
    show: ({ ageSeconds, openedAt }) => (
      <time dateTime={openedAt}>{strings.ageOf(ageSeconds)}</time>
    ),
  },
  amountColumn(strings.amount),
]

export default function Suspense({ session, place }: ViewProps) {
  const state = STATES.includes(place.query.state ?? '') ? place.query.state : 'open'
  const pages = usePages(PATH, {}, { state })
  const settings = useData(SETTINGS, {})
  const waiting = useLoaded('waiting', (signal) =>
    getPage(REQUESTS, {}, { query: { state: 'open', limit: '100' }, signal }),
  )
  const [version, setVersion] = useState(0)
  const refresh = useThrottled(() => {
    setVersion((before) => before + 1)
    waiting.reload()
    if (pages.isFirst) pages.reload()
  })
  useEvents(
    ({ type }) => /^(?:credit|payment)\./.test(type) && refresh(),
    session.scopes.includes('webhooks:read'),
  )
  useEffect(() => {
    const timer = window.setInterval(() => !document.hidden && waiting.reload(), LOOK_AGAIN_MS)
    return () => window.clearInterval(timer)
  }, [waiting.reload])
  const close = () => goTo(hrefOf('suspense', undefined, place.query))
  const isMakerChecker = settings.data?.makerChecker ?? false
  const requests = waiting.data?.data ?? []
  const changed = () => {
    settings.reload()
    waiting.reload()
  }
  return (
    <>
      <WaitingRequests requests={requests.filter(({ itemId }) => itemId !== null)} />
      <States chosen={state ?? 'open'} />
      <ListTable
        caption={appStrings.views.suspense}
        columns={COLUMNS}
        pages={pages}
        keyOf={({ id }) => `${id}`}
        hrefOf={({ id }) => hrefOf('suspense', `${id}`, place.query)}
        openKey={place.open}
        empty={
          <Empty icon="suspense" title={strings.none}>
            {strings.noneText}
          </Empty>
        }
      />
      {settings.data && (
        <MakerCheckerSetting
          isOn={isMakerChecker}
          session={session}
          request={requests.find(({ itemId }) => itemId === null)}
          changed={changed}
        />
      )}
      {place.open !== undefined && settings.data && (
        <ItemDrawer
          key={place.open}
          id={place.open}
          {...{ session, isMakerChecker, version, close }}
          changed={refresh}
        />
      )}
    </>
  )
}

function States({ chosen }: { chosen: string }) {
  return (
    <fieldset class="segments states">
      <legend class="hidden">{strings.state}</legend>
      {STATES.map((state) => (
        <button
          key={state}
          type="button"
          aria-pressed={state === chosen}
          onClick={() => goTo(hrefOf('suspense', undefined, state === 'open' ? {} : { state }))}
        >
          {humanize(state)}
        </button>
      ))}
    </fieldset>
  )
}

type DrawerProps = {
  id: string
  session: Session
  isMakerChecker: boolean
  version: number
  close: () => void
  changed: () => void
}

function ItemDrawer({ id, session, isMakerChecker, version, close, changed }: DrawerProps) {
  const item = useData(`${PATH}/{id}`, { id })
  const isId = /^[0-9]{1,18}$/.test(id)
  const requests = useLoaded(`requests of ${id}`, async (signal) =>
    isId ? getPage(REQUESTS, {}, { query: { itemId: id }, signal }) : undefined,
  )
  const reload = () => {
    item.reload()
    requests.reload()
  }
  useReload(version, reload)
  const done = () => {
    reload()
    changed()
  }
  const problem = item.problem ?? requests.problem
  const open = requests.data?.data.find(({ state }) => state === 'open')
  const mayDecide = session.scopes.includes('suspense:write')
  return (
    <Drawer title={strings.one} close={close}>
      {problem && <Failed problem={problem} retry={reload} />}
      {!problem && !(item.data && requests.data) && <Skeleton kind="page" lines={8} />}
      {!problem && item.data && requests.data && (
        <>
          <About item={item.data} />
          {open && <OpenRequest key={open.id} request={open} mayDecide={mayDecide} done={done} />}
          {!open && item.data.state === 'open' && mayDecide && (
            <SuspenseForm
              item={item.data}
              isMakerChecker={isMakerChecker}
              mayType={session.role === 'operator'}
              done={done}
            />
          )}
          <DecidedRequests requests={requests.data.data.filter(({ state }) => state !== 'open')} />
        </>
      )}
    </Drawer>
  )
}

function About({ item }: { item: Item }) {
  return (
    <>
      <Headline sum={item} state={item.state} about={strings.from(item.sourceAccountName)} />
      <Facts
        facts={[
          [strings.why, whyOf(item.reason)],
          [strings.number, <Copyable key="number" text={item.accountNumber} />],
          [strings.bank, <BankName key="bank" code={item.bankCode} />],
          [strings.payerNumber, item.sourceAccountNumberMasked],
          [strings.payerBank, item.sourceBankCode && <BankName code={item.sourceBankCode} />],
          [strings.narration, item.narration],
          [strings.sessionId, <Copyable key="session" text={item.sessionId} />],
          [strings.meantFor, item.paymentReference && <Copyable text={item.paymentReference} />],
          [strings.assignedTo, item.assignedTo && <Copyable text={item.assignedTo} />],
          [strings.returnFailed, item.failureReason],
          [
            strings.returnReference,
            item.returnReference && <Copyable text={item.returnReference} />,
          ],
          [strings.bankReference, item.bankReference],
          [strings.since, <Time key="since" at={item.openedAt} />],
          [strings.left, item.closedAt && <Time at={item.closedAt} />],
        ]}
      />
      <p class="after-facts">
        <a href={hrefOf('credits', `${item.creditId}`)} onClick={follow}>
          {strings.credit}
        </a>
      </p>
    </>
  )
}
