import { expect } from 'chai'
import { startControlPlane } from '../../../src/testing/start-control-plane.ts'
import type { ControlPlane, Manifest } from '../../../src/testing/types.ts'
import type { AnyObject } from '../../support/any-object.ts'

const PODS = '/api/v1/namespaces/default/pods'
const NODE = '/api/v1/nodes/node-1'
const ANNOTATION = 'kubelet.binnacle.dev/declared-features'

describe('features of simulated nodes', () => {
  let plane: ControlPlane
  before(async () => {
    plane = await startControlPlane({ clock: 'stopped', release: '1.36', flags: { profile: 'cluster', nodes: '1' } })
    await plane.until(async () => (await get(NODE)).status?.conditions?.some(({ type }: AnyObject) => type === 'Ready') ?? false)
  })
  after(() => plane.stop())

  const get = async (path: string): Promise<AnyObject> => (await plane.request<AnyObject>('GET', path)).body
  const annotate = (value: string | null): Promise<unknown> =>
    plane.request('PATCH', NODE, { body: { metadata: { annotations: { [ANNOTATION]: value } } } })
  const untilDeclared = (names: string | undefined): Promise<void> =>
    plane.until(async () => (await get(NODE)).status.declaredFeatures?.join() === names)
  const ALL =
    'ExtendWebSocketsToKubelet,InPlacePodLevelResourcesVerticalScaling,InPlacePodVerticalScalingInitContainers,RestartAllContainersOnContainerExits'

  it('are declared, and an annotation chooses among them', async () => {
    await untilDeclared(ALL)
    await annotate('RestartAllContainersOnContainerExits, Unknown')
    await untilDeclared('RestartAllContainersOnContainerExits')
    await annotate('')
    await untilDeclared(undefined)
    await annotate(null)
    await untilDeclared(ALL)
  })

  it('decide where pods are scheduled', async () => {
    await annotate('ExtendWebSocketsToKubelet')
    await untilDeclared('ExtendWebSocketsToKubelet')
    const rule = { action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [42] } }
    const container = { name: 'c', image: 'app:1', restartPolicy: 'Never', restartPolicyRules: [rule] }
    await plane.apply({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'restarts', namespace: 'default' },
      spec: { containers: [container] },
    } as Manifest)
    await plane.until(async () => (await get(`${PODS}/restarts`)).status.conditions?.[0]?.reason === 'Unschedulable')
    expect((await get(`${PODS}/restarts`)).status.conditions[0].message).to.match(
      /^0\/1 nodes are available: 1 node\(s\) didn't match Pod's required features\./,
    )
    await annotate(null)
    await untilDeclared(ALL)
    await plane.advance('10s')
    await plane.until(async () => (await get(`${PODS}/restarts`)).status.phase === 'Running')
  })

  it('let an init container be resized', async () => {
    const containers = (cpu: string) => [{ name: 'i', image: 'app:1', resources: { requests: { cpu } } }]
    await plane.apply({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'resized', namespace: 'default', annotations: { 'kubelet.binnacle.dev/run-for.i': '1h' } },
      spec: { initContainers: containers('1'), containers: [{ name: 'c', image: 'app:1' }] },
    } as Manifest)
    await plane.until(async () => (await get(`${PODS}/resized`)).status.initContainerStatuses?.[0]?.state.running !== undefined)
    const { status } = await plane.request<AnyObject>('PATCH', `${PODS}/resized/resize`, {
      body: { spec: { initContainers: containers('2') } },
      headers: { 'content-type': 'application/strategic-merge-patch+json' },
    })
    expect(status).to.equal(200)
  })
})
