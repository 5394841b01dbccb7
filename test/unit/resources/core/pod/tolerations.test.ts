import { expect } from 'chai'
import type { Toleration } from '../../../../../src/api/core/v1.types.ts'
import { seededRandom } from '../../../../../src/lib/seeded-random.ts'
import { areAllowed, mergeTolerations } from '../../../../../src/resources/core/pod/tolerations.ts'

const isEqual = (a: Toleration, b: Toleration): boolean => JSON.stringify(a) === JSON.stringify(b)

/** Compares two tolerations as upstream does. */
function covers(wide: Toleration, narrow: Toleration): boolean {
  if (isEqual(wide, narrow)) return true
  const { key = '', operator = '', effect = '', tolerationSeconds: seconds } = wide
  if ((narrow.key ?? '') !== key && (key !== '' || operator !== 'Exists')) return false
  if (effect !== '' && (narrow.effect ?? '') !== effect) return false
  const isLonger = narrow.tolerationSeconds === undefined || (seconds !== undefined && narrow.tolerationSeconds > seconds)
  if (effect === 'NoExecute' && seconds !== undefined && isLonger) return false
  if (operator === 'Exists') return true
  return (operator === 'Equal' || operator === '') && narrow.operator === 'Equal' && (narrow.value ?? '') === (wide.value ?? '')
}

/** Merges tolerations as upstream does, comparing each with all others. */
function merged(first: readonly Toleration[], second: readonly Toleration[]): Toleration[] {
  const all = [...first, ...second]
  const kept: Toleration[] = []
  for (const [i, each] of all.entries()) {
    const isCovered =
      kept.some(other => covers(other, each)) || all.some((other, at) => at > i && !isEqual(other, each) && covers(other, each))
    if (!isCovered) kept.push(each)
  }
  return kept
}

const random = seededRandom(16)
const oneOf = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T
const part = (name: string, value: string | number | undefined): object => (value === undefined ? {} : { [name]: value })
const toleration = (): Toleration => ({
  ...part('key', oneOf([undefined, 'a', 'b'])),
  ...part('operator', oneOf([undefined, 'Exists', 'Equal', 'Equal', 'Other'])),
  ...part('value', oneOf([undefined, 'x', 'y'])),
  ...part('effect', oneOf([undefined, 'NoSchedule', 'NoExecute', 'NoExecute'])),
  ...part('tolerationSeconds', oneOf([undefined, 5, 7, 9])),
})
const list = (): Toleration[] => Array.from({ length: Math.floor(random() * 6) }, toleration)

describe('tolerations', () => {
  it('are merged and allowed as in a pairwise comparison', () => {
    for (let i = 0; i < 20_000; i++) {
      const [first, second] = [list(), list()]
      expect(mergeTolerations(first, second), JSON.stringify([first, second])).to.deep.equal(merged(first, second))
      expect(areAllowed(first, second), JSON.stringify([first, second])).to.equal(
        first.every(each => second.some(other => covers(other, each))),
      )
    }
  })
})
