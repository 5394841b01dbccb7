import { expect } from 'chai'
import type { JsonObject } from '../../../../../src/api/meta/object.ts'
import { strategicPatch } from '../../../../../src/apply/patch/strategic.ts'
import { types } from '../../../../../src/catalog/types.ts'
import type { StagedObject } from '../../../../../src/cluster/kwok/engine/stage-engine.ts'
import { stageActions } from '../../../../../src/cluster/kwok/stage/actions.ts'
import { chooseStage } from '../../../../../src/cluster/kwok/stage/choose.ts'
import { decodeStage } from '../../../../../src/cluster/kwok/stage/decode.ts'
import { drawDelay } from '../../../../../src/cluster/kwok/stage/timing.ts'
import { NODE_HEARTBEAT, NODE_HEARTBEAT_WITH_LEASE, NODE_INITIALIZE } from '../../../../../src/cluster/kwok/stages/node-stages.ts'
import { FAST_POD_STAGES, GENERAL_POD_STAGES } from '../../../../../src/cluster/kwok/stages/pod-stages.ts'
import { functionsIn } from '../../../../../src/cluster/kwok/template/template.ts'
import { runAtOnce } from '../../../../../src/lib/steps.ts'
import { PLACEHOLDERS } from '../../../../support/kwok-placeholders.ts'

const START = Date.UTC(2030, 0, 1)

/** Steps of an object's life: the stages that applied, with their delays in seconds, and the object after the last. */
interface Life {
  readonly steps: readonly string[]
  readonly object: StagedObject
  readonly isDeleted: boolean
}

/** Applies stages to an object until none matches, at most `most` of them. */
function live(stages: readonly JsonObject[], first: StagedObject, most = 10): Life {
  const decoded = stages.map(decodeStage)
  let [object, now, isDeleted] = [first, START, false]
  const steps: string[] = []
  while (steps.length < most && !isDeleted) {
    const { labels = {}, annotations = {} } = object.metadata
    const subject = { object, labels, annotations, now }
    const stage = runAtOnce(chooseStage(decoded, subject, () => 0))
    if (stage === undefined) break
    const delay = drawDelay(stage, subject, () => 0)
    now += delay
    steps.push(`${stage.name} after ${delay / 1000} s`)
    const functions = functionsIn({
      now: () => new Date(now).toISOString().replace('.000', ''),
      startTime: '',
      version: '1',
      nodeIP: () => '10.0.0.1',
      nodeName: () => 'node-1',
      nodePort: () => 10250,
      nodeIPsWith: () => ['10.0.0.1'],
      podIP: () => '10.1.0.1',
      podIPsWith: (_node, hostNetwork) => [hostNetwork ? '10.0.0.1' : '10.1.0.1'],
    })
    for (const action of runAtOnce(stageActions(stage, object, { functions, defaultPatch: 'application/strategic-merge-patch+json' }))) {
      if (action.kind === 'delete') isDeleted = true
      if (action.kind === 'patch')
        object = runAtOnce(strategicPatch(types.type(`core.${object.kind}`), object, action.data)).object as StagedObject
    }
  }
  return { steps, object, isDeleted }
}

const pod = (spec: JsonObject = {}, metadata: JsonObject = {}): StagedObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace: 'default', uid: 'u', ...metadata },
  spec: { nodeName: 'node-1', containers: [{ name: 'a', image: 'i:1' }], ...spec },
  status: {
    phase: 'Pending',
    conditions: [{ type: 'PodScheduled', status: 'True', lastProbeTime: null, lastTransitionTime: '2029-12-31T23:59:59Z' }],
  },
})

const statusOf = ({ status }: StagedObject): JsonObject => status as JsonObject
const conditionsOf = (object: StagedObject): Record<string, unknown> =>
  Object.fromEntries((statusOf(object).conditions as JsonObject[]).map(({ type, status }) => [type as string, status]))
const statesOf = (object: StagedObject, field: string): string[] =>
  (statusOf(object)[field] as JsonObject[]).map(({ name, ready, state }) => `${name} ${ready} ${Object.keys(state as JsonObject)}`)

const JOB = { ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name: 'job', uid: 'j' }] }
const INIT = {
  initContainers: [
    { name: 'init', image: 'i:1' },
    { name: 'sidecar', image: 'i:1', restartPolicy: 'Always' },
  ],
}

describe('stages of pods', () => {
  it('make a pod run at once', () => {
    const { steps, object } = live(FAST_POD_STAGES, pod({ readinessGates: [{ conditionType: 'x/y' }] }))
    expect(steps).to.deep.equal(['pod-ready after 0 s'])
    expect(conditionsOf(object)).to.deep.equal({
      PodScheduled: 'True',
      Initialized: 'True',
      Ready: 'True',
      ContainersReady: 'True',
      'x/y': 'True',
    })
    expect(statusOf(object)).to.deep.include({
      phase: 'Running',
      podIP: '10.1.0.1',
      podIPs: [{ ip: '10.1.0.1' }],
      hostIP: '10.0.0.1',
      startTime: '2030-01-01T00:00:00Z',
    })
    expect(statesOf(object, 'containerStatuses')).to.deep.equal(['a true running'])
    expect(statusOf(object)).to.not.have.property('initContainerStatuses')
  })

  it('complete init containers, and leave sidecars running', () => {
    expect(statesOf(live(FAST_POD_STAGES, pod(INIT)).object, 'initContainerStatuses')).to.deep.equal([
      'init true terminated',
      'sidecar true running',
    ])
  })

  it('complete pods of jobs', () => {
    const { steps, object } = live(FAST_POD_STAGES, pod({}, JOB))
    expect(steps).to.deep.equal(['pod-ready after 0 s', 'pod-complete after 0 s'])
    expect(statusOf(object).phase).to.equal('Succeeded')
    expect(conditionsOf(object)).to.deep.include({ Initialized: 'True', Ready: 'False', ContainersReady: 'False' })
    expect(statesOf(object, 'containerStatuses')).to.deep.equal(['a false terminated'])
  })

  it('delete a pod that is being deleted', () => {
    expect(live(FAST_POD_STAGES, pod({}, { deletionTimestamp: '2030-01-01T00:00:30Z' })).isDeleted).to.equal(true)
  })

  it('report each step of a kubelet in turn', () => {
    const { steps, object } = live(GENERAL_POD_STAGES, pod(INIT, JOB))
    expect(steps).to.deep.equal([
      'pod-create after 1 s',
      'pod-init-container-running after 1 s',
      'pod-init-container-completed after 1 s',
      'pod-ready after 1 s',
      'pod-complete after 1 s',
    ])
    expect(statusOf(object)).to.deep.include({ phase: 'Succeeded', podIP: '10.1.0.1', startTime: '2030-01-01T00:00:01Z' })
    expect(statesOf(object, 'containerStatuses')).to.deep.equal(['a false terminated'])
    const [container] = statusOf(object).containerStatuses as JsonObject[]
    expect(container?.state).to.deep.equal({
      terminated: { exitCode: 0, reason: 'Completed', startedAt: '2030-01-01T00:00:04Z', finishedAt: '2030-01-01T00:00:05Z' },
    })
  })

  it('wait for creation and readiness', () => {
    const created = live(GENERAL_POD_STAGES, pod(), 1).object
    expect(conditionsOf(created)).to.deep.equal({ PodScheduled: 'True', Initialized: 'True', Ready: 'False', ContainersReady: 'False' })
    expect(statesOf(created, 'containerStatuses')).to.deep.equal(['a false waiting'])
    expect(live(GENERAL_POD_STAGES, pod()).steps).to.deep.equal(['pod-create after 1 s', 'pod-ready after 1 s'])
  })

  it('take delays from annotations of the pod', () => {
    const annotations = { 'pod-create.stage.kwok.x-k8s.io/delay': '7s', 'pod-ready.stage.kwok.x-k8s.io/delay': '500ms' }
    expect(live(GENERAL_POD_STAGES, pod({}, { annotations })).steps).to.deep.equal(['pod-create after 5 s', 'pod-ready after 0.5 s'])
  })

  it('delete a pod when its grace period ends, or after a second, and not before its finalizers are removed', () => {
    const deleted = (metadata: JsonObject): Life => live(GENERAL_POD_STAGES, pod({}, metadata))
    expect(deleted({ deletionTimestamp: '2030-01-01T00:00:30Z' })).to.deep.include({ steps: ['pod-delete after 1 s'], isDeleted: true })
    expect(deleted({ deletionTimestamp: '2030-01-01T00:00:00Z' })).to.deep.include({ steps: ['pod-delete after 0 s'], isDeleted: true })
    expect(deleted({ deletionTimestamp: '2030-01-01T00:00:30Z', finalizers: ['a/b'] })).to.deep.include({ steps: [], isDeleted: false })
  })
})

const node = (status: JsonObject = {}): StagedObject => ({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-1' }, status })

describe('stages of nodes', () => {
  it('report addresses, capacity and conditions of a new node', () => {
    const { steps, object } = live([NODE_INITIALIZE], node({ capacity: { cpu: '4' }, nodeInfo: { architecture: 'arm64' } }))
    expect(steps).to.deep.equal(['node-initialize after 0 s'])
    expect(conditionsOf(object)).to.deep.equal({
      Ready: 'True',
      MemoryPressure: 'False',
      DiskPressure: 'False',
      PIDPressure: 'False',
      NetworkUnavailable: 'False',
    })
    expect(statusOf(object)).to.deep.include({
      capacity: { cpu: '4' },
      allocatable: { cpu: '4' },
      addresses: [
        { type: 'InternalIP', address: '10.0.0.1' },
        { type: 'Hostname', address: 'node-1' },
      ],
      daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
      phase: 'Running',
    })
    expect(statusOf(object).nodeInfo).to.deep.include({ architecture: 'arm64', kubeletVersion: 'kwok-1', operatingSystem: 'linux' })
  })

  it('renew the time of conditions, and keep that of their last transition', () => {
    const ready = live([NODE_INITIALIZE], node()).object
    for (const [stage, seconds] of [
      [NODE_HEARTBEAT, 20],
      [NODE_HEARTBEAT_WITH_LEASE, 600],
    ] as const) {
      const { steps, object } = live([stage], ready, 1)
      expect(steps).to.deep.equal([`${(stage.metadata as JsonObject).name} after ${seconds} s`])
      for (const condition of statusOf(object).conditions as JsonObject[])
        expect(condition).to.include({
          lastTransitionTime: '2030-01-01T00:00:00Z',
          lastHeartbeatTime: new Date(START + seconds * 1000).toISOString().replace('.000', ''),
        })
    }
  })

  it('make a node ready again', () => {
    const unready = node({
      phase: 'Running',
      conditions: [{ type: 'Ready', status: 'Unknown', lastTransitionTime: '2029-01-01T00:00:00Z' }],
    })
    expect(conditionsOf(live([NODE_INITIALIZE, NODE_HEARTBEAT], unready, 1).object)).to.include({ Ready: 'True' })
  })

  it('are rendered in steps of one template', () => {
    const steps = Array.from({ length: 10 }, () => ({ patch: { template: 'a: b' } }))
    const stage = decodeStage({
      apiVersion: 'kwok.x-k8s.io/v1alpha1',
      kind: 'Stage',
      metadata: { name: 's' },
      spec: { resourceRef: { kind: 'Pod' }, steps },
    })
    const options = { functions: PLACEHOLDERS, defaultPatch: 'application/merge-patch+json' } as const
    expect([...stageActions(stage, {}, options)]).to.have.lengthOf(10)
  })
})
