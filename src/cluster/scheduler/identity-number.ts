const identities = new WeakMap<object, number>()
let lastIdentity = 0

/** Returns a number for an object, 0 for none. Keys of tallies have it in place of the text of a large object. */
export function identityNumber(object: object | undefined): number {
  if (object === undefined) return 0
  const known = identities.get(object) ?? ++lastIdentity
  identities.set(object, known)
  return known
}
