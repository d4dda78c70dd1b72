// What the bank withheld from an entry that is less than its credits, shared among them so that every
// credit is the payer's gross and their nets make up the entry.
//
//   withheld = credits − entry
//
// Each credit bears the charges that its own details name. What the entry names, and a debit among
// its details, is borne by the first credit that is large enough. What the named charges do not
// explain to the kobo is not shared: nobody can say what it is.

import type { ChargeFields } from '#banks/charges.ts'
import { child, children, textOf, type XmlElement } from '#banks/iso20022/xml.ts'
import { formatKobo, kobo, parseKobo } from '#money.ts'
import { moneyOf, type Part } from './amounts.ts'

type Named = { fee: bigint; vat: bigint }
type Share = Named & { withheld: bigint }

// One for each part; null for a debit. Undefined when they cannot be shared.
export function shareCharges(
  entry: XmlElement,
  transactions: readonly XmlElement[],
  parts: readonly Part[],
): (ChargeFields | null)[] | undefined {
  const booked = parseKobo(moneyOf(entry)?.amount ?? '')
  const amounts = parts.map(({ amount }) => parseKobo(amount ?? ''))
  if (booked === undefined || amounts.some((amount) => amount === undefined)) return undefined
  const of = (at: number) => amounts[at] as bigint
  const credits = parts.flatMap(({ isOpposite }, at) => (isOpposite ? [] : [at]))
  const debits = parts.reduce((sum, { isOpposite }, at) => (isOpposite ? sum + of(at) : sum), 0n)
  const withheld = credits.reduce((sum, at) => sum + of(at), 0n) - booked
  const areDebits = transactions.every(
    (each, at) => !parts[at]?.isOpposite || textOf(each, 'CdtDbtInd') === 'DBIT',
  )
  if (withheld <= 0n || !areDebits) return undefined

  const own = transactions.map(namedIn)
  const common = namedIn(entry)
  common.fee += debits
  const shares = explain(withheld, credits, { own, common })
  if (!shares || !placeCommon(shares, common, of)) return undefined
  return parts.map((_, at) => {
    const share = shares.get(at)
    if (!share) return null
    const net = kobo(of(at) - share.withheld)
    return { settled: formatKobo(net), fee: text(share.fee), vat: text(share.vat) }
  })
}

// The common part is in none of them yet.
function explain(
  withheld: bigint,
  credits: readonly number[],
  { own, common }: { own: readonly Named[]; common: Named },
): Map<number, Share> | undefined {
  const all = [...credits.map((at) => own[at] as Named), common]
  const fees = all.reduce((sum, { fee }) => sum + fee, 0n)
  const vats = all.reduce((sum, { vat }) => sum + vat, 0n)
  // Tax beside the charges, or within them.
  if (fees + vats !== withheld && fees !== withheld) return undefined
  const isInside = fees + vats !== withheld
  if (isInside) common.vat = 0n
  return new Map(
    credits.map((at) => {
      const { fee, vat } = own[at] as Named
      return [at, { fee, vat, withheld: isInside ? fee : fee + vat }]
    }),
  )
}

function placeCommon(
  shares: Map<number, Share>,
  common: Named,
  amountOf: (at: number) => bigint,
): boolean {
  const more = common.fee + common.vat
  const bearer = [...shares].find(([at, { withheld }]) => withheld + more < amountOf(at))
  if (!bearer) return false
  const [, share] = bearer
  share.fee += common.fee
  share.vat += common.vat
  share.withheld += more
  return [...shares].every(([at, { withheld }]) => withheld < amountOf(at))
}

// From version 04 in records; before, one Chrgs a charge. A charge that is credited is none.
function namedIn(element: XmlElement): Named {
  const charges = children(element, 'Chrgs').flatMap((each) => {
    const records = children(each, 'Rcrd')
    return records.length > 0 ? records : [each]
  })
  const named = { fee: 0n, vat: 0n }
  for (const charge of charges) {
    if (textOf(charge, 'CdtDbtInd') === 'CRDT') continue
    named.fee += parseKobo(moneyOf(charge)?.amount ?? '') ?? 0n
    named.vat += parseKobo(moneyOf(child(charge, 'Tax'))?.amount ?? '') ?? 0n
  }
  return named
}

function text(amount: bigint): string {
  return formatKobo(kobo(amount))
}
