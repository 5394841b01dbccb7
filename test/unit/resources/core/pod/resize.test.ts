import { expect } from 'chai'
import { parseGates } from '../../../../../src/lifecycle/gates.ts'
import type { Release } from '../../../../../src/lifecycle/release.ts'
import { StatusError } from '../../../../../src/meta/status.ts'
import { podResource } from '../../../../../src/resources/core/pod/definition.ts'
import type { AnyObject } from '../../../../support/any-object.ts'
import { KindCases } from '../../../../support/kind-cases.ts'

const asks = (cpu: string, more: object = {}): object => ({ requests: { cpu, ...more } })

/** The errors of changing the spec of a pod through its subresource `resize`. */
async function resizing(
  release: Release,
  gates: Record<string, boolean>,
  spec: object,
  change: (spec: AnyObject['spec']) => void,
): Promise<string[]> {
  const cases = new KindCases(podResource)
  cases.server.features = parseGates(release, new Map(Object.entries(gates)))
  const { spec: before } = await cases.create({ spec: { containers: [{ name: 'c', image: 'i', resources: asks('1') }], ...spec } })
  const after = structuredClone(before)
  change(after)
  try {
    await cases.update({ spec: after }, {}, 'resize')
    return []
  } catch (error) {
    if (!(error instanceof StatusError)) throw error
    return (error.status.details?.causes ?? []).map(({ field = '', message }) => `${field}: ${message}`)
  }
}

const POD_LEVEL = { PodLevelResources: true }
const ofPod = { resources: asks('2') }
const initContainers = [{ name: 'i', image: 'i', resources: asks('1') }]

describe('resize of pods', () => {
  // biome-ignore format: one a line
  const cases: [what: string, release: Release, gates: Record<string, boolean>, spec: object, change: (spec: AnyObject['spec']) => void, causes: string[]][] = [
    ['the cpu of a container', '1.33', {}, {}, s => { s.containers[0].resources.requests.cpu = '2' }, []],
    ['a resource beside it', '1.33', {}, {}, s => { s.containers[0].resources.requests['a.b/c'] = '1'; s.containers[0].resources.limits = { 'a.b/c': '1' } }, ['spec: Forbidden: only cpu and memory resources are mutable']],
    ['the pod as a whole', '1.34', POD_LEVEL, ofPod, s => { s.resources.requests.cpu = '3' }, [': Forbidden: pods with pod-level resources cannot be resized']],
    ['the pod as a whole', '1.35', {}, ofPod, s => { s.resources.requests.cpu = '3' }, [': Forbidden: resize of pods with pod-level resources is forbidden when InPlacePodLevelResourcesVerticalScalingEnabled feature gate is disabled']],
    ['the pod as a whole', '1.36', {}, ofPod, s => { s.resources.requests.cpu = '3' }, []],
    ['the pod as a whole by more than compute', '1.36', {}, ofPod, s => { s.resources.requests.memory = '1Gi'; delete s.resources.requests.cpu }, ['spec.resources.requests: Forbidden: pod-level resource requests cannot be removed']],
    ['an init container', '1.35', {}, { initContainers }, s => { s.initContainers[0].resources.requests.cpu = '2' }, ['spec: Forbidden: resources for non-sidecar init containers are immutable']],
    ['an init container', '1.36', {}, { initContainers }, s => { s.initContainers[0].resources.requests.cpu = '2' }, []],
    ['an init container by a resource', '1.36', {}, { initContainers }, s => { s.initContainers[0].resources.requests['a.b/c'] = '1'; s.initContainers[0].resources.limits = { 'a.b/c': '1' } }, ['spec.initContainers[0]: Forbidden: only cpu and memory resources for init or sidecar containers are mutable']],
  ]
  for (const [what, release, gates, spec, change, causes] of cases)
    it(`${causes.length === 0 ? 'allows' : 'rejects'} changing ${what} in ${release}`, async () =>
      expect(await resizing(release, gates, spec, change)).to.deep.equal(causes))

  it('takes pod-level resources from the request', async () => {
    const pods = new KindCases(podResource)
    pods.server.features = parseGates('1.36')
    const { spec } = await pods.create({ spec: { containers: [{ name: 'c', image: 'i', resources: asks('1') }], ...ofPod } })
    const resized = await pods.update({ spec: { ...spec, resources: asks('3'), nodeSelector: { a: 'b' } } }, {}, 'resize')
    expect([resized.spec.resources, resized.spec.nodeSelector]).to.deep.equal([asks('3'), undefined])
  })

  it('defaults the resize policy of requested resources until 1.32, if its gate is on', async () => {
    const policies = async (release: Release, gates: Record<string, boolean>, container: object): Promise<unknown> => {
      const pods = new KindCases(podResource)
      pods.server.features = parseGates(release, new Map(Object.entries(gates)))
      const { spec } = await pods.create({ spec: { containers: [{ name: 'c', image: 'i', ...container }] } })
      return spec.containers[0].resizePolicy
    }
    const on = { InPlacePodVerticalScaling: true }
    const cpu = { resourceName: 'cpu', restartPolicy: 'RestartContainer' }
    const memory = { resourceName: 'memory', restartPolicy: 'NotRequired' }
    expect(await policies('1.32', on, { resources: { limits: { cpu: '1', memory: '1Gi' } }, resizePolicy: [cpu] })).to.deep.equal([
      cpu,
      memory,
    ])
    expect(await policies('1.32', on, {})).to.equal(undefined)
    expect(await policies('1.32', {}, { resources: asks('1') })).to.equal(undefined)
    expect(await policies('1.33', on, { resources: asks('1') })).to.equal(undefined)
  })
})
