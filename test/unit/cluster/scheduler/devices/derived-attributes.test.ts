import { expect } from 'chai'
import type { DeviceClass } from '../../../../../src/api/resource/v1beta2.types.ts'
import { deviceAllocator } from '../../../../../src/cluster/scheduler/devices/device-allocator.ts'
import { deviceEvaluator, deviceMatcher } from '../../../../../src/cluster/scheduler/devices/device-selectors.ts'
import { allocationRules } from '../../../../../src/cluster/scheduler/plugins/dynamic-resources.ts'
import { runAtOnce } from '../../../../../src/lib/steps.ts'
import { deviceClaimOf, deviceClassOf, requestOf, sliceOf } from '../../../../support/device-objects.ts'
import { nodeOf } from '../../../../support/scheduling.ts'

const device = (name: string, slot: string, version = '1.0.0') => ({
  name,
  attributes: { slot: { string: slot }, version: { version } },
})
/** Devices of two roots: the first letter of the slot. */
const DEVICES = [device('1', 'a0'), device('2', 'b0'), device('3', 'b1', '1.0.1')]
const derived = (name: string, expression: string): object => ({ derivedAttributes: [{ name, expression }] })
const ROOT = "device.attributes['d'].slot.substring(0, 1)"

describe('derived attributes of devices', () => {
  /** Returns the devices of a claim with two requests, of which each has the given members, and a constraint. */
  function chosen(exactly: object, constraint: object, isOn = true): string[] | undefined {
    const state = {
      slices: [sliceOf('a', DEVICES)],
      allocated: { exclusive: new Set<string>(), shared: new Map() },
      classOf: () => deviceClassOf() as DeviceClass,
      ...(isOn && { evaluate: deviceEvaluator('1.37') }),
    }
    const claims = [deviceClaimOf('c', [requestOf('r', exactly), requestOf('s', exactly)], { devices: { constraints: [constraint] } })]
    const rules = allocationRules('1.37', gate => gate === 'DRAConsumableCapacity')
    const found = runAtOnce(deviceAllocator(claims, state, rules, deviceMatcher('1.37'))(nodeOf('a')))
    return found?.[0]?.result.devices.results?.map(result => result.device)
  }

  it('are compared by constraints', () => {
    expect(chosen(derived('root', ROOT), { matchAttribute: 'root' })).to.deep.equal(['2', '3'])
    expect(chosen(derived('root', ROOT), { distinctAttribute: 'root' })).to.deep.equal(['1', '2'])
    expect(chosen(derived('root', ROOT), { matchAttribute: 'other' })).to.equal(undefined)
  })

  it('come before attributes of the device', () => {
    expect(chosen({}, { matchAttribute: 'd/slot' })).to.equal(undefined)
    expect(chosen(derived('d/slot', ROOT), { matchAttribute: 'd/slot' })).to.deep.equal(['2', '3'])
  })

  it('have the type of their expression', () => {
    const match = (expression: string) => chosen(derived('x', expression), { matchAttribute: 'x' })
    expect(match("int(device.attributes['d'].slot.substring(1))")).to.deep.equal(['1', '2'])
    expect(match("device.attributes['d'].slot.startsWith('b')")).to.deep.equal(['2', '3'])
    expect(match("device.attributes['d'].version")).to.deep.equal(['1', '2'])
  })

  it('fail the allocation if an expression fails, or has another type', () => {
    expect(() => chosen(derived('x', "device.attributes['d'].missing"), { matchAttribute: 'x' })).to.throw(
      'claim default/c, request r: derived attribute x of device d/a/1: CEL runtime error: no such key: missing',
    )
    expect(() => chosen(derived('x', '1.5'), { matchAttribute: 'x' })).to.throw('unsupported type double')
    expect(() => chosen(derived('x', 'device.'), { matchAttribute: 'x' })).to.throw('CEL compile error')
  })

  it('are not computed while the gate is off', () => {
    expect(chosen(derived('root', ROOT), { matchAttribute: 'root' }, false)).to.equal(undefined)
  })
})
