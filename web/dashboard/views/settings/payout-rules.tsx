// What operators set for money that leaves: days without settlements, a client's payout limits, and
// what banks charge for payouts.

import type { ViewProps } from '../../view-props.ts'
import { ClientPayoutLimits } from './client-payout-limits.tsx'
import { Holidays } from './holidays.tsx'
import { PayoutTariffs } from './payout-tariffs.tsx'

export function PayoutRules({ place }: ViewProps) {
  return (
    <>
      <Holidays />
      <ClientPayoutLimits />
      <PayoutTariffs openKey={place.open} />
    </>
  )
}
