import type { Toleration } from '../../../api/core/v1.types.ts'
import { repeats } from '../../../lib/repeats.ts'

/** Duration of a toleration in seconds, or Infinity if it is unlimited. */
type Rank = number | bigint

/**
 * Key under which tolerations that may cover each other are grouped. The value is undefined for the operator Exists.
 */
const tolerationKey = (key: string, effect: string, value: string | undefined): string => JSON.stringify([key, effect, value ?? null])

/** Operators whose tolerations may cover others that are not equal to them. */
const COVERING: ReadonlySet<string> = new Set(['Exists', 'Equal', ''])

const isExisting = ({ operator }: Toleration): boolean => operator === 'Exists'

/**
 * Returns the duration of a toleration. It is unlimited for effects other than NoExecute, for which tolerationSeconds
 * is ignored.
 */
const rankIn = (effect: string, { tolerationSeconds }: Toleration): Rank =>
  effect === 'NoExecute' ? (tolerationSeconds ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY

/** Tolerations of a group with the longest duration. Those with an operator cover each other. */
interface Longest {
  readonly rank: Rank
  /** Index of the last of them, or of the first of several equal ones at the end. */
  last: number
  text: string
  /** Whether one of them has no operator. It covers those that have one, and none of them covers it. */
  isBare: boolean
}

/** Tolerations, indexed by what they cover. */
class Coverage {
  readonly #places = new Map<string, Longest>()

  constructor(tolerations: readonly Toleration[], texts: readonly string[]) {
    for (const [last, one] of tolerations.entries()) {
      const { key = '', operator = '', value = '', effect = '' } = one
      if (!COVERING.has(operator)) continue
      const place = tolerationKey(key, effect, isExisting(one) ? undefined : value)
      const rank = rankIn(effect, one)
      const text = texts[last] ?? ''
      const longest = this.#places.get(place)
      const isBare = operator === ''
      if (!longest || longest.rank < rank) this.#places.set(place, { rank, last, text, isBare })
      else if (longest.rank === rank && longest.text !== text) Object.assign(longest, { last, text, isBare: longest.isBare || isBare })
    }
  }

  /** Reports whether a toleration of another group covers this one. */
  isBelow(one: Toleration): boolean {
    const { key = '', operator = '', value = '', effect = '' } = one
    const own = isExisting(one) ? tolerationKey(key, effect, undefined) : tolerationKey(key, effect, value)
    return ['', key].some(k =>
      ['', effect].some(e => {
        const reaches = (place: string): boolean => {
          const longest = place === own ? undefined : this.#places.get(place)
          return longest !== undefined && longest.rank >= rankIn(e, one)
        }
        if (reaches(tolerationKey(k, e, undefined))) return true
        return k === key && operator === 'Equal' && reaches(tolerationKey(k, e, value))
      }),
    )
  }

  /** Returns the longest tolerations of the group of `one`, if they may cover it. */
  beside(one: Toleration): Longest | undefined {
    const { key = '', operator = '', value = '', effect = '' } = one
    if (operator !== 'Exists' && operator !== 'Equal') return undefined
    return this.#places.get(tolerationKey(key, effect, isExisting(one) ? undefined : value))
  }
}

/** Decoded values have their members in a fixed order, so equal tolerations have the same text. */
const tolerationText = (one: Toleration): string =>
  JSON.stringify(one, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))

/**
 * Merges two lists, without tolerations that another one covers. Of equal tolerations the first is kept, of others that
 * cover each other the last. Source: pkg/util/tolerations in k8s.io/kubernetes.
 */
export function mergeTolerations(first: readonly Toleration[], second: readonly Toleration[]): Toleration[] {
  const all = [...first, ...second]
  const texts = all.map(tolerationText)
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

/** Reports whether each toleration is covered by an allowed one. */
export function areAllowed(tolerations: readonly Toleration[], allowed: readonly Toleration[]): boolean {
  const texts = allowed.map(tolerationText)
  const coverage = new Coverage(allowed, texts)
  const equal = new Set(texts)
  return tolerations.every(one => {
    const longest = coverage.beside(one)
    return (
      equal.has(tolerationText(one)) || coverage.isBelow(one) || (longest !== undefined && longest.rank >= rankIn(one.effect ?? '', one))
    )
  })
}
