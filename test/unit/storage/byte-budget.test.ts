import { expect } from 'chai'
import { ByteBudget, type Charge } from '../../../src/storage/byte-budget.ts'
import { collectGarbage } from '../../support/collect-garbage.ts'

describe('ByteBudget', () => {
  const dropped: string[] = []
  const charge = (name: string, bytes: number): Charge => ({ bytes, used: false, drop: () => dropped.push(name) })
  beforeEach(() => {
    dropped.length = 0
  })

  it('drops the oldest, except those used since they were last inspected', () => {
    const budget = new ByteBudget(100)
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(name => charge(name, 40)) as [Charge, Charge, Charge, Charge]
    budget.add(a)
    budget.add(b)
    a.used = true
    budget.add(c)
    expect(dropped).to.deep.equal(['b'])
    budget.add(d)
    expect(dropped).to.deep.equal(['b', 'c'])
    expect(budget.bytes).to.equal(80)
  })

  it('immediately drops a charge that exceeds the limit alone', () => {
    const budget = new ByteBudget(100)
    budget.add(charge('a', 50))
    budget.add(charge('b', 101))
    expect(dropped).to.deep.equal(['b'])
    expect(budget.bytes).to.equal(50)
  })

  it('ages: drops charges that were not used for a period, and spares others', () => {
    const budget = new ByteBudget(1000)
    const charges = ['a', 'b', 'c', 'd', 'e'].map(name => charge(name, 10))
    for (const each of charges) budget.add(each)
    const [, b] = charges as [Charge, Charge]
    b.used = true
    budget.age(5)
    expect(dropped).to.deep.equal(['a'])
    for (let look = 1; look < 4; look++) budget.age(4)
    expect(dropped).to.deep.equal(['a', 'c', 'd'])
    expect(budget.bytes).to.equal(20)
    for (let look = 0; look < 4; look++) budget.age(4)
    expect(dropped).to.deep.equal(['a', 'c', 'd', 'e', 'b'])
    expect(budget.bytes).to.equal(0)
    budget.age(4)
    budget.add(charge('f', 10))
    expect(budget.bytes).to.equal(10)
  })

  it('releases dropped charges', async () => {
    const budget = new ByteBudget(1000)
    const charges = Array.from({ length: 500 }, (_, i) => {
      const each = charge(String(i), 100)
      budget.add(each)
      return new WeakRef(each)
    })
    await collectGarbage()
    expect(charges.filter(each => each.deref() !== undefined)).to.have.length(10)
  })
})
