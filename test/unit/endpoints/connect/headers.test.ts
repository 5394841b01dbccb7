import { expect } from 'chai'
import { endToEnd } from '../../../../src/endpoints/connect/headers.ts'

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

  it('reads very many names in Connection', () => {
    const headers = [['Connection', 'a,b,'.repeat(240_000)] as const, ...Array.from({ length: 1900 }, (_, i) => [`X-${i}`, '1'] as const)]
    expect(endToEnd(headers)).to.have.length(1900)
  })
})
