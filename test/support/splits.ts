// Subaccounts and splits: the client's own calls, and requests for another client's.

import { nubanCheckDigit } from '#banks/nuban.ts'
import { dataOf } from './fixtures.ts'
import type { Recipe } from './isolation-recipes.ts'
import { bankAccountNumber } from './payouts.ts'
import type { Bench, Call } from './running-service.ts'

// With the right check digit. The sandbox's bank reacts to some prefixes (docs/payouts.md).
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
    dataOf(await bench.call({ url: SUBACCOUNTS, body: subaccountBody(code) }), 'account')
  }
}

// A new account.
export const newAccountBody = (prefix?: string) => ({
  bankCode: '058',
  accountNumber: bankAccountNumber(prefix),
  accountName: 'Ada Vendor',
})

export function changeSubaccount(by: Pick<Bench, 'call'>, code: string, body: object) {
  return by.call({ method: 'PATCH', url: `${SUBACCOUNTS}/${code}`, body })
}

// Returns the reference of the new bank account.
export async function payElsewhere(
  by: Pick<Bench, 'call'>,
  code: string,
  body: object = newAccountBody(),
): Promise<string> {
  return dataOf(await changeSubaccount(by, code, body), 'account').bankAccountReference
}

type Part = [subaccountCode: string, share: number | string, bearsFee?: boolean]

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

// By default A and B share 80 to 20.
export async function createSplit(
  bench: Bench,
  body: object = splitBody('AB', 'percentage', ['A', 80], ['B', 20]),
): Promise<void> {
  await createSubaccounts(bench, 'A', 'B')
  dataOf(await postSplit(bench, body), 'account')
}

export async function balanceOfSubaccount(bench: Bench, code: string): Promise<number> {
  return dataOf(await bench.call({ url: `${SUBACCOUNTS}/${code}` }), 'account').balance
}

export function splitRecipes(): Record<string, Recipe> {
  return {
    getSubaccount: (of) => [{ url: `${SUBACCOUNTS}/${of.subaccountCode}` }],
    updateSubaccount: (of) =>
      [{ isActive: false }, newAccountBody()].map((body) => ({
        method: 'PATCH',
        url: `${SUBACCOUNTS}/${of.subaccountCode}`,
        body,
      })),
    getSplit: (of) => [{ url: `${SPLITS}/${of.splitCode}` }],
    deactivateSplit: (of) => [{ method: 'POST', url: `${SPLITS}/${of.splitCode}/deactivate` }],
    createSplit: (of) => [
      { url: SPLITS, body: splitBody('mine', 'percentage', [of.subaccountCode, 1]) },
    ],
  }
}
