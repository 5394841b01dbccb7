import { isWide, MANY_MEMBERS } from '../lib/wide-objects.ts'

/**
 * Whether a value holds no more than `most` members and elements, at every depth: so few are copied or compared at
 * once.
 */
export const hasFewValues = (value: unknown, most = 1024): boolean => rest(value, most) >= 0

/** Values that are converted, sorted or hashed in one step, where that takes microseconds for each. */
export const MOST_IN_A_STEP = 128

/** How many more there may be; below 0 once there are too many. */
function rest(value: unknown, most: number): number {
  if (typeof value !== 'object' || value === null) return most
  let left = most
  if (Array.isArray(value)) {
    left -= value.length
    for (let i = 0; i < value.length && left >= 0; i++) left = rest(value[i], left)
    return left
  }
  if (most < MANY_MEMBERS && isWide(value)) return -1
  for (const name in value) {
    if (--left < 0) return left
    const member = (value as Readonly<Record<string, unknown>>)[name]
    if (typeof member === 'object') left = rest(member, left)
  }
  return left
}
