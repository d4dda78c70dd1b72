// The client's calls on subaccounts and splits, and the requests for another client's that
// test/access/route-isolation.test.ts sends.

import { nubanCheckDigit } from '#banks/nuban.ts'
import { dataOf } from './fixtures.ts'
import type { Recipe } from './isolation-recipes.ts'
import { bankAccountNumber } from './payouts.ts'
import type { Bench, Call } from './running-service.ts'

// An account number at bank 058 with the right check digit. The sandbox's bank reacts in a special way to
// numbers that begin with one of SANDBOX_PREFIXES.
export function numberAt058(prefix: string): string {
  const serial = `${prefix}5678`
  return `${serial}${nubanCheckDigit('058', serial)}`
}

export const SUBACCOUNTS = '/api/v1/subaccounts'
export const SPLITS = '/api/v1/splits'

export function subaccountBody(subaccountCode: string, changes: object = {}) {
  return {
    subaccountCode,
    name: `Vendor ${subaccountCode}`,
    bankCode: '058',
    accountNumber: numberAt058('02345'),
    accountName: 'Ada Vendor',
    ...changes,
  }
}

export async function createSubaccounts(bench: Bench, ...codes: string[]): Promise<void> {
  for (const code of codes) {
    dataOf(await bench.call({ url: SUBACCOUNTS, body: subaccountBody(code) }))
  }
}

// The fields of a bank account that no subaccount has yet.
export const newAccountBody = (prefix?: string) => ({
  bankCode: '058',
  accountNumber: bankAccountNumber(prefix),
  accountName: 'Ada Vendor',
})

export function changeSubaccount(by: Pick<Bench, 'call'>, code: string, body: object) {
  return by.call({ method: 'PATCH', url: `${SUBACCOUNTS}/${code}`, body })
}

// Gives a subaccount another bank account; returns the reference of that bank account.
export async function payElsewhere(
  by: Pick<Bench, 'call'>,
  code: string,
  body: object = newAccountBody(),
): Promise<string> {
  return dataOf(await changeSubaccount(by, code, body)).bankAccountReference
}

type Part = [subaccountCode: string, share: number | string, bearsFee?: boolean]

// The body of a split: for each part, the subaccount, its share, and whether it bears the fee.
export function splitBody(splitCode: string, type: 'percentage' | 'flat', ...parts: Part[]) {
  return {
    splitCode,
    name: `Split ${splitCode}`,
    type,
    parts: parts.map(([subaccountCode, share, bearsFee = false]) => ({
      subaccountCode,
      share,
      bearsFee,
    })),
  }
}

export function postSplit(bench: Bench, body: object, more: Partial<Call> = {}) {
  return bench.call({ url: SPLITS, body, ...more })
}

// Creates the subaccounts A and B and a split, by default one in which A gets 80 percent and B 20.
export async function createSplit(
  bench: Bench,
  body: object = splitBody('AB', 'percentage', ['A', 80], ['B', 20]),
): Promise<void> {
  await createSubaccounts(bench, 'A', 'B')
  dataOf(await postSplit(bench, body))
}

export async function balanceOfSubaccount(bench: Bench, code: string): Promise<number> {
  return dataOf(await bench.call({ url: `${SUBACCOUNTS}/${code}` })).balance
}

// For each operation, the requests that name another client's objects (isolation-recipes.ts).
export function splitRecipes(): Record<string, Recipe> {
  return {
    getSubaccount: (things) => [{ url: `${SUBACCOUNTS}/${things.subaccountCode}` }],
    updateSubaccount: (things) =>
      [{ isActive: false }, newAccountBody()].map((body) => ({
        method: 'PATCH',
        url: `${SUBACCOUNTS}/${things.subaccountCode}`,
        body,
      })),
    getSplit: (things) => [{ url: `${SPLITS}/${things.splitCode}` }],
    deactivateSplit: (things) => [
      { method: 'POST', url: `${SPLITS}/${things.splitCode}/deactivate` },
    ],
    createSplit: (things) => [
      { url: SPLITS, body: splitBody('mine', 'percentage', [things.subaccountCode, 1]) },
    ],
  }
}
