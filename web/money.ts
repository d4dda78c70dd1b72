// Naira as people read it. Formatted by hand, because browsers disagree, and the server's HTML must equal
// the browser's.

export function formatNaira(amount: number): string {
  const [whole = '', kobo] = amount.toFixed(2).split('.')
  return `₦${whole.replace(/\B(?=(?:\d{3})+$)/g, ',')}.${kobo}`
}
