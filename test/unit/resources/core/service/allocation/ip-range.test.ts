import { expect } from 'chai'
import { ipRange, printAddress, untakenAddress } from '../../../../../../src/resources/core/service/allocation/ip-range.ts'
import { countedSteps } from '../../../../../support/counted-steps.ts'

const { first, last } = ipRange('10.0.0.0/17')

describe('the addresses of a range', () => {
  it('are searched in steps from a random one on, until one is not taken', () => {
    const taken = new Set<string>()
    for (let n = first; n <= last; n++) taken.add(printAddress(n, 'IPv4'))
    const search = (random: number) => countedSteps(untakenAddress('IPv4', [first, last], taken, () => random))
    const full = search(0.5)
    expect(full.result).to.equal(undefined)
    expect(full.yields).to.be.above(50)
    taken.delete('10.0.0.7')
    expect(search(0).result).to.equal('10.0.0.7')
    // Goes on at the beginning.
    expect(search(0.5).result).to.equal('10.0.0.7')
    taken.delete('10.0.127.7')
    expect(search(0.5).result).to.equal('10.0.127.7')
    expect(countedSteps(untakenAddress('IPv4', [first, first - 1n], new Set(), () => 0)).result).to.equal(undefined)
  })
})
