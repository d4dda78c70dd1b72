// Formats naira without Intl, because browsers format amounts differently, and the server's HTML must equal
// the browser's.

export function formatNaira(amount: number): string {
  const [whole = '', kobo] = amount.toFixed(2).split('.')
  return `₦${whole.replace(/\B(?=(?:\d{3})+$)/g, ',')}.${kobo}`
}
