import type { SuccessPolicy } from '../../../api/batch/v1.types.ts'
import { countIndexes, type Indexes, parseIndexes } from './intervals.ts'

/** Returns the message of the first rule that the succeeded indexes meet. Undefined if they meet none. */
export function matchSuccessPolicy(policy: SuccessPolicy | undefined, completions: number, succeeded: Indexes): string | undefined {
  if (succeeded.length === 0) return undefined
  const index = (policy?.rules ?? []).findIndex(({ succeededIndexes, succeededCount }) => {
    if (succeededIndexes === undefined) return succeededCount !== undefined && countIndexes(succeeded) >= succeededCount
    const required = parseIndexes(succeededIndexes, completions)
    if (required.length === 0) return false
    const common = countCommon(required, succeeded)
    return common === countIndexes(required) || (succeededCount !== undefined && common >= succeededCount)
  })
  return index < 0 ? undefined : `Matched rules at index ${index}`
}

/** Number of indexes that both sets have. */
function countCommon(a: Indexes, b: Indexes): number {
  let common = 0
  for (let i = 0, j = 0; ; ) {
    const [left, right] = [a[i], b[j]]
    if (!left || !right) return common
    common += Math.max(0, Math.min(left.last, right.last) - Math.max(left.first, right.first) + 1)
    if (left.last <= right.last) i++
    if (right.last <= left.last) j++
  }
}
