import { expect } from 'chai'
import type { Node, Pod } from '../../../../../src/api/core/v1.types.ts'
import { type Admission, NodeAdmission, type NodeAdmissionOptions } from '../../../../../src/cluster/nodes/admission/node-admission.ts'

const NODE = {
  metadata: { name: 'n', labels: { 'kubernetes.io/os': 'linux', zone: 'a' } },
  spec: {},
  status: { allocatable: { cpu: '4', memory: '4Gi', pods: '3', 'example.com/gpu': '2', 'example.com/broken': '0' } },
} as unknown as Node

interface PodParts {
  readonly cpu?: string
  readonly limits?: object
  readonly spec?: object
  readonly status?: object
  readonly labels?: object
}

function pod(name: string, { cpu = '1', limits, spec, status, labels }: PodParts = {}): Pod {
  const made: unknown = {
    metadata: { name, namespace: 'default', uid: name, generation: 1, labels },
    spec: { nodeName: 'n', containers: [{ name: 'c', resources: { requests: { cpu }, ...(limits && { limits }) } }], ...spec },
    status: { phase: 'Pending', qosClass: 'Burstable', ...status },
  }
  return made as Pod
}

/** An admission and the names of the pods that it reports as changed. */
function admissionOf(options: Partial<NodeAdmissionOptions> = {}): { admission: NodeAdmission; changed: string[] } {
  const changed: string[] = []
  const admission = new NodeAdmission({
    release: '1.33',
    podLevel: false,
    inPlace: true,
    podsOn: () => [],
    changed: ({ metadata }) => changed.push(metadata.name ?? ''),
    ...options,
  })
  return { admission, changed }
}

function textOf(admission: Admission): string {
  if (admission.kind === 'rejected') return `${admission.rejection.reason}: ${admission.rejection.message}`
  if (admission.kind === 'preempted') return 'preempted'
  const { pending } = admission
  const cpu = admission.pod.spec.containers?.[0]?.resources?.requests?.cpu
  return pending ? `${cpu}, ${pending.reason}: ${pending.message}` : `${cpu}`
}

const eventsOf = (admission: Admission): string[] =>
  admission.kind === 'admitted' ? admission.events.map(({ type, reason, message }) => `${type} ${reason} ${message}`) : []

describe('admission of pods by simulated kubelets', () => {
  const rejected = (one: Pod, node: Partial<Node> = {}, options: Partial<NodeAdmissionOptions> = {}): string =>
    textOf(admissionOf(options).admission.admit(one, { ...NODE, ...node }))

  it('resizes one of several pods that have the same resources', () => {
    const { admission } = admissionOf()
    for (const name of ['a', 'b']) admission.admit(pod(name), NODE)
    expect(textOf(admission.admit(pod('a', { cpu: '2' }), NODE))).to.equal('2')
    expect(textOf(admission.admit(pod('b'), NODE))).to.equal('1')
    expect(rejected(pod('c', { cpu: '5' }))).to.include('requested: 5000')
    expect(textOf(admission.admit(pod('c', { cpu: '1500m' }), NODE))).to.include('used: 3000')
  })

  it('rejects a pod for which the node has no room, with the first resource that is lacking', () => {
    const { admission } = admissionOf()
    admission.hold(pod('a', { cpu: '3' }), NODE)
    expect(textOf(admission.admit(pod('b', { cpu: '1500m' }), NODE))).to.equal(
      "OutOfcpu: Node didn't have enough resource: cpu, requested: 1500, used: 3000, capacity: 4000",
    )
    expect(textOf(admission.admit(pod('c'), NODE))).to.equal('1')
    admission.hold(pod('d', { cpu: '0' }), NODE)
    expect(textOf(admission.admit(pod('e', { cpu: '9' }), NODE))).to.equal(
      "OutOfpods: Node didn't have enough resource: pods, requested: 1, used: 3, capacity: 3",
    )
  })

  it('keeps a rejection, and admits others once a pod has ended', () => {
    const { admission } = admissionOf()
    const first = pod('a', { cpu: '4' })
    admission.admit(first, NODE)
    const rejection = textOf(admission.admit(pod('b'), NODE))
    admission.release(first)
    expect(rejection).to.match(/^OutOfcpu/)
    expect(textOf(admission.admit(pod('b'), NODE))).to.equal(rejection)
    expect(textOf(admission.admit(pod('c'), NODE))).to.equal('1')
  })

  it('counts the pods that run before those that are new, in whichever order it sees them', () => {
    const running = pod('a', { cpu: '3', status: { startTime: '2030-01-01T00:00:00Z' } })
    expect(rejected(pod('b', { cpu: '2' }), {}, { podsOn: () => [pod('b', { cpu: '2' }), running] })).to.match(/^OutOfcpu.*used: 3000/)
  })

  it('admits a pod that runs already, whether there is room or not', () => {
    expect(rejected(pod('a', { cpu: '9', status: { startTime: '2030-01-01T00:00:00Z' } }))).to.equal('9')
  })

  it('rejects a pod that needs features which the node does not declare, if these are checked', () => {
    const needy = pod('a', { spec: { hostNetwork: true, hostUsers: false } })
    const feature = 'UserNamespacesHostNetworkSupport'
    expect(rejected(needy)).to.equal('1')
    expect(rejected(needy, {}, { featuresOf: () => [feature] })).to.equal('1')
    expect(rejected(needy, {}, { featuresOf: () => ['Other'] })).to.equal(
      `PodFeatureUnsupported: Pod requires node features that are not available: ${feature}`,
    )
  })

  it('rejects pods that the node does not match, in the words of the release', () => {
    const selecting = pod('a', { spec: { nodeSelector: { zone: 'b' } } })
    expect(rejected(selecting)).to.equal("NodeAffinity: Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector")
    expect(rejected(selecting, {}, { release: '1.30' })).to.equal('NodeAffinity: Predicate NodeAffinity failed')
    const tainted = { spec: { taints: [{ key: 'k', effect: 'NoExecute' as const }] } }
    expect(rejected(pod('a'), tainted)).to.equal(
      "TaintToleration: Predicate TaintToleration failed: node(s) had taints that the pod didn't tolerate",
    )
    expect(rejected(pod('a', { spec: { tolerations: [{ operator: 'Exists' }] } }), tainted)).to.equal('1')
    expect(rejected(pod('a', { spec: { os: { name: 'windows' } } }))).to.match(/^PodOSNotSupported: /)
    expect(rejected(pod('a', { labels: { 'kubernetes.io/os': 'windows' } }))).to.match(/^PodOSSelectorNodeLabelDoesNotMatch: /)
  })

  it('rejects a pod whose host port is in use', () => {
    const { admission } = admissionOf()
    const listening = (name: string): Pod =>
      pod(name, { spec: { containers: [{ name: 'c', ports: [{ hostPort: 80, containerPort: 80 }] }] } })
    admission.admit(listening('a'), NODE)
    expect(textOf(admission.admit(listening('b'), NODE))).to.match(/^NodePorts: .*free ports for the requested pod ports$/)
  })

  it('rejects a pod whose devices are not free, before other resources are looked at', () => {
    const gpus = (count: string): PodParts => ({ cpu: '9', limits: { 'example.com/gpu': count } })
    expect(rejected(pod('a', gpus('3')))).to.equal(
      'UnexpectedAdmissionError: Allocate failed due to requested number of devices unavailable for example.com/gpu. Requested: 3, Available: 2, which is unexpected',
    )
    expect(rejected(pod('a', gpus('2')))).to.match(/^OutOfcpu/)
    expect(rejected(pod('a', { limits: { 'example.com/broken': '1' } }))).to.equal(
      'UnexpectedAdmissionError: Allocate failed due to no healthy devices present; cannot allocate unhealthy devices example.com/broken, which is unexpected',
    )
    expect(rejected(pod('a', { limits: { 'example.com/unknown': '1' } }))).to.equal('1')
  })

  it('rejects pods on a node under pressure, except critical ones and those that only memory concerns', () => {
    const under = (...types: string[]): Partial<Node> =>
      ({ status: { ...NODE.status, conditions: types.map(type => ({ type, status: 'True' })) } }) as unknown as Partial<Node>
    const bestEffort = pod('a', { status: { qosClass: 'BestEffort' } })
    expect(rejected(bestEffort, under('MemoryPressure'))).to.equal('Evicted: The node had condition: [MemoryPressure]. ')
    expect(rejected(pod('a'), under('MemoryPressure'))).to.equal('1')
    expect(rejected(pod('a'), under('MemoryPressure', 'DiskPressure'))).to.equal(
      'Evicted: The node had condition: [MemoryPressure DiskPressure]. ',
    )
    expect(rejected(pod('a', { spec: { priority: 2_000_000_000 } }), under('DiskPressure'))).to.equal('1')
    const tolerating = pod('a', {
      status: { qosClass: 'BestEffort' },
      spec: { tolerations: [{ key: 'node.kubernetes.io/memory-pressure', operator: 'Exists' }] },
    })
    expect(rejected(tolerating, under('MemoryPressure'))).to.equal('1')
  })

  it('evicts others for a critical pod, or says that none frees enough', () => {
    const { admission, changed } = admissionOf()
    for (const name of ['a', 'b']) admission.admit(pod(name, { cpu: name === 'a' ? '1' : '3' }), NODE)
    expect(textOf(admission.admit(pod('big', { cpu: '2', spec: { priority: 2_000_000_000 } }), NODE))).to.equal('2')
    expect(changed).to.deep.equal(['b'])
    expect(textOf(admission.admit(pod('b'), NODE))).to.equal('preempted')
    expect(textOf(admission.admit(pod('huge', { cpu: '9', spec: { priority: 2_000_000_000 } }), NODE))).to.equal(
      'UnexpectedAdmissionError: Unexpected error while attempting to recover from admission failure: preemption: error finding a set of pods to preempt: no set of running pods found to reclaim resources: [(res: cpu, q: 7000), ]',
    )
  })
})

describe('resizes of pods on simulated nodes', () => {
  const RUNNING = { phase: 'Running', startTime: '2030-01-01T00:00:00Z' }
  const running = (name: string, cpu: string, spec: object = {}): Pod => pod(name, { cpu, status: RUNNING, spec })
  const resized = (of: Pod, cpu: string): Pod => ({
    ...of,
    metadata: { ...of.metadata, generation: 2 },
    spec: { ...of.spec, containers: [{ name: 'c', resources: { requests: { cpu } } }] },
  })

  it('is infeasible if the node is too small, and leaves the pod with what it has', () => {
    const { admission } = admissionOf()
    const one = running('a', '1')
    admission.admit(one, NODE)
    expect(textOf(admission.admit(resized(one, '5'), NODE))).to.equal(
      "1, Infeasible: Node didn't have enough capacity: cpu, requested: 5000, capacity: 4000",
    )
    expect(textOf(admission.admit(resized(one, '4'), NODE))).to.equal('4')
  })

  it('is deferred until there is room, and then reported to its caller', () => {
    const { admission, changed } = admissionOf()
    const [one, other] = [running('a', '1'), running('b', '2')]
    for (const each of [one, other]) admission.admit(each, NODE)
    expect(textOf(admission.admit(resized(one, '3'), NODE))).to.equal(
      "1, Deferred: Node didn't have enough resource: cpu, requested: 3000, used: 2000, capacity: 4000",
    )
    admission.release(other)
    expect(changed).to.deep.equal(['a'])
    expect(textOf(admission.admit(resized(one, '3'), NODE))).to.equal('3')
  })

  it('gives room that appears to the pod with the highest priority', () => {
    const { admission, changed } = admissionOf()
    const [low, high, other] = [running('low', '1'), running('high', '1', { priority: 5 }), running('other', '2')]
    for (const each of [low, high, other]) admission.admit(each, NODE)
    for (const each of [low, high]) expect(textOf(admission.admit(resized(each, '3'), NODE))).to.match(/^1, Deferred/)
    admission.release(other)
    expect(changed[0]).to.equal('high')
    expect(textOf(admission.admit(resized(low, '3'), NODE))).to.match(/^1, Deferred/)
  })

  it('gives room that an evicted pod leaves', () => {
    const { admission, changed } = admissionOf()
    const one = pod('a', { cpu: '1', status: { ...RUNNING, qosClass: 'Guaranteed' } })
    const big = running('big', '3')
    for (const each of [one, big]) admission.admit(each, NODE)
    expect(textOf(admission.admit(resized(one, '2'), NODE))).to.match(/^1, Deferred/)
    expect(textOf(admission.admit(pod('critical', { spec: { priority: 2_000_000_000 } }), NODE))).to.equal('1')
    expect(changed).to.deep.equal(['big'])
    admission.release(big)
    expect(changed).to.deep.equal(['big', 'a'])
  })

  it('is decided again only when something has changed', () => {
    const { admission } = admissionOf()
    const other = running('b', '2')
    let checks = 0
    const spec = {
      get nodeSelector() {
        checks++
        return undefined
      },
    }
    const watched = resized(running('a', '1'), '3')
    Object.defineProperties(watched.spec, Object.getOwnPropertyDescriptors(spec))
    for (const each of [running('a', '1'), other, watched]) admission.admit(each, NODE)
    const before = checks
    expect(textOf(admission.admit(watched, NODE))).to.match(/^1, Deferred/)
    const again = checks
    admission.admit(watched, { ...NODE })
    expect([before > 0, again - before < checks - again]).to.deep.equal([true, true])
  })

  it('counts the old amount of a pod that shrinks until its containers have the new one', () => {
    const { admission } = admissionOf()
    const big = pod('big', {
      cpu: '3',
      status: { ...RUNNING, containerStatuses: [{ name: 'c', resources: { requests: { cpu: '3' } } }] },
    })
    admission.admit(big, NODE)
    const shrunk = resized(big, '1')
    admission.admit(shrunk, NODE)
    expect(textOf(admission.admit(pod('a', { cpu: '2' }), NODE))).to.match(/^OutOfcpu.*used: 3000/)
    admission.admit({ ...shrunk, status: { ...shrunk.status, containerStatuses: [] } } as Pod, NODE)
    expect(textOf(admission.admit(pod('b', { cpu: '2' }), NODE))).to.equal('2')
  })

  it('recovers what a pod has if its resize was pending when the kubelet started', () => {
    const { admission } = admissionOf()
    const one = pod('a', {
      cpu: '3',
      status: {
        ...RUNNING,
        conditions: [{ type: 'PodResizePending', status: 'True', reason: 'Deferred' }],
        containerStatuses: [{ name: 'c', allocatedResources: { cpu: '1' }, resources: { requests: { cpu: '1' } } }],
      },
    })
    admission.hold(pod('b', { cpu: '2' }), NODE)
    expect(textOf(admission.admit(one, NODE))).to.match(/^1, Deferred/)
  })

  it('is an event when it is pending or starts, from 1.35 on', () => {
    const { admission } = admissionOf({ release: '1.35' })
    const one = running('a', '1')
    admission.admit(one, NODE)
    const infeasible = resized(one, '5')
    const message = "Node didn't have enough capacity: cpu, requested: 5000, capacity: 4000"
    expect(eventsOf(admission.admit(infeasible, NODE))).to.deep.equal([
      `Warning ResizeInfeasible Pod resize Infeasible: {"containers":[{"name":"c","resources":{"requests":{"cpu":"5"}}}],"generation":2,"error":"${message}"}`,
    ])
    expect(eventsOf(admission.admit(infeasible, NODE))).to.deep.equal([])
    expect(eventsOf(admission.admit(resized(one, '2'), NODE))).to.deep.equal([
      'Normal ResizeStarted Pod resize started: {"containers":[{"name":"c","resources":{"requests":{"cpu":"2"}}}],"generation":2}',
    ])
  })
})
