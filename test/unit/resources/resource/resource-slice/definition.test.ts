import { expect } from 'chai'
import type { ResourceSlice } from '../../../../../src/api/resource/v1beta2.types.ts'
import { fieldErrorText } from '../../../../../src/meta/field-error.ts'
import { fieldPath } from '../../../../../src/meta/field-path.ts'
import { resourceSliceResource } from '../../../../../src/resources/resource/resource-slice/definition.ts'
import { validateDevice } from '../../../../../src/resources/resource/resource-slice/device.ts'
import { validateResourceSlice } from '../../../../../src/resources/resource/resource-slice/validation.ts'
import { featuresIn, hookContext } from '../../../../support/hook-context.ts'
import { KindCases, validates } from '../../../../support/kind-cases.ts'

const spec = { driver: 'gpu.example.com', pool: { name: 'node-1', generation: 0, resourceSliceCount: 1 }, nodeName: 'node-1' }
const of = (parts: object = {}): object => ({ spec: { ...spec, ...parts } })
const having = (device: object): object => of({ devices: [{ name: 'd', ...device }] })
const attribute = (value: object, name = 'a'): object => having({ attributes: { [name]: value } })
const term = { matchExpressions: [{ key: 'a', operator: 'Exists' }] }
const DEVICE = 'spec.devices[0]'

describe('ResourceSlice', () => {
  validates(
    resourceSliceResource,
    {
      'a slice': [of({ devices: [] }), []],
      nothing: [
        { spec: {} },
        ['Required spec.driver', 'Invalid spec.driver', 'Required spec.pool.name', 'Invalid spec.pool.resourceSliceCount', 'Required spec'],
      ],
      'a bad pool': [
        of({ pool: { name: 'a//b', generation: -1, resourceSliceCount: 1 } }),
        ['Invalid spec.pool.name', 'Invalid spec.pool.generation'],
      ],
      'a node and all nodes': [of({ allNodes: true }), ['Invalid spec']],
      'an empty node': [of({ nodeName: '' }), ['Invalid spec.nodeName', 'Required spec']],
      'not all nodes': [of({ nodeName: undefined, allNodes: false }), ['Invalid spec.allNodes', 'Required spec']],
      'nodes by their labels': [of({ nodeName: undefined, nodeSelector: { nodeSelectorTerms: [term] } }), []],
      'two terms of labels': [
        of({ nodeName: undefined, nodeSelector: { nodeSelectorTerms: [term, term] } }),
        ['Invalid spec.nodeSelector.nodeSelectorTerms'],
      ],
      'devices of one name': [of({ devices: [{ name: 'd' }, { name: 'd' }] }), ['Duplicate spec.devices[1].name']],
      'a device of a bad name': [having({ name: 'D' }), [`Invalid ${DEVICE}.name`]],
      'attributes of all kinds': [
        having({
          attributes: { a: { int: 1 }, 'example.com/b': { bool: true }, c: { string: 's' }, d: { version: '1.2.3-rc.1+b' } },
          capacity: { a: { value: '1Gi' } },
        }),
        [],
      ],
      'an attribute of no kind': [attribute({}), [`Required ${DEVICE}.attributes[a]`]],
      'an attribute of two kinds': [attribute({ int: 1, bool: true }), [`Invalid ${DEVICE}.attributes[a]`]],
      'an invalid version': [attribute({ version: '1.2' }), [`Invalid ${DEVICE}.attributes[a].version`]],
      'a long text': [attribute({ string: 's'.repeat(65) }), [`TooLong ${DEVICE}.attributes[a].string`]],
      'a bad name of an attribute': [attribute({ int: 1 }, '1a'), [`TypeInvalid ${DEVICE}.attributes[1a]`]],
      'empty parts of a name': [attribute({ int: 1 }, '/'), [`Required ${DEVICE}.attributes[/]`, `Required ${DEVICE}.attributes[/]`]],
      'a name that is cut': [
        attribute({ int: 1 }, 'a'.repeat(100)),
        [`TooLong ${DEVICE}.attributes[${'a'.repeat(47)}...${'a'.repeat(46)}]`],
      ],
      'too many values': [
        having({ capacity: Object.fromEntries(Array.from({ length: 33 }, (_, i) => [`c${i}`, { value: '1' }])) }),
        [`Invalid ${DEVICE}`],
      ],
      'too many devices': [of({ devices: Array.from({ length: 129 }, (_, i) => ({ name: `d${i}` })) }), ['TooMany spec.devices']],
    },
    {
      'immutable fields': [
        of(),
        of({ driver: 'other.example.com', nodeName: 'node-2', pool: { ...spec.pool, name: 'node-2' } }),
        ['Invalid spec.pool.name', 'Invalid spec.driver', 'Invalid spec.nodeName'],
      ],
    },
  )

  it('drops fields without their gates, increments the generation and prints', async () => {
    const cases = new KindCases(resourceSliceResource)
    const alpha = {
      taints: [{ key: 'a', effect: 'NoSchedule' }],
      nodeName: 'n',
      consumesCounters: [{ counterSet: 's', counters: { c: { value: '1' } } }],
    }
    const slice = await cases.create(
      of({
        devices: [{ name: 'd', ...alpha }],
        sharedCounters: [{ name: 's', counters: { c: { value: '1' } } }],
        perDeviceNodeSelection: true,
      }),
    )
    expect(slice.spec).to.deep.equal({ ...spec, devices: [{ name: 'd' }] })
    expect((await cases.update(of({ devices: [] }))).metadata.generation).to.equal(2)
    expect(cases.cells()).to.deep.equal(['x', 'node-1', 'gpu.example.com', 'node-1', '0s'])
    expect(Object.entries(resourceSliceResource.hub.selectableFields ?? {}).map(([name, of]) => [name, of(slice)])).to.deep.equal([
      ['spec.nodeName', 'node-1'],
      ['spec.driver', 'gpu.example.com'],
      ['spec.pool.name', 'node-1'],
    ])
    expect(resourceSliceResource.versions.map(({ name, selectableSince }) => [name, selectableSince?.['spec.pool.name']])).to.deep.equal([
      ['v1', '1.37'],
      ['v1beta2', '1.37'],
      ['v1beta1', '1.37'],
      ['v1alpha3', '1.37'],
    ])
  })

  it('keeps fields of 1.37 with their gates', async () => {
    const cases = new KindCases(
      resourceSliceResource,
      featuresIn('1.37', { DRADeviceCompatibilityGroups: true, DRAOptionalNodeOperations: true }),
    )
    const consumes = (...compatibilityGroups: string[]): object => ({
      devices: [{ name: 'd', consumesCounters: [{ counterSet: 's', counters: { c: { value: '1' } }, compatibilityGroups }] }],
    })
    const created = await cases.create(of({ ...consumes('a', 'b'), skipNodeOperations: ['*'] }))
    expect(created.spec.devices[0].consumesCounters[0].compatibilityGroups).to.deep.equal(['a', 'b'])
    expect(created.spec.skipNodeOperations).to.deep.equal(['*'])
  })

  it('validates shared counters of partitionable devices', () => {
    const check = (parts: object): string[] =>
      validateResourceSlice({ ...of(parts), metadata: {}, kind: '', apiVersion: '' } as ResourceSlice, undefined, hookContext()).map(
        fieldErrorText,
      )
    const set = { name: 's', counters: { c: { value: '4' } } }
    expect(
      check({ sharedCounters: [set], devices: [{ name: 'd', consumesCounters: [{ counterSet: 's', counters: { c: { value: '1' } } }] }] }),
    ).to.deep.equal([])
    expect(
      check({
        sharedCounters: [set, { name: 's' }],
        devices: [{ name: 'd', consumesCounters: [{ counterSet: 's', counters: { x: {} } }, { counterSet: 't' }] }],
      }),
    ).to.deep.equal([
      'spec.devices[0].consumesCounters[1].counters: Required value',
      'spec.devices[0].consumesCounters[0].counters: Invalid value: "x": must reference a counter defined in the ResourceSlice sharedCounters',
      'spec.devices[0].consumesCounters[1].counterSet: Invalid value: "t": must reference a counterSet defined in the ResourceSlice sharedCounters',
      'spec.sharedCounters[1].counters: Required value',
      'spec.sharedCounters[1].name: Duplicate value: "s"',
    ])
  })

  it('validates node selection per device', () => {
    const check = (device: object, each: boolean): string[] =>
      validateDevice({ name: 'd', ...device }, undefined, { shared: new Map(), each, features: featuresIn('1.33') }, fieldPath('d')).map(
        fieldErrorText,
      )
    const oneOf =
      'exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec'
    expect(check({ nodeName: 'n' }, true)).to.deep.equal([])
    expect(check({}, true)).to.deep.equal([`d: Required value: ${oneOf}`])
    expect(check({ nodeName: 'n', allNodes: true }, true)).to.deep.equal([`d: Invalid value: "{\`nodeName\`, \`allNodes\`}": ${oneOf}`])
    expect(check({ allNodes: true }, false)).to.deep.equal([
      'd: Invalid value: "null": `nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec',
    ])
    expect(check({ taints: [{ key: '?', effect: '' }] }, false)).to.have.length(2)
  })
})
