import { expect } from 'chai'
import { passedBack, passedBackWithUpgrade } from '../../../../src/endpoints/connect/response-headers.ts'

describe('response headers of a backend', () => {
  const raw = [
    'Connection',
    'Upgrade',
    'Upgrade',
    'websocket',
    'SERVICE-worker-allowed',
    '/',
    'Clear-Site-Data',
    '"*"',
    'Alt-Svc',
    'h3=":1"',
    'X-Mine',
    '1',
    'NEL',
    '{}',
  ]

  it('lose hop-by-hop headers, and those that a browser applies to the whole origin', () => {
    expect(passedBack(raw)).to.deep.equal([['X-Mine', '1']])
  })

  it('keep connection headers of an upgrade', () => {
    expect(passedBackWithUpgrade(raw)).to.deep.equal([
      ['Connection', 'Upgrade'],
      ['Upgrade', 'websocket'],
      ['X-Mine', '1'],
    ])
  })
})
