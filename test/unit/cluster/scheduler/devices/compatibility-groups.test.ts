import { expect } from 'chai'
import type { DeviceClass } from '../../../../../src/api/resource/v1beta2.types.ts'
import { CompatibilityGroups } from '../../../../../src/cluster/scheduler/devices/compatibility-groups.ts'
import { deviceAllocator } from '../../../../../src/cluster/scheduler/devices/device-allocator.ts'
import { deviceMatcher } from '../../../../../src/cluster/scheduler/devices/device-selectors.ts'
import { type OfferedDevice, offeredDevices } from '../../../../../src/cluster/scheduler/devices/offered-devices.ts'
import { allocationRules } from '../../../../../src/cluster/scheduler/plugins/dynamic-resources.ts'
import { runAtOnce } from '../../../../../src/lib/steps.ts'
import { deviceClaimOf, deviceClassOf, requestOf, sliceOf } from '../../../../support/device-objects.ts'
import { nodeOf } from '../../../../support/scheduling.ts'

/** A device that uses one of 10 units of a counter set. */
const partition = (name: string, ...groups: string[]) => partitionOf(name, { gpu: groups })

const partitionOf = (name: string, sets: Record<string, readonly string[]>) => ({
  name,
  consumesCounters: Object.entries(sets).map(([counterSet, groups]) => ({
    counterSet,
    counters: { units: { value: '1' } },
    ...(groups.length > 0 && { compatibilityGroups: [...groups] }),
  })),
})

const sharedCounters = ['gpu', 'nic'].map(name => ({ name, counters: { units: { value: '10' } } }))

describe('groups of compatible devices', () => {
  /** Adds devices one after the other. Returns which of them are admitted. */
  function admitted(...devices: object[]): string[] {
    const groups = new CompatibilityGroups()
    return offeredDevices(sliceOf('a', devices)).flatMap(device => {
      if (!groups.admits(device)) return []
      groups.add(device)
      return [device.device.name]
    })
  }

  it('share one group for all devices of a counter set', () => {
    expect(admitted(partition('1', 'mig'), partition('2', 'vgpu'), partition('3', 'mig', 'vgpu'))).to.deep.equal(['1', '3'])
    expect(admitted(partition('1', 'a', 'b'), partition('2', 'b', 'c'), partition('3', 'a', 'c'))).to.deep.equal(['1', '2'])
  })

  it('keep devices with groups apart from those without', () => {
    expect(admitted(partition('1'), partition('2', 'mig'), partition('3'))).to.deep.equal(['1', '3'])
    expect(admitted(partition('1', 'mig'), partition('2'), partition('3', 'mig'))).to.deep.equal(['1', '3'])
  })

  it('concern each counter set by itself', () => {
    expect(
      admitted(partition('1', 'mig'), partitionOf('2', { nic: ['vf'] }), partitionOf('3', { nic: ['vf'], gpu: ['vgpu'] })),
    ).to.deep.equal(['1', '2'])
  })

  it('are as before when a device is removed', () => {
    const groups = new CompatibilityGroups()
    const [first, second] = offeredDevices(sliceOf('a', [partition('1', 'mig'), partition('2', 'vgpu')])) as [OfferedDevice, OfferedDevice]
    groups.add(first)
    groups.removeLast(first)
    expect(groups.admits(second)).to.equal(true)
  })

  const gates = ['DRAPartitionableDevices', 'DRADeviceCompatibilityGroups']
  /** Returns the devices that a claim for a number of them gets. */
  function chosen(count: number, devices: readonly object[], { allocated = [] as string[], isOn = true } = {}): string[] | undefined {
    const rules = allocationRules('1.37', gate => gates.includes(gate) && (isOn || gate !== 'DRADeviceCompatibilityGroups'))
    const state = {
      slices: [
        sliceOf('a', devices, { pool: { resourceSliceCount: 2 } }),
        sliceOf('counters', [], { nodeName: 'a', sharedCounters, pool: { name: 'a', resourceSliceCount: 2 } }),
      ],
      allocated: { exclusive: new Set(allocated.map(name => `d/a/${name}`)), shared: new Map() },
      classOf: () => deviceClassOf() as DeviceClass,
    }
    const claims = [deviceClaimOf('c', [requestOf('r', { count })])]
    const found = runAtOnce(deviceAllocator(claims, state, rules, deviceMatcher('1.37', false))(nodeOf('a')))
    return found?.[0]?.result.devices.results?.map(({ device }) => device)
  }
  const mixed = [partition('v', 'vgpu'), partition('m1', 'mig'), partition('m2', 'mig')]

  it('decide which devices are allocated together', () => {
    expect(chosen(1, mixed)).to.deep.equal(['v'])
    expect(chosen(2, mixed)).to.deep.equal(['m1', 'm2'])
    expect(chosen(3, mixed)).to.equal(undefined)
  })

  it('count for devices of other claims', () => {
    expect(chosen(1, mixed, { allocated: ['m2'] })).to.deep.equal(['m1'])
    expect(chosen(2, mixed, { allocated: ['m2'] })).to.equal(undefined)
  })

  it('make devices unusable while the gate is off', () => {
    expect(chosen(1, [...mixed, partition('plain')], { isOn: false })).to.deep.equal(['plain'])
  })
})
