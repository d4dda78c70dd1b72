// Formats naira without Intl, because browsers format amounts differently, and the server's HTML must equal
// the browser's.

// Formats 1234.5 as ₦1,234.50.
export function formatNaira(amount: number): string {
  const [whole = '', kobo] = Math.abs(amount).toFixed(2).split('.')
  const groups = [whole.slice(0, whole.length % 3)]
  for (let at = whole.length % 3; at < whole.length; at += 3) groups.push(whole.slice(at, at + 3))
  return `₦${amount < 0 ? '-' : ''}${groups.filter(Boolean).join(',')}.${kobo}`
}
