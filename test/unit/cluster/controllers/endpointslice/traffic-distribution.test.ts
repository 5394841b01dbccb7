import { expect } from 'chai'
import { distributeTraffic, isKnownDistribution } from '../../../../../src/cluster/controllers/endpointslice/traffic-distribution.ts'
import { sliceOf } from '../../../../support/slices.ts'

const hinted = (zone: string) => ({ hints: { forZones: [{ name: zone }] } })

describe('hints by traffic distribution', () => {
  it('send traffic to the own zone, and change only slices with a wrong hint', () => {
    const wrong = sliceOf('wrong', [{ addresses: ['1'], zone: 'a', ...hinted('b') }])
    const right = sliceOf('right', [{ addresses: ['2'], zone: 'a', ...hinted('a') }])
    const { update, unchanged } = distributeTraffic('PreferClose', { create: [], update: [], unchanged: [wrong, right] })
    expect(update.map(({ metadata, endpoints }) => [metadata.name, endpoints?.[0]?.hints])).to.deep.equal([
      ['wrong', { forZones: [{ name: 'a' }] }],
    ])
    expect(unchanged).to.deep.equal([right])
    expect(wrong.endpoints?.[0]?.hints).to.deep.equal({ forZones: [{ name: 'b' }] })
  })

  it('send traffic to the own node with PreferSameNode', () => {
    const slice = sliceOf('s', [{ addresses: ['1'], zone: 'a', nodeName: 'n' }, { addresses: ['2'], nodeName: 'm' }, { addresses: ['3'] }])
    const { create } = distributeTraffic('PreferSameNode', { create: [slice], update: [], unchanged: [] })
    expect(create[0]?.endpoints?.map(({ hints }) => hints)).to.deep.equal([
      { forZones: [{ name: 'a' }], forNodes: [{ name: 'n' }] },
      { forNodes: [{ name: 'm' }] },
      undefined,
    ])
  })

  it('ignore endpoints that are not ready, and go if there is no preference', () => {
    const slice = sliceOf('s', [{ addresses: ['1'], zone: 'a', conditions: { ready: false }, ...hinted('b') }])
    expect(distributeTraffic('PreferClose', { create: [], update: [], unchanged: [slice] }).update).to.deep.equal([])
    const [updated] = distributeTraffic(undefined, { create: [], update: [], unchanged: [slice] }).update
    expect(updated?.endpoints?.[0]?.hints).to.equal(undefined)
  })

  it('are known by release', () => {
    const values = ['PreferClose', 'PreferSameZone', 'PreferSameNode', 'Else', undefined]
    expect(values.map(value => isKnownDistribution(value, false))).to.deep.equal([true, false, false, false, false])
    expect(values.map(value => isKnownDistribution(value, true))).to.deep.equal([true, true, true, false, false])
  })
})
