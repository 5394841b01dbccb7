import { expect } from 'chai'
import type { CapacityRequestPolicy, Device } from '../../../../src/api/resource/v1beta2.types.ts'
import type { ResourceAccess } from '../../../../src/catalog/resource-access.ts'
import { parseGates } from '../../../../src/lifecycle/gates.ts'
import type { Release } from '../../../../src/lifecycle/release.ts'
import { fieldErrorText } from '../../../../src/meta/field-error.ts'
import { fieldPath } from '../../../../src/meta/field-path.ts'
import { validateAdminAccess } from '../../../../src/resources/resource/admin-access.ts'
import { validateBindingConditions } from '../../../../src/resources/resource/binding-conditions.ts'
import { validateDevice } from '../../../../src/resources/resource/resource-slice/device.ts'
import { validateShareId } from '../../../../src/resources/resource/share-id.ts'
import { featuresIn, hookContext } from '../../../support/hook-context.ts'
import { inRelease } from '../../../support/in-release.ts'
import { MemoryBackend } from '../../../support/memory-backend.ts'

const errorsOf = (device: Partial<Device>): string[] =>
  validateDevice({ name: 'd', ...device }, undefined, { shared: new Map(), each: false, features: featuresIn('1.34') }, fieldPath('d')).map(
    fieldErrorText,
  )
const policy = (requestPolicy: NonNullable<Device['capacity']>[string]['requestPolicy'] & object, isShared = true): string[] =>
  errorsOf({ ...(isShared && { allowMultipleAllocations: true }), capacity: { memory: { value: '8', requestPolicy } } })
const AT = 'd.capacity[memory].requestPolicy'

describe('devices that allow multiple allocations', () => {
  it('may have a request policy for their capacity', () => {
    expect(policy({ default: '2', validValues: ['1', '2', '4'] })).to.deep.equal([])
    expect(policy({ default: '2', validRange: { min: '2', max: '8', step: '2' } })).to.deep.equal([])
    expect(policy({ default: null })).to.deep.equal([])
  })

  it('must set allowMultipleAllocations', () =>
    expect(policy({ default: null }, false)).to.deep.equal([`${AT}: Forbidden: allowMultipleAllocations must be true`]))

  it('have either valid values or a range, with a default', () => {
    expect(policy({ default: '1', validValues: ['1'], validRange: {} })).to.deep.equal([
      `${AT}: Forbidden: exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time`,
    ])
    expect(policy({ default: null, validValues: ['1'] })).to.deep.equal([
      `${AT}.default: Required value: required when validValues is defined`,
    ])
    expect(policy({ default: null, validRange: {} })).to.deep.equal([`${AT}.default: Required value: required when validRange is defined`])
    expect(policy({ default: '1', validRange: {} })).to.deep.equal([
      `${AT}.validRange.min: Required value: required when validRange is defined`,
    ])
  })

  it('have sorted values within the capacity that include the default', () =>
    expect(policy({ default: '3', validValues: ['4', '2', '2', '9'] })).to.deep.equal([
      `${AT}.validValues[1]: Invalid value: "2": values must be sorted in ascending order`,
      `${AT}.validValues[3]: Invalid value: "9": option is larger than capacity value: 8`,
      `${AT}.validValues[2]: Duplicate value: "2"`,
      `${AT}.validValues: Invalid value: "3": default value is not valid according to the requestPolicy`,
    ]))

  it('have ranges whose bounds and default are multiples of the step', () => {
    expect(policy({ default: '1', validRange: { min: '2', max: '9', step: '7' } })).to.deep.equal([
      `${AT}.validRange.min: Invalid value: "1": default is less than min: 2`,
      `${AT}.validRange.max: Invalid value: "9": max is larger than capacity value: 8`,
      `${AT}.validRange.step: Invalid value: "7": one step 9 is larger than capacity value: 8`,
      `${AT}.validRange.step: Invalid value: "1": value is not a multiple of a given step (7) from (2)`,
    ])
    expect(policy({ default: '2', validRange: { min: '2', step: '0' } })).to.deep.equal([])
  })

  it('have share IDs in normalized UUID form', () => {
    const check = (id: string): string[] =>
      validateShareId(id, fieldPath('id')).map(error => fieldErrorText(error).replace(/^.*": (?=uid|error)/, ''))
    const id = '0f8fad5b-d9cb-469f-a165-70867728950e'
    expect(check(id)).to.deep.equal([])
    expect(check(id.toUpperCase())[0]).to.match(/^uid must be in RFC 4122 normalized form/)
    expect(check(`urn:uuid:${id}`)[0]).to.match(/^uid must be in RFC 4122 normalized form/)
    expect(check('x')).to.deep.equal(['error validating uid: invalid UUID length: 1'])
    expect(check('x'.repeat(36))).to.deep.equal(['error validating uid: invalid UUID format'])
  })
})

describe('binding conditions of devices', () => {
  const check = (bindingConditions: string[], bindingFailureConditions: string[]): string[] =>
    validateBindingConditions({ bindingConditions, bindingFailureConditions }, '1.34', fieldPath('d')).map(fieldErrorText)

  it('require distinct failure conditions', () => {
    expect(check(['a.b/Ready'], ['a.b/Failed'])).to.deep.equal([])
    expect(check(['A'], [])).to.deep.equal([
      'd.bindingFailureConditions: Invalid value: null: bindingFailureConditions are required to use bindingConditions',
    ])
    expect(check([], ['A'])).to.deep.equal([
      'd.bindingConditions: Invalid value: null: bindingConditions are required to use bindingFailureConditions',
    ])
    expect(check(['A', 'A'], ['A', 'B', 'B'])).to.deep.equal([
      'd.bindingConditions[1]: Duplicate value: "A"',
      'd.bindingFailureConditions[0]: Invalid value: "A": bindingFailureConditions must not overlap with bindingConditions',
      'd.bindingFailureConditions[2]: Duplicate value: "B"',
    ])
    expect(check(['A', 'B', 'C', 'D', 'E'], ['F'])).to.deep.equal(['d.bindingConditions: Too many: 5: must have at most 4 items'])
  })
})

describe('node allocatable resources of devices', () => {
  const errorsFor = (nodeAllocatableResourceMappings: NonNullable<Device['nodeAllocatableResourceMappings']>): string[] =>
    validateDevice(
      { name: 'd', capacity: { memory: { value: '8' } }, nodeAllocatableResourceMappings },
      undefined,
      { shared: new Map(), each: false, features: featuresIn('1.36') },
      fieldPath('d'),
    ).map(fieldErrorText)
  const AT = 'd.nodeAllocatableResourceMappings'

  it('are mapped by a capacity, a multiplier or both', () =>
    expect(
      errorsFor({ cpu: { allocationMultiplier: '2' }, memory: { capacityKey: 'memory', allocationMultiplier: '1500m' } }),
    ).to.deep.equal([]))

  it('require node resources, positive multipliers and existing capacities', () =>
    expect(
      errorsFor({
        'a.io/x': {},
        cpu: { allocationMultiplier: '0' },
        memory: { capacityKey: '' },
        'hugepages-2Mi': { capacityKey: 'none' },
      }),
    ).to.deep.equal([
      `${AT}[a.io/x]: Invalid value: "a.io/x": must be a node allocatable resource name`,
      `${AT}[a.io/x]: Invalid value: "": at least one of allocationMultiplier or capacityKey must be set`,
      `${AT}[cpu].allocationMultiplier: Invalid value: "0": must be positive`,
      `${AT}[memory].capacityKey: Invalid value: "": capacityKey must not be an empty string`,
      `${AT}[hugepages-2Mi].capacityKey: Not found: "none"`,
    ]))
})

describe('node allocatable resources of devices since 1.37', () => {
  const errorsFor = (nodeAllocatableResources: NonNullable<Device['nodeAllocatableResources']>): string[] =>
    validateDevice(
      { name: 'd', capacity: { memory: { value: '8' } }, nodeAllocatableResources },
      undefined,
      { shared: new Map(), each: false, features: featuresIn('1.37') },
      fieldPath('d'),
    ).map(fieldErrorText)
  const AT = 'd.nodeAllocatableResources'

  it('have a mapping, an overhead or both', () =>
    expect(
      errorsFor({
        cpu: { mapping: { deviceMultiplier: '2' }, overhead: { perPod: '0' } },
        memory: { mapping: { capacityKey: 'memory', capacityMultiplier: '1500m' } },
        'hugepages-2Mi': { overhead: { perContainer: '2Mi' } },
      }),
    ).to.deep.equal([]))

  it('require node resources, and a capacity and its multiplier together', () =>
    expect(
      errorsFor({
        'a.io/x': {},
        cpu: { mapping: { capacityMultiplier: '0', deviceMultiplier: '-1' } },
        memory: { mapping: { capacityKey: '' }, overhead: {} },
        'hugepages-2Mi': { mapping: { capacityKey: 'none', capacityMultiplier: '0' }, overhead: { perPod: '-1', perContainer: '-2' } },
      }),
    ).to.deep.equal([
      `${AT}[a.io/x]: Invalid value: "a.io/x": must be a node allocatable resource name`,
      `${AT}[a.io/x]: Required value: at least one of mapping or overhead must be set`,
      `${AT}[cpu].mapping.deviceMultiplier: Invalid value: "-1": must be positive`,
      `${AT}[cpu].mapping.capacityKey: Required value: capacityKey is required when capacityMultiplier is set`,
      `${AT}[memory].mapping.capacityKey: Invalid value: "": capacityKey must not be an empty string`,
      `${AT}[memory].mapping.capacityMultiplier: Required value: capacityMultiplier is required when capacityKey is set`,
      `${AT}[memory].overhead: Invalid value: "": at least one of perPod or perContainer must be set`,
      `${AT}[hugepages-2Mi].mapping.capacityKey: Not found: "none"`,
      `${AT}[hugepages-2Mi].mapping.capacityMultiplier: Invalid value: "0": must be positive`,
      `${AT}[hugepages-2Mi].overhead.perPod: Invalid value: "-1": must be non-negative`,
      `${AT}[hugepages-2Mi].overhead.perContainer: Invalid value: "-2": must be non-negative`,
    ]))
})

describe('capacities in fractions', () => {
  const errorsFor = (isOn: boolean, value: string, requestPolicy: CapacityRequestPolicy, old?: Device): string[] => {
    const device: Device = { name: 'd', allowMultipleAllocations: true, capacity: { c: { value, requestPolicy } } }
    const features = featuresIn('1.37', { DRAFractionalCapacityRange: isOn })
    return validateDevice(device, old, { shared: new Map(), each: false, features }, fieldPath('d')).map(fieldErrorText)
  }
  const AT = 'd.capacity[c].requestPolicy'
  const range = (standard: string, min: string, max?: string, step?: string): CapacityRequestPolicy => ({
    default: standard,
    validRange: { min, ...(max !== undefined && { max }), ...(step !== undefined && { step }) },
  })

  it('are multiples of a fractional step if the gate is on', () => {
    expect(errorsFor(true, '1', range('200m', '200m', '1', '100m'))).to.deep.equal([])
    expect(errorsFor(true, '1', range('250m', '200m', '1', '100m'))).to.deep.equal([
      `${AT}.validRange.step: Invalid value: "250m": value is not a multiple of a given step (100m) from (200m)`,
    ])
    expect(errorsFor(true, '4', range('1500m', '1', '4', '1'))).to.deep.equal([
      `${AT}.validRange.step: Invalid value: "1500m": value is not a multiple of a given step (1) from (1)`,
    ])
  })

  it('are rounded up if the gate is off', () => expect(errorsFor(false, '1', range('250m', '200m', '1', '100m'))).to.deep.equal([]))

  it('have at most three decimals, and fit into 64 bits in thousandths', () => {
    const unfit = (member: string, value: string): string =>
      `${AT}.validRange.${member}: Invalid value: "${value}": value cannot be represented as a milli value`
    expect(errorsFor(true, '100P', range('20P', '10P', undefined, '100m'))).to.deep.equal([unfit('default', '20P'), unfit('min', '10P')])
    expect(errorsFor(true, '1', range('20u', '10u'))).to.deep.equal([unfit('default', '20u'), unfit('min', '10u')])
  })

  it('differ as valid values', () => {
    const policy = { default: '100m', validValues: ['100m', '200m', '1', '1'] }
    expect(errorsFor(true, '1', policy)).to.deep.equal([`${AT}.validValues[3]: Duplicate value: "1"`])
    expect(errorsFor(true, '1', { default: '100m', validValues: ['100m', '100m'] })).to.deep.equal([
      `${AT}.validValues[1]: Duplicate value: "0.100"`,
    ])
    expect(errorsFor(false, '1', policy)).to.deep.equal([1, 2, 3].map(i => `${AT}.validValues[${i}]: Duplicate value: "1"`))
  })

  it('are valid if they were stored before', () => {
    const policy = range('20u', '10u')
    const old: Device = { name: 'd', allowMultipleAllocations: true, capacity: { c: { value: '1', requestPolicy: policy } } }
    expect(errorsFor(true, '1', policy, old)).to.deep.equal([])
    expect(errorsFor(true, '2', policy, old)).to.have.length(2)
  })

  it('are on by default with the minimum compatibility version 1.37', () => {
    expect(parseGates('1.37', new Map(), '1.37').enabled('DRAFractionalCapacityRange')).to.equal(true)
    expect(parseGates('1.37', new Map(), '1.36').enabled('DRAFractionalCapacityRange')).to.equal(false)
  })
})

describe('admin access to devices', () => {
  const check = async (release: Release, label: string): Promise<string[]> => {
    const access = () => ({ get: async () => ({ metadata: { labels: { [label]: 'true' } } }) }) as unknown as ResourceAccess
    const context = hookContext({ features: parseGates(release), access })
    return (await validateAdminAccess([undefined, { adminAccess: true }], 'ns', fieldPath('r'), context)).map(fieldErrorText)
  }
  const refused = (label: string): string[] => [
    `r[1].adminAccess: Forbidden: admin access to devices requires the \`${label}: true\` label on the containing namespace`,
  ]

  it('requires the namespace label of the release', async () => {
    expect(await check('1.32', '')).to.deep.equal([])
    expect(await check('1.33', 'resource.k8s.io/admin-access')).to.deep.equal([])
    expect(await check('1.33', 'resource.kubernetes.io/admin-access')).to.deep.equal(refused('resource.k8s.io/admin-access'))
    expect(await check('1.34', 'resource.kubernetes.io/admin-access')).to.deep.equal([])
    expect(await check('1.34', '')).to.deep.equal(refused('resource.kubernetes.io/admin-access'))
  })
})

describe('devices in 1.35 and 1.36', () => {
  const SLICES = '/apis/resource.k8s.io/v1/resourceslices'
  const spec = { driver: 'd.io', pool: { name: 'p', generation: 1, resourceSliceCount: 1 }, allNodes: true }
  const set = { name: 's', counters: { c: { value: '1' } } }
  const device = { name: 'd', consumesCounters: [{ counterSet: 's', counters: { c: { value: '1' } } }] }
  const slice = (release: Release, parts: object) =>
    inRelease(
      new MemoryBackend(),
      release,
      async call => {
        const { status, json } = await call(SLICES, {
          method: 'POST',
          body: JSON.stringify({ metadata: { name: 'x' }, spec: { ...spec, ...parts } }),
        })
        return status === 201
          ? []
          : ((json as { details?: { causes?: { field: string }[] } }).details?.causes ?? []).map(({ field }) => field)
      },
      { DRAPartitionableDevices: true, DRADeviceTaints: true },
    )

  it('may consume counters of other slices from 1.36 on', async () => {
    expect(await slice('1.34', { devices: [device] })).to.deep.equal(['spec.devices[0].consumesCounters[0].counterSet'])
    expect(await slice('1.36', { devices: [device] })).to.deep.equal([])
    expect(await slice('1.34', { devices: [device], sharedCounters: [set] })).to.deep.equal([])
    expect(await slice('1.36', { devices: [device], sharedCounters: [set] })).to.deep.equal(['spec'])
    expect(await slice('1.36', { sharedCounters: [set] })).to.deep.equal([])
  })

  it('may have taints with the effect None from 1.35 on', async () => {
    const tainted = { devices: [{ name: 'd', taints: [{ key: 'a', effect: 'None' }] }] }
    expect(await slice('1.34', tainted)).to.deep.equal(['spec.devices[0].taints[0].effect'])
    expect(await slice('1.35', tainted)).to.deep.equal([])
  })
})
