import { expect } from 'chai'
import { type CapacityRules, consumedAmounts } from '../../../../../src/cluster/scheduler/devices/capacity-requests.ts'

const RULES: CapacityRules = { fractionalCapacity: false, checkedCapacity: false }

/** Returns the canonical amount that a request consumes of a capacity `c`. */
function amount(
  requested: string | undefined,
  value: string,
  requestPolicy?: object,
  rules: Partial<CapacityRules> = {},
): string | undefined {
  const device = { name: 'd', capacity: { c: { value, ...(requestPolicy && { requestPolicy }) } } } as never
  const wanted = requested === undefined ? undefined : { requests: { c: requested } }
  return consumedAmounts(wanted, device, { ...RULES, ...rules })?.get('c')?.canonical
}

describe('requests for capacities', () => {
  it('consume the default of the policy, or else the whole capacity, if they say nothing', () => {
    expect(amount(undefined, '10Gi')).to.equal('10Gi')
    expect(amount(undefined, '10Gi', { default: '1Gi', validValues: ['1Gi'] })).to.equal('1Gi')
    expect(amount('3Gi', '10Gi')).to.equal('3Gi')
  })

  it('are rounded up to the next valid value, and refused above the last', () => {
    const policy = { default: '1Gi', validValues: ['1Gi', '2Gi', '4Gi'] }
    expect(amount('1500Mi', '10Gi', policy)).to.equal('2Gi')
    expect(amount('5Gi', '10Gi', policy)).to.equal(undefined)
  })

  it('are rounded up to the next step of a range', () => {
    const policy = { default: '1Gi', validRange: { min: '1Gi', max: '4Gi', step: '512Mi' } }
    expect(amount('1', '10Gi', policy)).to.equal('1Gi')
    expect(amount('1025Mi', '10Gi', policy)).to.equal('1536Mi')
    expect(amount('4097Mi', '10Gi', policy)).to.equal(undefined)
    expect(amount('1001', '10k', { default: '1', validRange: { min: '0', step: '500' } }), 'in binary notation').to.equal('1500')
    expect(amount('2', '10k', { default: '1', validRange: { min: '0', step: '2048' } }), 'before 1.37').to.equal('2Ki')
    expect(amount('2', '10k', { default: '1', validRange: { min: '0', step: '2048' } }, { checkedCapacity: true })).to.equal('2048')
  })

  it('may be fractions if the release has them', () => {
    const policy = { default: '1', validRange: { min: '500m', max: '4', step: '250m' } }
    expect(amount('600m', '10', policy, { fractionalCapacity: true, checkedCapacity: true })).to.equal('750m')
    expect(amount('1900m', '10', policy, { fractionalCapacity: true, checkedCapacity: true })).to.equal('2')
    expect(() => amount('91e17', '92e17', { default: '1', validRange: { min: '1', step: '9e18' } }, { checkedCapacity: true })).to.throw(
      'capacity "c": capacity request cannot be represented',
    )
  })

  it('do not suit devices without the capacity', () => {
    expect(consumedAmounts({ requests: { other: '1' } }, { name: 'd', capacity: { c: { value: '1' } } }, RULES)).to.equal(undefined)
    expect(consumedAmounts(undefined, { name: 'd' }, RULES)?.size).to.equal(0)
  })
})
