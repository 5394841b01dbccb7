import { expect } from 'chai'
import type { DeviceTaintRule } from '../../../../../src/api/resource/v1alpha3.types.ts'
import type { DeviceClass } from '../../../../../src/api/resource/v1beta2.types.ts'
import { deviceMatcher } from '../../../../../src/cluster/scheduler/devices/device-selectors.ts'
import { offeredDevices } from '../../../../../src/cluster/scheduler/devices/offered-devices.ts'
import { ruleTaintsOf, taintsByRules } from '../../../../../src/cluster/scheduler/devices/taint-rules.ts'
import type { ClusterObjects } from '../../../../../src/cluster/scheduler/snapshot.ts'
import { runAtOnce, type Steps } from '../../../../../src/lib/steps.ts'
import { deviceClassOf, sliceOf } from '../../../../support/device-objects.ts'

const selected = (expression: string) => [{ cel: { expression } }]
const ruleOf = (deviceSelector?: object): DeviceTaintRule =>
  ({
    metadata: { name: 'r' },
    spec: { ...(deviceSelector && { deviceSelector }), taint: { key: 'k', effect: 'NoSchedule' } },
  }) as unknown as DeviceTaintRule
const slice = sliceOf('n', [
  { name: 'one', attributes: { size: { int: 1 } } },
  { name: 'two', attributes: { size: { int: 2 } } },
  { name: 'none' },
])
const { driver, pool } = slice.spec
const large = deviceClassOf({ selectors: selected(`device.attributes['${driver}'].size > 1`) }, 'large') as unknown as DeviceClass
const classOf = (name: string): DeviceClass | undefined => (name === 'large' ? large : undefined)

/** Names of the devices that a rule taints. */
const tainted = (deviceSelector?: object): string[] => {
  const taintsOf = taintsByRules([ruleOf(deviceSelector)], deviceMatcher('1.34'), classOf)
  return offeredDevices(slice)
    .filter(device => runAtOnce(taintsOf(device)).length > 0)
    .map(({ device }) => device.name)
}

describe('rules that taint devices', () => {
  const cases: [string, object | undefined, string[]][] = [
    ['all devices, without a selector', undefined, ['one', 'two', 'none']],
    ['the devices of a driver', { driver }, ['one', 'two', 'none']],
    ['no devices of another driver', { driver: 'other' }, []],
    ['the devices of a pool', { pool: pool.name }, ['one', 'two', 'none']],
    ['no devices of another pool', { pool: 'other' }, []],
    ['one device', { device: 'two' }, ['two']],
    ['the devices of a class', { deviceClassName: 'large' }, ['two']],
    ['no devices of a class that does not exist', { deviceClassName: 'absent' }, []],
    ['devices for which an expression does not fail', { selectors: selected(`device.attributes['${driver}'].size < 2`) }, ['one']],
  ]
  for (const [what, selector, names] of cases) it(`select ${what}`, () => expect(tainted(selector)).to.deep.equal(names))

  it('fail if an expression is invalid', () =>
    expect(() => tainted({ selectors: selected('device.') })).to.throw('DeviceTaintRule r: selector #0: CEL compile error'))

  it('are evaluated once for a device, until a rule or a class changes', () => {
    const lists = new Map<string, readonly object[]>([
      ['DeviceTaintRule', [ruleOf({ selectors: selected('true') })]],
      ['DeviceClass', [large]],
    ])
    const unknown: unknown = { list: (kind: string) => lists.get(kind) ?? [], get: () => large }
    const objects = unknown as ClusterObjects
    let evaluations = 0
    function* matches(): Steps<boolean> {
      yield
      return ++evaluations > 0
    }
    const [device] = offeredDevices(slice)
    const taints = (): number => {
      const taintsOf = ruleTaintsOf(objects, matches)
      return device && taintsOf ? runAtOnce(taintsOf(device)).length : 0
    }
    expect([taints(), taints(), evaluations]).to.deep.equal([1, 1, 1])
    for (const [kind, list] of [...lists]) {
      lists.set(kind, [...list])
      expect([taints(), taints()]).to.deep.equal([1, 1])
    }
    expect(evaluations).to.equal(3)
    lists.set('DeviceTaintRule', [])
    expect(ruleTaintsOf(objects, matches)).to.equal(undefined)
  })
})
