// A settlement: its amounts, why it is held, its payouts, statement and lines.

import { settlementsStrings as strings, suspenseStrings } from '../../../copy.ts'
import { csvLink } from '../../api.ts'
import { BankAccountsLink } from '../../parts/bank-accounts-link.tsx'
import { Facts } from '../../parts/drawer.tsx'
import { Icon } from '../../parts/icons.tsx'
import { Link } from '../../parts/link.tsx'
import { Badge, Copyable, Headline, Money, Time } from '../../parts/values.tsx'
import { hrefOf } from '../../routing.ts'
import type { Session } from '../../session.ts'
import { AmountList, periodOf, type Settlement, type WholeSettlement } from './amounts.tsx'
import { SettlementLines } from './lines.tsx'
import { Payees } from './payees.tsx'
import { SettlementActions } from './settlement-actions.tsx'

const { person } = suspenseStrings

type Props = { settlement: WholeSettlement; session: Session; changed: () => void }

export function SettlementDetail({ settlement, session, changed }: Props) {
  const { reference, net: amount, currency, status, heldReason, payouts, payees } = settlement
  return (
    <>
      <Headline sum={{ amount, currency }} state={status} about={periodOf(settlement)} />
      {status === 'closed' && heldReason && <Held reason={heldReason} />}
      {payees?.length > 0 && <Payees settlement={settlement} />}
      <SettlementActions settlement={settlement} session={session} done={changed} />
      <AmountList of={settlement} />
      <p class="actions">
        <a class="button" href={csvLink(`/api/v1/settlements/${reference}.csv`)} download>
          <Icon name="download" />
          {strings.csv}
        </a>
        <a
          class="button"
          href={`/api/v1/settlements/${reference}.html`}
          target="_blank"
          rel="noopener"
        >
          <Icon name="ledger" />
          {strings.print}
        </a>
      </p>
      <About settlement={settlement} />
      {payouts.length > 0 && <Payouts settlement={settlement} />}
      <h3>{strings.lines}</h3>
      <SettlementLines key={status} settlement={settlement} />
    </>
  )
}

function Held({ reason }: { reason: string }) {
  return (
    <p class="notice held">
      {strings.held[reason] ?? reason}
      {reason !== 'approval_needed' && (
        <>
          {' '}
          <BankAccountsLink />
        </>
      )}
    </p>
  )
}

function About({ settlement }: { settlement: Settlement }) {
  const { period, closedAt, approvedAt, approvedBy, cancelledAt, cancelledBy } = settlement
  return (
    <Facts
      facts={[
        [strings.reference, <Copyable key="reference" text={settlement.reference} />],
        [strings.from, period.from && <Time at={period.from} />],
        [strings.cutOff, <Time key="cut-off" at={settlement.cutOff} />],
        [strings.closed, <Time key="closed" at={closedAt} />],
        [strings.closedBy, person(settlement.closedBy)],
        [strings.approved, approvedAt && <Time at={approvedAt} />],
        [strings.approvedBy, approvedBy && person(approvedBy)],
        [strings.cancelled, cancelledAt && <Time at={cancelledAt} />],
        [strings.cancelledBy, cancelledBy && person(cancelledBy)],
        [strings.finished, settlement.finishedAt && <Time at={settlement.finishedAt} />],
      ]}
    />
  )
}

function Payouts({ settlement: { payouts, currency } }: { settlement: Settlement }) {
  return (
    <>
      <h3>{strings.payouts}</h3>
      <ul class="attempts" aria-label={strings.payouts}>
        {payouts.map(({ reference, status, amount, subaccountCode }) => (
          <li key={reference}>
            <div>
              <p>
                <Link href={hrefOf('payouts', reference)}>{reference}</Link>
              </p>
              <p class="muted small">{subaccountCode ?? strings.mainAccount}</p>
            </div>
            <div>
              <p>
                <Money amount={amount} currency={currency} />
              </p>
              <Badge state={status} />
            </div>
          </li>
        ))}
      </ul>
    </>
  )
}
