import { expect } from 'chai'
import { endToEnd } from '../../../../src/endpoints/connect/headers.ts'
import { timeBound } from '../../../support/time-bounds.ts'

describe('endToEnd', () => {
  it('removes hop-by-hop headers, and those that Connection names', () => {
    const headers = [
      ['Connection', 'X-Mine, x-other ,,'],
      ['Upgrade', 'websocket'],
      ['X-MINE', '1'],
      ['X-Other', '2'],
      ['connection', 'x-third'],
      ['X-Third', '3'],
      ['Accept', '*/*'],
      ['constructor', '4'],
    ] as const
    expect(endToEnd(headers)).to.deep.equal([
      ['Accept', '*/*'],
      ['constructor', '4'],
    ])
  })

  it('takes linear time, however many names Connection has', () => {
    const headers = [['Connection', 'a,b,'.repeat(240_000)] as const, ...Array.from({ length: 1900 }, (_, i) => [`X-${i}`, '1'] as const)]
    const before = process.cpuUsage()
    expect(endToEnd(headers)).to.have.length(1900)
    const { user, system } = process.cpuUsage(before)
    expect((user + system) / 1000).to.be.below(timeBound(500))
  })
})
