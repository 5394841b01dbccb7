import { expect } from 'chai'
import { types } from '../../../../src/resources/types.ts'
import { goDifference } from '../../../../src/schema/go/go-diff.ts'
import { goMessages } from '../../../support/go-messages.ts'

const podSpec = types.type('core.PodSpec')

describe('differences as go-cmp tells them', () => {
  for (const [i, { type, old, next, diff }] of goMessages().entries()) {
    it(`of a ${type}, ${i}`, () => expect(goDifference(types.type(`core.${type}`), old, next)).to.equal(diff))
  }

  it('are none of what is the same', () => expect(goDifference(podSpec, { nodeName: 'a' }, { nodeName: 'a' })).to.equal(''))

  it('tell host members as those of the security context', () => {
    const told = goDifference(podSpec, { hostUsers: true }, { hostNetwork: true })
    expect(told).to.match(/^- \t\tHostNetwork: +false,\n\+ \t\tHostNetwork: +true,$/m)
    expect(told).to.match(/^- \t\tHostUsers: +&true,\n\+ \t\tHostUsers: +nil,$/m)
  })

  it('are not looked for in what is too large', () => {
    const containers = (image: string) => ({ containers: Array.from({ length: 5000 }, () => ({ name: 'c', image })) })
    expect(goDifference(podSpec, containers('a'), containers('b'))).to.equal('There is too much to compare to tell what differs.\n')
  })

  it('tell large values of one side briefly', () => {
    const args = Array.from({ length: 60_000 }, (_, i) => `--flag-${i}`)
    const told = goDifference(podSpec, {}, { containers: [{ name: 'c', args }], nodeSelector: Object.fromEntries(args.map(arg => [arg, 'x'])) })
    expect(told.length).to.be.lessThan(4000)
  })
})
