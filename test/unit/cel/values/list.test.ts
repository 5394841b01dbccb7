import { expect } from 'chai'
import { runComparison } from '../../../../src/cel/values/compare.ts'
import { JoinedList, listOfValues } from '../../../../src/cel/values/list.ts'
import { CelList } from '../../../../src/cel/values/value.ts'
import { seededRandom } from '../../../../src/lib/seeded-random.ts'

const COUNT = 20_000
/** An AVL tree of 20,000 leaves is at most this high. */
const MOST_HEIGHT = 20

const listOf = (value: number): CelList => listOfValues([value])
const elements = (list: CelList): unknown[] => Array.from({ length: list.size }, (_, i) => list.at(i))

/** Concatenates, which must yield a list. */
function concat(first: CelList, second: CelList): CelList {
  const joined = first.concat(second)
  if (!(joined instanceof CelList)) throw new Error('the concatenation is not a list')
  return joined
}

/** Concatenates the lists of 0, 1, … with random neighbors until one is left. */
function inRandomOrder(): CelList {
  const random = seededRandom(1)
  const lists = Array.from({ length: COUNT }, (_, i) => listOf(i))
  while (lists.length > 1) {
    const i = Math.floor(random() * (lists.length - 1))
    lists.splice(i, 2, concat(lists[i] as CelList, lists[i + 1] as CelList))
  }
  return lists[0] as CelList
}

describe('a list of many concatenations', () => {
  const numbers = Array.from({ length: COUNT }, (_, i) => i)
  const orders: Readonly<Record<string, () => CelList>> = {
    'at the end': () => numbers.slice(1).reduce((list, i) => concat(list, listOf(i)), listOf(0)),
    'at the beginning': () => numbers.slice(0, -1).reduceRight((list, i) => concat(listOf(i), list), listOf(COUNT - 1)),
    'in random order': inRandomOrder,
  }
  for (const [order, make] of Object.entries(orders))
    it(`finds each element in few steps if they were made ${order}`, () => {
      const list = make()
      expect(list).to.be.instanceOf(JoinedList)
      expect((list as JoinedList).height).to.be.at.most(MOST_HEIGHT)
      expect(elements(list)).to.deep.equal(numbers)
      expect(runComparison(list.contains(COUNT - 1))).to.equal(true)
      expect(runComparison(list.contains(COUNT))).to.equal(false)
    })

  it('leaves the concatenated lists as they were', () => {
    const first = numbers.slice(1, 100).reduce((list, i) => concat(list, listOf(i)), listOf(0))
    const second = concat(first, listOf(100))
    concat(second, first)
    expect(elements(first)).to.deep.equal(numbers.slice(0, 100))
    expect(elements(second)).to.deep.equal(numbers.slice(0, 101))
  })
})
