import { expect } from 'chai'
import { Draw } from '../../../src/explore/draw.ts'
import type { Perturbation } from '../../../src/explore/schedule.ts'

const some = (count: number, name: string): Perturbation[] =>
  Array.from({ length: count }, (_, index) => ({ faults: [{ hold: 'Quiet', match: { names: [`${name}${index}`] } }] }))
const nameOf = ({ faults }: Perturbation): string => faults[0]?.match?.names?.[0] ?? ''

describe('the schedules of an exploration', () => {
  const perturbations = {
    deletion: some(4, 'd'),
    event: some(16, 'e'),
    restart: some(5, 'r'),
    error: some(10, 'x'),
    stale: some(3, 's'),
    conflict: [],
    other: some(2, 'o'),
  }
  const drawn = (seed: number, runs: number): string[] => {
    const draw = new Draw(perturbations, seed)
    return Array.from({ length: runs }, () => (draw.next() ?? []).map(nameOf).join('+'))
  }

  it('are those of the seed', () => {
    expect(drawn(7, 30)).to.deep.equal(drawn(7, 30))
    expect(drawn(7, 30)).to.not.deep.equal(drawn(8, 30))
  })

  it('have every perturbation before any comes again', () => {
    const single = drawn(3, 46).filter(name => name !== '' && !name.includes('+'))
    expect(new Set(single).size).to.be.at.least(38)
  })

  it('have pairs, and no end', () => {
    const names = drawn(1, 100)
    expect(names.filter(name => name.includes('+')).length).to.be.above(40)
    expect(names).to.not.include('')
  })

  it('do not exist if nothing can be perturbed', () => {
    expect(new Draw({ deletion: [], event: [], restart: [], error: [], stale: [], conflict: [], other: [] }, 1).next()).to.equal(undefined)
  })
})
