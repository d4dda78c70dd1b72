// Formats naira without Intl, because browsers format amounts differently, and the server's HTML must equal
// the browser's.

// Formats 1234.5 as ₦1,234.50.
export function formatNaira(amount: number): string {
  const [whole = '', kobo] = amount.toFixed(2).split('.')
  return `₦${whole.replace(/\B(?=(?:\d{3})+$)/g, ',')}.${kobo}`
}
