import { expect } from 'chai'
import { seededRandom } from '../../../src/lib/seeded-random.ts'
import { ShardedMap } from '../../../src/lib/sharded-map.ts'

describe('lib/sharded-map', () => {
  it('behaves like a Map', () => {
    const random = seededRandom(3)
    const map = new ShardedMap<number>()
    const expected = new Map<string, number>()
    for (let i = 0; i < 5000; i++) {
      const key = String(Math.floor(random() * 300))
      if (random() < 0.4) expect(map.delete(key)).to.equal(expected.delete(key))
      else {
        map.set(key, i)
        expected.set(key, i)
      }
      expect([map.size, map.has(key), map.get(key)]).to.deep.equal([expected.size, expected.has(key), expected.get(key)])
    }
    expect([...map.values()].sort()).to.deep.equal([...expected.values()].sort())
  })

  for (const [name, keyOf] of [
    ['numbers in sequence', (i: number) => `${i.toString(16).padStart(8, '0')}-9c1f-4d6e-8a3b-0123456789ab`],
    ['names with a common beginning', (i: number) => `/registry/configmaps/default/object-${i}`],
  ] as const)
    it(`moves few entries when it grows, for ${name}`, () => {
      const map = new ShardedMap<number>()
      for (let i = 0; i < 50_000; i++) map.set(keyOf(i), i)
      expect(map.fullest).to.be.below(50_000 / 100)
    })
})
