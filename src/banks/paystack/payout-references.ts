// A transfer at Paystack has a reference of lower-case letters, digits, - and _, 16 characters at least (50
// at most is from general knowledge). Each of our references has one form at Paystack, from which it can be
// read back: PYT000000000000042 is manilla-payout-pyt000000000000042. A lower-case letter or an underscore of
// ours gets an underscore before it.
//
// Paystack knows payouts by these references for ever: never change them.

const PREFIX = 'manilla-payout-'
const REFERENCE = /^[a-z0-9_-]{16,50}$/
const TAKEN = /^[A-Za-z0-9_-]+$/

// Undefined if Paystack cannot take the reference.
export function paystackReference(ours: string): string | undefined {
  if (!TAKEN.test(ours)) return undefined
  const plain = ours.replace(/[A-Za-z_]/g, (mark) =>
    /[A-Z]/.test(mark) ? mark.toLowerCase() : `_${mark}`,
  )
  const reference = PREFIX + plain
  return REFERENCE.test(reference) ? reference : undefined
}

// Undefined if the transfer is not ours.
export function ourReference(theirs: unknown): string | undefined {
  if (typeof theirs !== 'string' || !theirs.startsWith(PREFIX)) return undefined
  const ours = theirs
    .slice(PREFIX.length)
    .replace(/_([a-z_])|[a-z]/g, (mark, plain?: string) => plain ?? mark.toUpperCase())
  return paystackReference(ours) === theirs ? ours : undefined
}
