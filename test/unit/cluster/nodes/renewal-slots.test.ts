import { expect } from 'chai'
import { RenewalSlots } from '../../../../src/cluster/nodes/renewal-slots.ts'
import { MovedClock } from '../../../../src/testing/moved-clock.ts'

describe('renewals of leases', () => {
  it('happen every ten seconds, those of many nodes in groups of a hundred a second apart', async () => {
    const clock = new MovedClock({ at: 0, runs: false })
    const renewed = new Map<number, number>()
    const slots = new RenewalSlots(clock, () => void renewed.set(clock.now(), (renewed.get(clock.now()) ?? 0) + 1))
    for (let node = 0; node < 250; node++) slots.add(`node-${node}`)
    await clock.advance(22_000, async () => {})
    expect([...renewed]).to.deep.equal([
      [1000, 100],
      [2000, 50],
      [10_000, 100],
      [11_000, 100],
      [12_000, 50],
      [20_000, 100],
      [21_000, 100],
      [22_000, 50],
    ])
  })

  it('end for a node that is removed', async () => {
    const clock = new MovedClock({ at: 0, runs: false })
    const renewed: string[] = []
    const slots = new RenewalSlots(clock, node => void renewed.push(node))
    slots.add('a')
    slots.add('b')
    slots.remove('a')
    await clock.advance(10_000, async () => {})
    slots.close()
    await clock.advance(10_000, async () => {})
    expect(renewed).to.deep.equal(['b'])
  })
})
