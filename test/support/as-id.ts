// Ids that a test writes by hand, or reads off a page, enter their type here.

export function asId<Id extends bigint | string>(value: bigint | string): Id {
  return value as Id
}
