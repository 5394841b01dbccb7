import { expect } from 'chai'
import { type Claim, numberRevisions } from '../../../../src/commands/import/revisions.ts'

const numbered = (claims: readonly Claim[], newest = 0): string => {
  const { items, newest: last, moved, missing } = numberRevisions(claims, newest)
  const shown = items.map(({ item, revision }) => `${item.key}=${revision}`).sort()
  return `${shown.join(' ')} newest ${last} moved ${moved} missing ${missing}`
}
const claim = (key: string, revision: number): Claim => ({ key, revision })

describe('revisions of imported objects', () => {
  const cases: readonly (readonly [name: string, claims: readonly Claim[], newest: number, want: string])[] = [
    ['stay', [claim('b', 7), claim('a', 9)], 12, 'a=9 b=7 newest 12 moved 0 missing 0'],
    ['are assigned if there are none', [claim('b', 0), claim('a', 0), claim('c', 5)], 0, 'a=6 b=7 c=5 newest 7 moved 0 missing 2'],
    [
      'stay with the first key if several claim one',
      [claim('c', 7), claim('a', 7), claim('b', 7)],
      8,
      'a=7 b=9 c=10 newest 10 moved 2 missing 0',
    ],
    ['are above the first revision of a store', [claim('a', 1)], 0, 'a=2 newest 2 moved 0 missing 1'],
    ['are those of nothing', [], 0, ' newest 1 moved 0 missing 0'],
  ]
  for (const [name, claims, newest, want] of cases)
    it(name, () => {
      expect(numbered(claims, newest)).to.equal(want)
      expect(numbered([...claims].reverse(), newest), 'in another order').to.equal(want)
    })
})
