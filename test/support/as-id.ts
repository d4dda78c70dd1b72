// Gives the branded type to an id that a test writes by hand or reads from a page.

export function asId<Id extends bigint | string>(value: bigint | string): Id {
  return value as Id
}
