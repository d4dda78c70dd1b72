// The bank accounts that a settlement would be paid to if it were approved now. A default that was chosen
// after the settlement was closed stands out: whoever approves should know of it.

import { settlementsStrings as strings } from '../../../copy.ts'
import { Copyable, Money, Time } from '../../parts/values.tsx'
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
                  {strings.madeDefault} <Time at={payee.defaultSince} />
                </p>
              )}
            </div>
            <div>
              <p>
                <Money amount={payee.amount} currency={currency} />
              </p>
              <p class="muted small">{payee.subaccountCode ?? strings.mainAccount}</p>
            </div>
          </li>
        ))}
      </ul>
    </>
  )
}
