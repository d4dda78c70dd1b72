// The account name that a payer's bank shows before sending, e.g. "Sandbox Merchant/Ada Obi".

export function accountName(
  style: string,
  { merchantName, customerName }: { merchantName: string; customerName: string },
): string {
  return style.replaceAll(/\{(merchant|customer)\}/g, (_, who) =>
    who === 'merchant' ? merchantName : customerName,
  )
}
