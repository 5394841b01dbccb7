import { repeats } from '../../../lib/repeats.ts'
import type { Toleration } from '../../core/v1.types.ts'

/** Whether whatever `part` tolerates, `whole`, which is another, tolerates, too. */
function covers(whole: Toleration, part: Toleration): boolean {
  const { key = '', operator = '', value = '', effect = '', tolerationSeconds } = whole
  if ((part.key ?? '') !== key && (key !== '' || operator !== 'Exists')) return false
  if ((part.effect ?? '') !== effect && effect !== '') return false
  if (effect === 'NoExecute' && tolerationSeconds !== undefined && (part.tolerationSeconds === undefined || part.tolerationSeconds > tolerationSeconds)) {
    return false
  }
  if (operator === 'Exists') return true
  return (operator === '' || operator === 'Equal') && part.operator === 'Equal' && (part.value ?? '') === value
}

/** What must be the same in two tolerations for one to cover the other: that of the one that covers. */
const placeOf = (key: string, effect: string, value: string | undefined): string => JSON.stringify([key, effect, value ?? null])

/** The places in which something may stand that covers a toleration. */
function placesAbove({ key = '', value = '', effect }: Toleration): string[] {
  return [...new Set([key, ''])].flatMap(k => [...new Set<string>([effect ?? '', ''])].flatMap(e => [placeOf(k, e, undefined), placeOf(k, e, value)]))
}

/** Whether any index in the list will do; both ends are looked at first, as what covers most stands at one of them in lists that somebody has sorted. */
function anyOf(indices: readonly number[], will: (index: number) => boolean): boolean {
  for (let low = 0, high = indices.length - 1; low <= high; low++, high--) {
    const first = indices[low]
    const last = indices[high]
    if ((first !== undefined && will(first)) || (last !== undefined && will(last))) return true
  }
  return false
}

/** Both lists in one, without those that another covers; of equal ones the first stays. */
export function mergeTolerations(first: readonly Toleration[], second: readonly Toleration[]): Toleration[] {
  const both = [...first, ...second]
  // Decoded values have their members in one order, so equal ones have the same text.
  const again = repeats(both.map(one => JSON.stringify(one, withBigints)))
  const all = both.filter((_, i) => !again[i])
  const places = new Map<string, number[]>()
  for (const [i, { key = '', operator, value = '', effect = '' }] of all.entries()) {
    const place = placeOf(key, effect, operator === 'Exists' ? undefined : value)
    const there = places.get(place)
    if (there) there.push(i)
    else places.set(place, [i])
  }
  const dropped = new Set<number>()
  for (const [i, one] of all.entries()) {
    const above = (j: number): boolean => {
      const other = all[j]
      return other !== undefined && j !== i && !dropped.has(j) && covers(other, one)
    }
    if (placesAbove(one).some(place => anyOf(places.get(place) ?? [], above))) dropped.add(i)
  }
  return all.filter((_, i) => !dropped.has(i))
}

const withBigints = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value)
