import { expect } from 'chai'
import type { AdmissionPlugin } from '../../../../../src/admission/chain.ts'
import type { Node } from '../../../../../src/api/core/v1.types.ts'
import { parseGates } from '../../../../../src/lifecycle/gates.ts'
import type { Release } from '../../../../../src/lifecycle/release.ts'
import { StatusError } from '../../../../../src/meta/status.ts'
import type { AdmissionRequest } from '../../../../../src/registry/types.ts'
import { podResource } from '../../../../../src/resources/core/pod/definition.ts'
import { nodeDeclaredFeatureValidator, podResizeValidator } from '../../../../../src/resources/core/pod/resize-admission.ts'
import { podWith } from '../../../../support/pod.ts'

const asks = (cpu: string, memory = '1Gi'): object => ({ requests: { cpu, memory } })
const containers = (resources: object): object => ({ containers: [{ name: 'c', image: 'i', resources }] })
const node = (parts: object): Node => ({ metadata: { name: 'n' }, spec: {}, status: {}, ...parts }) as Node

type Plugin = typeof podResizeValidator

/** The error and causes for changing a pod on the node `n`, or undefined if the change is admitted. */
async function refusal(
  plugin: Plugin,
  release: Release,
  before: object,
  after: object,
  found?: Node,
  parts: object = {},
): Promise<object | undefined> {
  const object = podWith({ nodeName: 'n', ...after }, { generation: 2 })
  const old = podWith({ nodeName: 'n', ...before }, { generation: 1 }, { qosClass: 'Guaranteed' })
  const request = {
    operation: 'UPDATE',
    subresource: 'resize',
    name: 'p',
    served: { definition: podResource, version: podResource.hub },
    object,
    old,
    ...parts,
  } as unknown as AdmissionRequest
  const validator: AdmissionPlugin = plugin(parseGates(release), async () => found)
  if (!validator.handles(request)) return undefined
  try {
    await validator.validate?.(request)
    return undefined
  } catch (error) {
    if (!(error instanceof StatusError)) throw error
    return { message: error.message, ...(error.status.details?.causes && { causes: error.status.details.causes }) }
  }
}

describe('PodResizeValidator', () => {
  const small = node({ status: { allocatable: { cpu: '2', memory: '2Gi' } } })

  it('compares the requests of the pod with the allocatable resources of the node, from 1.36 on', async () => {
    const resize = (release: Release, after: object) => refusal(podResizeValidator, release, containers(asks('1')), after, small)
    expect(await resize('1.36', containers(asks('2')))).to.equal(undefined)
    expect(await resize('1.35', containers(asks('3')))).to.equal(undefined)
    expect(await resize('1.36', containers(asks('2500m', '3Gi')))).to.deep.equal({
      message:
        'pods "p" is forbidden: node didn\'t have enough allocatable resources: cpu, requested: 2500, allocatable: 2000; memory, requested: 3221225472, allocatable: 2147483648',
      causes: [{ reason: 'NodeCapacity' }],
    })
    expect(await resize('1.36', { ...containers(asks('2')), overhead: { cpu: '1m' } })).to.have.property('causes')
  })

  it('requires a Linux node', async () => {
    const windows = node({ metadata: { name: 'n', labels: { 'kubernetes.io/os': 'windows' } } })
    expect(await refusal(podResizeValidator, '1.36', containers(asks('1')), containers(asks('2')))).to.deep.equal({
      message: 'pods "p" is forbidden: node "n" not found',
    })
    expect(await refusal(podResizeValidator, '1.36', containers(asks('1')), containers(asks('2')), windows)).to.deep.equal({
      message: 'pods "p" is forbidden: pod resize is only supported on linux nodes, node "n" is "windows"',
      causes: [{ reason: 'UnsupportedPlatform' }],
    })
  })
})

describe('NodeDeclaredFeatureValidator', () => {
  const plain = node({})
  const able = node({
    status: { declaredFeatures: ['InPlacePodLevelResourcesVerticalScaling', 'InPlacePodVerticalScalingInitContainers'] },
  })
  const init = (cpu: string): object => ({ ...containers(asks('1')), initContainers: [{ name: 'i', image: 'i', resources: asks(cpu) }] })

  it('requires the declared features that a change needs, from 1.36 on', async () => {
    const change = (release: Release, before: object, after: object, on: Node) =>
      refusal(nodeDeclaredFeatureValidator, release, before, after, on)
    expect(await change('1.36', containers(asks('1')), containers(asks('2')), plain)).to.equal(undefined)
    expect(await change('1.36', { ...init('1'), resources: asks('2') }, { ...init('2'), resources: asks('3') }, able)).to.equal(undefined)
    expect(await change('1.36', { ...init('1'), resources: asks('2') }, { ...init('2'), resources: asks('3') }, plain)).to.deep.equal({
      message:
        'pods "p" is forbidden: pod update requires features InPlacePodLevelResourcesVerticalScaling, InPlacePodVerticalScalingInitContainers which are not available on node "n"',
    })
    expect(await change('1.35', init('1'), init('2'), plain)).to.equal(undefined)
  })

  it('ignores other changes', async () => {
    expect(await refusal(nodeDeclaredFeatureValidator, '1.36', init('1'), init('2'), plain, { subresource: 'status' })).to.equal(undefined)
    expect(await refusal(nodeDeclaredFeatureValidator, '1.36', init('1'), { ...init('2'), nodeName: '' }, plain)).to.equal(undefined)
  })
})
