import { expect } from 'chai'
import { didYouMean, nearest } from '../../../src/lib/did-you-mean.ts'

describe('did-you-mean', () => {
  const names = ['log', 'show', 'verify', 'version', 'secure-port', 'insecure-port', 'data-dir', 'etcd-servers']
  for (const [mistyped, expected] of [
    ['lgo', 'log'],
    ['shw', 'show'],
    ['verfy', 'verify'],
    ['verson', 'version'],
    ['secure-prot', 'secure-port'],
    ['secureport', 'secure-port'],
    ['insecure-ports', 'insecure-port'],
    ['data-dri', 'data-dir'],
    ['etcd-server', 'etcd-servers'],
    ['x', undefined],
    ['tail', undefined],
    ['bogus', undefined],
    ['', undefined],
    ['v'.repeat(100_000), undefined],
  ] as const)
    it(`${JSON.stringify(mistyped.slice(0, 20))} is nearest to ${String(expected)}`, () => {
      expect(nearest(mistyped, names)).to.equal(expected)
    })

  it('ends a message, with the dashes of a flag', () => {
    expect(`unknown flag: --data-dri${didYouMean('data-dri', names, '--')}`).to.equal('unknown flag: --data-dri; did you mean --data-dir?')
    expect(didYouMean('bogus', names)).to.equal('')
  })
})
