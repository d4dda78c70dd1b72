// The drawer of a suspense item: the reason why the money is in suspense, and the ways to resolve it.

import { suspenseStrings as strings } from '../../../copy.ts'
import { getPage } from '../../api.ts'
import { humanize } from '../../format.ts'
import { useData, useLoaded, useReload } from '../../loading.ts'
import { Link } from '../../parts/controls.tsx'
import { Drawer, factList } from '../../parts/drawer.tsx'
import { Failed, Skeleton } from '../../parts/states.tsx'
import {
  BankName,
  Copyable,
  Headline,
  PaymentReference,
  Reference,
  Time,
} from '../../parts/values.tsx'
import { hrefOf } from '../../routing.ts'
import type { Session } from '../../session.ts'
import { type Item, SuspenseForm } from './suspense-form.tsx'
import { DecidedRequests, OpenRequest } from './suspense-requests.tsx'

const PATH = '/api/v1/suspense'
const REQUESTS = `${PATH}/requests`

export const reasonText = (reason: string) => strings.reasons[reason] ?? humanize(reason)

type DrawerProps = {
  id: string
  session: Session
  isMakerChecker: boolean
  refreshKey: number
  close: () => void
  changed: () => void
}

// Shows the open request about the item, or else the form that resolves the item.
export function ItemDrawer(props: DrawerProps) {
  const { id, session, isMakerChecker, refreshKey, close, changed } = props
  const item = useData(`${PATH}/{id}`, { id })
  // A malformed id in the URL gives one error, of the item. The requests are then not loaded.
  const isId = /^[0-9]{1,18}$/.test(id)
  const requests = useLoaded(`requests of ${id}`, async (signal) =>
    isId ? getPage(REQUESTS, {}, { query: { itemId: id }, signal }) : undefined,
  )
  const reload = () => {
    item.reload()
    requests.reload()
  }
  useReload(refreshKey, reload)
  // Called after a decision, which also changes the list.
  const onDone = () => {
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
      {item.data && requests.data && (
        <>
          <ItemFacts item={item.data} />
          {open && (
            <OpenRequest key={open.id} request={open} mayDecide={mayDecide} onDone={onDone} />
          )}
          {!open && item.data.state === 'open' && mayDecide && (
            <SuspenseForm
              item={item.data}
              isMakerChecker={isMakerChecker}
              mayType={session.role === 'operator'}
              onDone={onDone}
            />
          )}
          <DecidedRequests requests={requests.data.data.filter(({ state }) => state !== 'open')} />
        </>
      )}
    </Drawer>
  )
}

function ItemFacts({ item }: { item: Item }) {
  return (
    <>
      <Headline sum={item} state={item.state} about={strings.from(item.sourceAccountName)} />
      {factList([
        [strings.why, reasonText(item.reason)],
        [strings.sessionId, <Copyable key="session" text={item.sessionId} />],
        [strings.since, <Time key="since" at={item.openedAt} />],
        [strings.number, <Copyable key="number" text={item.accountNumber} />],
        [strings.bank, <BankName key="bank" code={item.bankCode} />],
        [strings.payerNumber, item.sourceAccountNumberMasked],
        [strings.payerBank, item.sourceBankCode && <BankName code={item.sourceBankCode} />],
        [strings.narration, item.narration],
        [
          strings.meantFor,
          item.paymentReference && <PaymentReference id={item.paymentReference} />,
        ],
        [strings.assignedTo, item.assignedTo && <Copyable text={item.assignedTo} />],
        [strings.returnFailed, item.failureReason],
        [
          strings.returnReference,
          item.returnReference && <Reference text={item.returnReference} />,
        ],
        [strings.bankReference, item.bankReference],
        [strings.left, item.closedAt && <Time at={item.closedAt} />],
      ])}
      <p class="after-facts">
        <Link href={hrefOf('credits', `${item.creditId}`)}>{strings.credit}</Link>
      </p>
    </>
  )
}
