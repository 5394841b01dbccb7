import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { allocateConcurrency, type Claim } from '../../../src/flow/allocate-concurrency.ts'

const SLACK = 1e-6

/** Park–Miller generator, for the same cases in each run. */
function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}

function randomCase(random: () => number): { total: number; claims: Claim[] } {
  const count = [0, 1, 2, 3, 4, 6, 9][Math.floor(random() * 7)] ?? 0
  const claims: Claim[] = Array.from({ length: count }, () => {
    const lowerBound = Math.max(0, random() * 5 - 1)
    return { lowerBound, target: lowerBound + 2 * random(), upperBound: lowerBound + 3 * random() }
  })
  while (random() < 0.25) claims.push({ target: 0, lowerBound: 0, upperBound: random() + 0.00001 })
  const low = claims.reduce((sum, { lowerBound }) => sum + lowerBound, 0)
  const high = claims.reduce((sum, { upperBound }) => sum + upperBound, 0)
  return { total: Math.round(low + (high - low) * random()), claims }
}

function check(total: number, claims: readonly Claim[]): void {
  const low = claims.reduce((sum, { lowerBound }) => sum + lowerBound, 0)
  const high = claims.reduce((sum, { upperBound }) => sum + upperBound, 0)
  if (low - total > SLACK || total - high > SLACK) {
    expect(() => allocateConcurrency(total, claims)).to.throw(RangeError)
    return
  }
  const { seats, fairProportion } = allocateConcurrency(total, claims)
  expect(seats.reduce((sum, each) => sum + each, 0)).to.be.closeTo(total, SLACK)
  for (const [i, { target, lowerBound, upperBound }] of claims.entries()) {
    const fair = fairProportion * Math.max(target, 0.001)
    expect(seats[i], JSON.stringify({ total, claims, seats, fairProportion, i })).to.be.closeTo(
      Math.max(lowerBound, Math.min(upperBound, fair)),
      SLACK,
    )
  }
}

describe('allocateConcurrency', () => {
  it('gives each claim the same proportion of its target, within its bounds', () => {
    const random = randomNumbers(1234567)
    for (let i = 0; i < 2000; i++) {
      const { total, claims } = randomCase(random)
      check(total, claims)
    }
  })

  const CASES: [what: string, total: number, claims: Claim[], seats: number[]][] = [
    ['nobody', 0, [], []],
    [
      'no bounds matter',
      12,
      [
        { target: 2, lowerBound: 0, upperBound: 100 },
        { target: 4, lowerBound: 0, upperBound: 100 },
      ],
      [4, 8],
    ],
    [
      'a lower bound',
      10,
      [
        { target: 9, lowerBound: 9, upperBound: 100 },
        { target: 9, lowerBound: 0, upperBound: 100 },
      ],
      [9, 1],
    ],
    [
      'an upper bound',
      10,
      [
        { target: 9, lowerBound: 0, upperBound: 2 },
        { target: 9, lowerBound: 0, upperBound: 100 },
      ],
      [2, 8],
    ],
  ]
  for (const [what, total, claims, seats] of CASES)
    it(what, () => {
      for (const [i, each] of allocateConcurrency(total, claims).seats.entries()) expect(each).to.be.closeTo(seats[i] ?? 0, SLACK)
    })

  const REFUSED: [total: number, claim: Claim, error: RegExp][] = [
    [-1, { target: 0, lowerBound: 0, upperBound: 1 }, /negative sums are not supported/],
    [1, { target: 0, lowerBound: -1, upperBound: 1 }, /lower bound 0 is -1 but negative lower bounds are not allowed/],
    [1, { target: 1, lowerBound: 2, upperBound: 3 }, /target 0 is 1, which is below its lower bound of 2/],
    [1, { target: 5, lowerBound: 2, upperBound: 1 }, /upper bound 0 is 1 but should not be less than the lower bound 2/],
    [1, { target: 2, lowerBound: 2, upperBound: 3 }, /lower bounds sum to 2, which is higher than the required sum of 1/],
    [9, { target: 2, lowerBound: 2, upperBound: 3 }, /upper bounds sum to 3, which is lower than the required sum of 9/],
  ]
  for (const [total, claim, error] of REFUSED)
    it(`refuses: ${error.source}`, () => expect(() => allocateConcurrency(total, [claim])).to.throw(error))

  it("divides as in upstream's test cases", () => {
    const lines = readFileSync(join(import.meta.dirname, '../../fixtures/flow/allocations-1.33.jsonl'), 'utf8')
      .trimEnd()
      .split('\n')
    for (const line of lines) {
      const { total, claims: given, seats, proportion, error } = JSON.parse(line)
      const claims = given.map(([target, lowerBound, upperBound]: number[]) => ({ target, lowerBound, upperBound }))
      if (error !== undefined) {
        expect(() => allocateConcurrency(total, claims), line).to.throw(error)
        continue
      }
      const found = allocateConcurrency(total, claims)
      expect(found.fairProportion, line).to.be.closeTo(proportion, SLACK)
      for (const [i, each] of seats.entries()) expect(found.seats[i], line).to.be.closeTo(each, SLACK)
    }
  })
})
