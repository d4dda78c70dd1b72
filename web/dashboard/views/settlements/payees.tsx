// The bank accounts that a settlement would be paid to if approved now. Highlights accounts chosen after the
// settlement closed, and accounts that cannot be paid.

import { settlementsStrings as strings } from '../../../copy.ts'
import { Link } from '../../parts/link.tsx'
import { Copyable, Money, Time } from '../../parts/values.tsx'
import { hrefOf } from '../../routing.ts'
import type { WholeSettlement } from './amounts.tsx'

export function Payees({ settlement }: { settlement: WholeSettlement }) {
  const { payees, closedAt, currency } = settlement
  return (
    <>
      <h3>{strings.payees}</h3>
      <ul class="attempts" aria-label={strings.payees}>
        {payees.map((payee) => (
          <li key={payee.subaccountCode}>
            <div>
              <p>{payee.accountName}</p>
              <p>
                {payee.bankName}{' '}
                <Copyable text={payee.accountNumber ?? payee.accountNumberMasked} />
              </p>
              {payee.defaultSince && Date.parse(payee.defaultSince) > Date.parse(closedAt) && (
                <p class="notice held">
                  {payee.subaccountCode === null ? strings.madeDefault : strings.chosenLater}{' '}
                  <Time at={payee.defaultSince} />
                </p>
              )}
              {payee.blockedBy && (
                <p class="notice held">{strings.payeeBlocked[payee.blockedBy]}</p>
              )}
            </div>
            <div>
              <p>
                <Money amount={payee.amount} currency={currency} />
              </p>
              <p class="muted small">
                <Party code={payee.subaccountCode} />
              </p>
            </div>
          </li>
        ))}
      </ul>
    </>
  )
}

function Party({ code }: { code: string | null }) {
  if (code === null) return strings.mainAccount
  return <Link href={hrefOf('settings', code, { tab: 'subaccounts' })}>{code}</Link>
}
