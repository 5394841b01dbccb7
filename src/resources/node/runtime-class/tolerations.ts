import { deepEqual } from '../../../meta/equal.ts'
import type { ApiStruct } from '../../core/checks.ts'

/** Whether whatever `part` tolerates, `whole` tolerates, too. */
function covers(whole: ApiStruct, part: ApiStruct): boolean {
  if (deepEqual(whole, part)) return true
  const { key = '', operator = '', value = '', effect = '', tolerationSeconds } = whole
  if ((part.key ?? '') !== key && (key !== '' || operator !== 'Exists')) return false
  if ((part.effect ?? '') !== effect && effect !== '') return false
  if (effect === 'NoExecute' && tolerationSeconds !== undefined && (part.tolerationSeconds === undefined || part.tolerationSeconds > tolerationSeconds)) {
    return false
  }
  if (operator === 'Exists') return true
  return (operator === '' || operator === 'Equal') && part.operator === 'Equal' && (part.value ?? '') === value
}

/** Both lists in one, without those that another covers; of equal ones the first stays. */
export function mergeTolerations(first: readonly ApiStruct[], second: readonly ApiStruct[]): ApiStruct[] {
  const all = [...first, ...second]
  const merged: ApiStruct[] = []
  for (const [i, one] of all.entries()) {
    const isCovered = merged.some(other => covers(other, one)) || all.slice(i + 1).some(other => !deepEqual(other, one) && covers(other, one))
    if (!isCovered) merged.push(one)
  }
  return merged
}
