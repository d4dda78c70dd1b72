// The account name that a payer's bank shows before sending, e.g. "Sandbox Merchant/Ada Obi". The
// merchant's part is the client's name, unless its branding sets another.
//
// Every account name uses this column, so that bank, page and API show the same.
export const MERCHANT_NAME = {
  c: 'coalesce(c.brand_account_name, c.name) as "merchantName"',
  k: 'coalesce(k.brand_account_name, k.name) as "merchantName"',
} as const // Keyed by the alias of `clients`.

export function accountName(
  style: string,
  { merchantName, customerName }: { merchantName: string; customerName: string },
): string {
  return style.replaceAll(/\{(merchant|customer)\}/g, (_, who) =>
    who === 'merchant' ? merchantName : customerName,
  )
}
