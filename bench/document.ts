export function writeDocument(..._: unknown[]) {}
