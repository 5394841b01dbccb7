import { expect } from 'chai'
import { types } from '../../../../src/catalog/types.ts'
import { noteMembers } from '../../../../src/lib/wide-objects.ts'
import { goDifference } from '../../../../src/schema/go/go-diff.ts'
import { goMessages } from '../../../support/go-messages.ts'

const podSpec = types.type('core.PodSpec')

const namedMany = (value: string) => {
  const names = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`k${i}`, value]))
  return noteMembers(names, 5000)
}

describe('differences in the form of go-cmp', () => {
  for (const [i, { type, old, next, diff }] of goMessages().entries()) {
    it(`print a ${type}, ${i}`, () => expect(goDifference(types.type(`core.${type}`), old, next)).to.equal(diff))
  }

  it('are empty for equal values', () => expect(goDifference(podSpec, { nodeName: 'a' }, { nodeName: 'a' })).to.equal(''))

  it('show fields for host namespaces in the security context', () => {
    const told = goDifference(podSpec, { hostUsers: true }, { hostNetwork: true })
    expect(told).to.match(/^- \t\tHostNetwork: +false,\n\+ \t\tHostNetwork: +true,$/m)
    expect(told).to.match(/^- \t\tHostUsers: +&true,\n\+ \t\tHostUsers: +nil,$/m)
  })

  it('are not computed for values that are too large', () => {
    const containers = (image: string) => ({ containers: Array.from({ length: 5000 }, () => ({ name: 'c', image })) })
    expect(goDifference(podSpec, containers('a'), containers('b'))).to.equal('There is too much to compare to tell what differs.\n')
  })

  it('are not computed for wide maps', () => {
    const selector = (value: string) => ({ nodeSelector: namedMany(value) })
    expect(goDifference(podSpec, selector('a'), selector('b'))).to.equal('There is too much to compare to tell what differs.\n')
  })

  it('abbreviate large values of one side', () => {
    const args = Array.from({ length: 60_000 }, (_, i) => `--flag-${i}`)
    const told = goDifference(
      podSpec,
      {},
      { containers: [{ name: 'c', args }], nodeSelector: Object.fromEntries(args.map(arg => [arg, 'x'])) },
    )
    expect(told.length).to.be.lessThan(4000)
  })
})
