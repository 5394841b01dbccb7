import { expect } from 'chai'
import { between, type CostBounds, exactly } from '../../../../src/cel/cost/bounds.ts'
import { isSum, standardEstimate } from '../../../../src/cel/cost/standard-estimates.ts'
import { STRING } from '../../../../src/cel/type.ts'

describe('standardEstimate', () => {
  const node = (size: CostBounds) => ({ type: STRING, path: undefined, size })
  const [ten, hundred] = [exactly(10), exactly(100)]
  for (const [signature, target, args, cost, size] of [
    // A tenth of a unit a character, rounded up; comparisons end with the smaller.
    ['equals', undefined, [hundred, ten], between(1n, 1n), undefined],
    ['starts_with_string', hundred, [ten], exactly(1), undefined],
    ['contains_string', hundred, [ten], exactly(10), undefined],
    ['in_list', undefined, [ten, hundred], exactly(100), undefined],
    ['add_string', undefined, [hundred, ten], exactly(11), exactly(110)],
    // Lists are joined without a walk.
    ['add_list', undefined, [hundred, ten], exactly(1), exactly(110)],
    // A character has up to four bytes.
    ['string_to_bytes', undefined, [ten], exactly(1), between(10n, 40n)],
    ['bytes_to_string', undefined, [hundred], exactly(10), between(25n, 100n)],
    ['unknown', undefined, [hundred], exactly(1), undefined],
  ] as const)
    it(`estimates ${signature}`, () => {
      const estimate = standardEstimate(signature, target && node(target), args.map(node))
      expect([estimate.cost, estimate.size]).to.deep.equal([cost, size])
    })

  it('adds cost ranges', () => expect(['add_list', 'add_int64', 'in_list'].map(isSum)).to.deep.equal([true, false, false]))
})
