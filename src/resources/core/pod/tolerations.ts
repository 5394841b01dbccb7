import { repeats } from '../../../lib/repeats.ts'
import type { Toleration } from '../v1.types.ts'

/** Seconds, or what is more than any. */
type Rank = number | bigint

/** What must be the same in two tolerations for one to cover the other: that of the one that covers. Of those that exist the value is undefined. */
const placeOf = (key: string, effect: string, value: string | undefined): string => JSON.stringify([key, effect, value ?? null])

/** Operators of tolerations that cover more than what is equal to them. */
const COVERING: ReadonlySet<string> = new Set(['Exists', 'Equal', ''])

const isExisting = ({ operator }: Toleration): boolean => operator === 'Exists'

/** How long it tolerates what stands in a place of the effect: elsewhere the seconds do not count. */
const rankIn = (effect: string, { tolerationSeconds }: Toleration): Rank =>
  effect === 'NoExecute' ? (tolerationSeconds ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY

/** The tolerations of a place that tolerate the longest. Those with an operator cover each other. */
interface Longest {
  readonly rank: Rank
  /** Where the last of them stands, or the first of several at the end that are equal. */
  last: number
  text: string
  /** One of them has no operator: it covers those that have one, and is covered by none of them. */
  isBare: boolean
}

/** Tolerations by what they cover. */
class Coverage {
  private readonly places = new Map<string, Longest>()

  constructor(tolerations: readonly Toleration[], texts: readonly string[]) {
    for (const [last, one] of tolerations.entries()) {
      const { key = '', operator = '', value = '', effect = '' } = one
      if (!COVERING.has(operator)) continue
      const place = placeOf(key, effect, isExisting(one) ? undefined : value)
      const rank = rankIn(effect, one)
      const text = texts[last] ?? ''
      const longest = this.places.get(place)
      const isBare = operator === ''
      if (!longest || longest.rank < rank) this.places.set(place, { rank, last, text, isBare })
      else if (longest.rank === rank && longest.text !== text) Object.assign(longest, { last, text, isBare: longest.isBare || isBare })
    }
  }

  /** Whether another covers it that stands in another place. */
  isBelow(one: Toleration): boolean {
    const { key = '', operator = '', value = '', effect = '' } = one
    const own = isExisting(one) ? placeOf(key, effect, undefined) : placeOf(key, effect, value)
    return ['', key].some(k =>
      ['', effect].some(e => {
        const reaches = (place: string): boolean => {
          const longest = place === own ? undefined : this.places.get(place)
          return longest !== undefined && longest.rank >= rankIn(e, one)
        }
        if (reaches(placeOf(k, e, undefined))) return true
        return k === key && operator === 'Equal' && reaches(placeOf(k, e, value))
      }),
    )
  }

  /** The longest of its own place, if they may cover it. */
  beside(one: Toleration): Longest | undefined {
    const { key = '', operator = '', value = '', effect = '' } = one
    if (operator !== 'Exists' && operator !== 'Equal') return undefined
    return this.places.get(placeOf(key, effect, isExisting(one) ? undefined : value))
  }
}

/** Decoded values have their members in one order, so equal ones have the same text. */
const textOf = (one: Toleration): string => JSON.stringify(one, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))

/** Both lists in one, without those that another covers: of equal ones the first stays, of others that cover each other the last. Source: pkg/util/tolerations in k8s.io/kubernetes. */
export function mergeTolerations(first: readonly Toleration[], second: readonly Toleration[]): Toleration[] {
  const all = [...first, ...second]
  const texts = all.map(textOf)
  const again = repeats(texts)
  const coverage = new Coverage(all, texts)
  return all.filter((one, i) => {
    if (coverage.isBelow(one)) return false
    const longest = coverage.beside(one)
    if (!longest) return !again[i]
    const isLongest = rankIn(one.effect ?? '', one) === longest.rank
    return isLongest && longest.last === i && !(longest.isBare && one.operator === 'Equal')
  })
}

/** Whether each toleration is covered by one that is allowed. */
export function areAllowed(tolerations: readonly Toleration[], allowed: readonly Toleration[]): boolean {
  const texts = allowed.map(textOf)
  const coverage = new Coverage(allowed, texts)
  const equal = new Set(texts)
  return tolerations.every(one => {
    const longest = coverage.beside(one)
    return equal.has(textOf(one)) || coverage.isBelow(one) || (longest !== undefined && longest.rank >= rankIn(one.effect ?? '', one))
  })
}
