// The account name that a payer's bank shows before sending, e.g. "Sandbox Merchant/Ada Obi". The
// merchant in it is the client, or what its branding says.

// Wherever an account name is composed, so that bank, page and API say the same.
export const MERCHANT_NAME = {
  c: 'coalesce(c.brand_account_name, c.name) as "merchantName"',
  k: 'coalesce(k.brand_account_name, k.name) as "merchantName"',
} as const // By the alias of `clients`.

export function accountName(
  style: string,
  { merchantName, customerName }: { merchantName: string; customerName: string },
): string {
  return style.replaceAll(/\{(merchant|customer)\}/g, (_, who) =>
    who === 'merchant' ? merchantName : customerName,
  )
}
