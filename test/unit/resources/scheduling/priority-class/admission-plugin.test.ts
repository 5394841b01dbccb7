import { expect } from 'chai'
import type { KubeObject } from '../../../../../src/api/meta/object.ts'
import type { PriorityClass } from '../../../../../src/api/scheduling/v1.types.ts'
import type { ResourceDefinition } from '../../../../../src/catalog/definition.ts'
import { podResource } from '../../../../../src/resources/core/pod/definition.ts'
import { secretResource } from '../../../../../src/resources/core/secret/definition.ts'
import { priorityAdmission } from '../../../../../src/resources/scheduling/priority-class/admission-plugin.ts'
import { priorityClassResource } from '../../../../../src/resources/scheduling/priority-class/definition.ts'
import { POD_GROUP_KINDS } from '../../../../../src/resources/scheduling/v1beta1/kinds.ts'
import { admissionRequest, refusal } from '../../../../support/admission-request.ts'
import { featuresIn } from '../../../../support/hook-context.ts'

const classOf = (name: string, value: number, more: object = {}): PriorityClass => ({
  kind: 'PriorityClass',
  apiVersion: 'scheduling.k8s.io/v1',
  metadata: { name },
  value,
  preemptionPolicy: 'PreemptLowerPriority',
  ...more,
})
const none = [classOf('low', -5), classOf('calm', 7, { preemptionPolicy: 'Never' })]
const some = [...none, classOf('higher', 9, { globalDefault: true }), classOf('usual', 3, { globalDefault: true })]

const plugin = (classes: PriorityClass[], features = featuresIn('1.33')) =>
  priorityAdmission({ get: async name => classes.find(({ metadata }) => metadata.name === name), list: async () => classes }, features)
const groupResource = POD_GROUP_KINDS.find(({ hub }) => hub.kind === 'PodGroup') as ResourceDefinition
const GROUPS = { GenericWorkload: true }
const pod = (spec: object): KubeObject => ({ metadata: { generateName: 'web-' }, spec }) as unknown as KubeObject

describe('Priority', () => {
  const cases: [string, PriorityClass[], object, object][] = [
    ['no class', none, {}, { priority: 0, preemptionPolicy: 'PreemptLowerPriority' }],
    [
      'the default class of the lowest value',
      some,
      {},
      { priorityClassName: 'usual', priority: 3, preemptionPolicy: 'PreemptLowerPriority' },
    ],
    ['a class', some, { priorityClassName: 'calm' }, { priorityClassName: 'calm', priority: 7, preemptionPolicy: 'Never' }],
    [
      'a class and its number',
      none,
      { priorityClassName: 'low', priority: -5 },
      { priorityClassName: 'low', priority: -5, preemptionPolicy: 'PreemptLowerPriority' },
    ],
  ]
  for (const [what, classes, spec, expected] of cases) {
    it(`sets the priority of a pod with ${what}`, async () => {
      const request = admissionRequest(podResource, pod(spec))
      await plugin(classes).mutate?.(request)
      expect(request.object?.spec).to.deep.equal(expected)
    })
  }

  const refused: [object, string][] = [
    [{ priorityClassName: 'absent' }, 'no PriorityClass with name absent was found'],
    [
      { priority: 5 },
      'the integer value of priority (5) must not be provided in pod spec; priority admission controller computed 0 from the given PriorityClass name',
    ],
    [
      { priorityClassName: 'calm', preemptionPolicy: 'PreemptLowerPriority' },
      'the string value of PreemptionPolicy (PreemptLowerPriority) must not be provided in pod spec; priority admission controller computed Never from the given PriorityClass name',
    ],
  ]
  for (const [spec, text] of refused)
    it(`refuses: ${text}`, async () =>
      expect(await refusal(plugin(none).mutate?.(admissionRequest(podResource, pod(spec))))).to.equal(`pods "web-" is forbidden: ${text}`))

  it('keeps the priority of a pod on update', async () => {
    const request = admissionRequest(podResource, pod({}), { operation: 'UPDATE', old: pod({ priority: 7, preemptionPolicy: 'Never' }) })
    await plugin(some).mutate?.(request)
    expect(request.object?.spec).to.deep.equal({ priority: 7, preemptionPolicy: 'Never' })
  })

  it('allows only one default class', async () => {
    const create = (object: KubeObject) => refusal(plugin(some).validate?.(admissionRequest(priorityClassResource, object)))
    expect(await create(classOf('x', 1))).to.equal(undefined)
    expect(await create(classOf('x', 1, { globalDefault: true }))).to.equal(
      'priorityclasses.scheduling.k8s.io "x" is forbidden: PriorityClass usual is already marked as default. Only one default can exist',
    )
    const update = admissionRequest(priorityClassResource, classOf('usual', 3, { globalDefault: true }), { operation: 'UPDATE' })
    expect(await refusal(plugin(some).validate?.(update))).to.equal(undefined)
  })

  it('sets the priority of a group of pods since 1.37', async () => {
    const groups = plugin(some, featuresIn('1.37', GROUPS))
    const prioritized = async (spec: object) => {
      const request = admissionRequest(groupResource, { metadata: { name: 'train' }, spec })
      expect(groups.handles(request)).to.equal(true)
      await groups.mutate?.(request)
      return request.object?.spec
    }
    expect(await prioritized({})).to.deep.equal({ priorityClassName: 'usual', priority: 3 })
    expect(await prioritized({ priorityClassName: 'low' })).to.deep.equal({ priorityClassName: 'low', priority: -5 })
    const request = admissionRequest(groupResource, { metadata: { name: 'train' }, spec: { priority: 8 } })
    expect(await refusal(groups.mutate?.(request))).to.equal(
      'podgroups.scheduling.k8s.io "train" is forbidden: the integer value of priority (8) must not be provided in pod group spec; priority admission controller computed 3 from the given PriorityClass name',
    )
    const policies = plugin(some, featuresIn('1.37', { ...GROUPS, PodGroupPreemptionPolicy: true }))
    const calm = admissionRequest(groupResource, { metadata: { name: 'train' }, spec: { priorityClassName: 'calm' } })
    await policies.mutate?.(calm)
    expect(calm.object?.spec).to.include({ priority: 7, preemptionPolicy: 'Never' })
  })

  it('leaves groups alone whose priority has no effect', () => {
    const request = admissionRequest(groupResource, { metadata: { name: 'train' }, spec: {} })
    const handles = (gates: Record<string, boolean>) => plugin(some, featuresIn('1.36', gates)).handles(request)
    expect(handles(GROUPS)).to.equal(false)
    expect(handles({ ...GROUPS, GangScheduling: true, WorkloadAwarePreemption: true })).to.equal(true)
  })

  it('handles only pods and priority classes', () => {
    const { handles } = plugin(some)
    expect([podResource, priorityClassResource, secretResource].map(definition => handles(admissionRequest(definition, {})))).to.deep.equal(
      [true, true, false],
    )
    expect(handles(admissionRequest(podResource, {}, { subresource: 'status' }))).to.equal(false)
  })
})
