import { expect } from 'chai'
import type { Node } from '../../../../src/api/core/v1.types.ts'
import type { Plugin } from '../../../../src/cluster/scheduler/framework.ts'
import { NodeInfo } from '../../../../src/cluster/scheduler/node-info.ts'
import { imageLocality } from '../../../../src/cluster/scheduler/plugins/image-locality.ts'
import { interPodAffinity } from '../../../../src/cluster/scheduler/plugins/inter-pod-affinity.ts'
import { nodeAffinity } from '../../../../src/cluster/scheduler/plugins/node-affinity.ts'
import { nodeDeclaredFeatures } from '../../../../src/cluster/scheduler/plugins/node-declared-features.ts'
import { nodeName } from '../../../../src/cluster/scheduler/plugins/node-name.ts'
import { nodePorts } from '../../../../src/cluster/scheduler/plugins/node-ports.ts'
import { balancedAllocation } from '../../../../src/cluster/scheduler/plugins/node-resources-balanced-allocation.ts'
import { nodeResourcesFit } from '../../../../src/cluster/scheduler/plugins/node-resources-fit.ts'
import { nodeUnschedulable } from '../../../../src/cluster/scheduler/plugins/node-unschedulable.ts'
import { podTopologySpread } from '../../../../src/cluster/scheduler/plugins/pod-topology-spread.ts'
import { schedulingGates } from '../../../../src/cluster/scheduler/plugins/scheduling-gates.ts'
import { taintToleration } from '../../../../src/cluster/scheduler/plugins/taint-toleration.ts'
import { filterBy, infoOf, nodeOf, objectsOf, type PodParts, podOf, scoreBy, snapshotOf } from '../../../support/scheduling.ts'

const skip = { code: 'Skip', reasons: [] }
const port = (hostPort: number, hostIP?: string): PodParts => ({
  spec: {
    containers: [{ name: 'c', resources: {}, ports: [{ containerPort: 80, hostPort, protocol: 'TCP', ...(hostIP && { hostIP }) }] }],
  },
})

describe('plugins of the scheduler', () => {
  it('SchedulingGates holds a pod back while it has gates', () => {
    expect(schedulingGates.preEnqueue?.(podOf(), objectsOf())).to.equal(undefined)
    expect(
      schedulingGates.preEnqueue?.(podOf({ spec: { schedulingGates: [{ name: 'a' }, { name: 'b' }] } }), objectsOf())?.reasons,
    ).to.deep.equal(['waiting for scheduling gates: [a b]'])
  })

  it('NodeName accepts the named node alone', () => {
    const nodes = snapshotOf([nodeOf('a'), nodeOf('b')])
    expect(filterBy(nodeName, { nodeName: 'b' }, nodes)).to.deep.equal({ a: "node(s) didn't match the requested node name", b: '' })
  })

  it('NodeUnschedulable rejects a cordoned node, unless the pod tolerates that', () => {
    const nodes = snapshotOf([nodeOf('a', { spec: { unschedulable: true } }), nodeOf('b')])
    expect(filterBy(nodeUnschedulable, {}, nodes)).to.deep.equal({ a: 'node(s) were unschedulable', b: '' })
    expect(filterBy(nodeUnschedulable, { spec: { tolerations: [{ operator: 'Exists' }] } }, nodes)).to.deep.equal({ a: '', b: '' })
  })

  it('a node that has become suitable helps pods whose plugin regards the node alone', () => {
    const helps = (plugin: Plugin, pod: PodParts, node: Node, old?: Node): boolean | undefined =>
      plugin.isHelpedByNode?.(infoOf(pod), NodeInfo.of(node), old && NodeInfo.of(old), objectsOf())
    const [plain, cordoned] = [nodeOf('a'), nodeOf('a', { spec: { unschedulable: true } })]
    expect([
      helps(nodeUnschedulable, {}, plain, cordoned),
      helps(nodeUnschedulable, {}, plain, plain),
      helps(nodeUnschedulable, {}, cordoned),
    ]).to.deep.equal([true, false, false])
    const selects: PodParts = { spec: { nodeSelector: { disk: 'ssd' } } }
    const labelled = nodeOf('a', { labels: { disk: 'ssd' } })
    expect([helps(nodeAffinity(), selects, labelled, plain), helps(nodeAffinity(), selects, plain)]).to.deep.equal([true, false])
    const tainted = nodeOf('a', { spec: { taints: [{ key: 'k', effect: 'NoSchedule' }] } })
    expect([helps(taintToleration('1.33'), {}, plain, tainted), helps(taintToleration('1.33'), {}, tainted, plain)]).to.deep.equal([
      true,
      false,
    ])
    const fit = nodeResourcesFit({}, '1.33', false)
    const grown = nodeOf('a', { allocatable: { cpu: '8' } })
    expect([helps(fit, { requests: { cpu: '3' } }, grown, plain), helps(fit, { requests: { cpu: '9' } }, grown, plain)]).to.deep.equal([
      true,
      false,
    ])
  })

  it('NodeDeclaredFeatures rejects nodes that lack a feature of the pod, until they declare it', () => {
    const declaring = (name: string, ...declaredFeatures: string[]): Node => {
      const node = nodeOf(name)
      return { ...node, status: { ...node.status, declaredFeatures } }
    }
    const nodes = snapshotOf([nodeOf('a'), declaring('b', 'RestartAllContainersOnContainerExits'), declaring('c', 'Other')])
    const restarts: PodParts = {
      spec: { containers: [{ name: 'c', resources: {}, restartPolicyRules: [{ action: 'RestartAllContainers' }] }] },
    }
    const mismatch = "node(s) didn't match Pod's required features"
    expect(filterBy(nodeDeclaredFeatures, {}, nodes)).to.deep.equal(skip)
    expect(filterBy(nodeDeclaredFeatures, restarts, nodes)).to.deep.equal({ a: mismatch, b: '', c: mismatch })
    const [plain, able, other] = nodes.nodes
    if (!plain || !able || !other) return
    const helps = (node: NodeInfo, old?: NodeInfo) => nodeDeclaredFeatures.isHelpedByNode?.(infoOf(restarts), node, old, objectsOf())
    expect([helps(able, plain), helps(able), helps(other, plain), helps(able, able)]).to.deep.equal([true, true, false, false])
  })

  it('NodePorts is helped by the deletion of a pod with the same port', () => {
    const helps = (other: PodParts) => nodePorts.isHelpedByPod?.(infoOf(port(80)), 'assigned pod deleted', infoOf(other))
    expect([helps(port(80)), helps(port(81)), helps({})]).to.deep.equal([true, false, false])
  })

  it('TaintToleration rejects taints in the words of the release, and prefers few soft taints', () => {
    const taint = (effect: 'NoSchedule' | 'PreferNoSchedule', key: string) => ({ key, value: 'x', effect })
    const nodes = snapshotOf([
      nodeOf('a', { spec: { taints: [taint('NoSchedule', 'k')] } }),
      nodeOf('b', { spec: { taints: [taint('PreferNoSchedule', 'k'), taint('PreferNoSchedule', 'l')] } }),
      nodeOf('c', { spec: { taints: [taint('PreferNoSchedule', 'k')] } }),
    ])
    expect(filterBy(taintToleration('1.33'), {}, nodes)).to.deep.equal({ a: 'node(s) had untolerated taint {k: x}', b: '', c: '' })
    expect(filterBy(taintToleration('1.34'), {}, nodes)).to.include({ a: 'node(s) had untolerated taint(s)' })
    expect(
      filterBy(taintToleration('1.33'), { spec: { tolerations: [{ key: 'k', value: 'x', effect: 'NoSchedule' }] } }, nodes),
    ).to.include({ a: '' })
    expect(scoreBy(taintToleration('1.33'), {}, nodes)).to.deep.equal({ a: 100, b: 0, c: 50 })
  })

  it('NodeAffinity matches selectors, affinity, added affinity and fields', () => {
    const nodes = snapshotOf([nodeOf('a', { labels: { disk: 'ssd', cores: '8' } }), nodeOf('b', { labels: { disk: 'hdd', cores: '16' } })])
    const required = (term: object): PodParts => ({
      spec: { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] } } } },
    })
    const mismatch = "node(s) didn't match Pod's node affinity/selector"
    expect(filterBy(nodeAffinity(), {}, nodes)).to.deep.equal(skip)
    expect(filterBy(nodeAffinity(), { spec: { nodeSelector: { disk: 'ssd' } } }, nodes)).to.deep.equal({ a: '', b: mismatch })
    expect(
      filterBy(nodeAffinity(), required({ matchExpressions: [{ key: 'cores', operator: 'Gt', values: ['8'] }] }), nodes),
    ).to.deep.equal({
      a: mismatch,
      b: '',
    })
    expect(filterBy(nodeAffinity(), required({}), nodes)).to.deep.equal({ a: mismatch, b: mismatch })
    const field = (value: string) => ({ key: 'metadata.name', operator: 'In', values: [value] })
    expect([...(nodeAffinity().preFilter?.(infoOf(required({ matchFields: [field('b')] })), nodes).nodeNames ?? [])]).to.deep.equal(['b'])
    expect(filterBy(nodeAffinity(), required({ matchFields: [field('a'), field('b')] }), nodes)).to.include({
      code: 'UnschedulableAndUnresolvable',
    })
    const ssd = { matchExpressions: [{ key: 'disk', operator: 'In' as const, values: ['ssd'] }] }
    const added = nodeAffinity({ addedAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [ssd] } } })
    expect(filterBy(added, {}, nodes)).to.deep.equal({ a: '', b: "node(s) didn't match scheduler-enforced node affinity" })
    const preferred = {
      spec: { affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 3, preference: ssd }] } } },
    }
    expect(scoreBy(nodeAffinity(), preferred, nodes)).to.deep.equal({ a: 100, b: 0 })
  })

  it('NodePorts compares addresses, and one port on all addresses with any', () => {
    const nodes = snapshotOf(
      [nodeOf('a'), nodeOf('b')],
      [
        { ...port(80, '10.0.0.1'), nodeName: 'a' },
        { ...port(81), nodeName: 'b' },
      ].map(({ spec, nodeName: name }) => ({ spec: { ...spec, nodeName: name }, nodeName: name })),
    )
    const taken = "node(s) didn't have free ports for the requested pod ports"
    expect(filterBy(nodePorts, {}, nodes)).to.deep.equal(skip)
    expect(filterBy(nodePorts, port(80, '10.0.0.2'), nodes)).to.deep.equal({ a: '', b: '' })
    expect(filterBy(nodePorts, port(80), nodes)).to.deep.equal({ a: taken, b: '' })
    expect(filterBy(nodePorts, port(81, '10.0.0.1'), nodes)).to.deep.equal({ a: '', b: taken })
  })

  it('NodeResourcesFit lists what is lacking: pods first, then cpu, memory and others by name', () => {
    const nodes = snapshotOf(
      [nodeOf('a', { allocatable: { pods: '1', 'example.com/b': '1' } })],
      [{ name: 'x', nodeName: 'a', requests: { cpu: '3', memory: '7Gi' } }],
    )
    const big = { requests: { 'example.com/b': '2', 'example.com/a': '1', memory: '2Gi', cpu: '2' } }
    const lacking = 'Too many pods, Insufficient cpu, Insufficient memory, Insufficient example.com/a, Insufficient example.com/b'
    expect(filterBy(nodeResourcesFit({}, '1.33', false), big, nodes)).to.deep.equal({ a: lacking })
    expect(filterBy(nodeResourcesFit({ ignoredResourceGroups: ['example.com'] }, '1.33', false), big, nodes)).to.deep.equal({
      a: 'Too many pods, Insufficient cpu, Insufficient memory',
    })
    const codeIn = (release: '1.33' | '1.34', requests: Record<string, string>) =>
      nodeResourcesFit({}, release, false)
        .preFilter?.(infoOf({ requests }), nodes)
        .filter?.check(nodes.nodes[0] as never)?.code
    expect([codeIn('1.33', { cpu: '9' }), codeIn('1.34', { cpu: '9' }), codeIn('1.34', { cpu: '3' })]).to.deep.equal([
      'Unschedulable',
      'UnschedulableAndUnresolvable',
      'Unschedulable',
    ])
  })

  it('NodeResourcesFit scores by each strategy, with assumed requests for pods without any', () => {
    const nodes = snapshotOf([nodeOf('a'), nodeOf('b', { allocatable: { cpu: '8', memory: '16Gi' } })])
    const half = { requests: { cpu: '2', memory: '4Gi' } }
    expect(scoreBy(nodeResourcesFit({}, '1.33', false), half, nodes)).to.deep.equal({ a: 50, b: 75 })
    expect(scoreBy(nodeResourcesFit({ scoringStrategy: { type: 'MostAllocated' } }, '1.33', false), half, nodes)).to.deep.equal({
      a: 50,
      b: 25,
    })
    const shape = [
      { utilization: 0, score: 0 },
      { utilization: 100, score: 10 },
    ]
    expect(
      scoreBy(
        nodeResourcesFit({ scoringStrategy: { type: 'RequestedToCapacityRatio', requestedToCapacityRatio: { shape } } }, '1.33', false),
        half,
        nodes,
      ),
    ).to.deep.equal({ a: 50, b: 25 })
    // 100m of 4 cores and 200 MiB of 8 GiB.
    expect(scoreBy(nodeResourcesFit({}, '1.33', false), {}, nodes)).to.include({ a: 97 })
  })

  it('NodeResourcesBalancedAllocation prefers equal fractions, and leaves pods without requests alone', () => {
    const nodes = snapshotOf([nodeOf('a'), nodeOf('b', { allocatable: { memory: '16Gi' } })])
    expect(scoreBy(balancedAllocation(), {}, nodes)).to.equal('Skip')
    expect(scoreBy(balancedAllocation(), { requests: { cpu: '2', memory: '4Gi' } }, nodes)).to.deep.equal({ a: 100, b: 87 })
  })

  it('ImageLocality counts an image the less the fewer nodes have it', () => {
    const image = (mebibytes: number) => [{ names: ['app:latest'], sizeBytes: mebibytes * 1024 * 1024 }]
    const nodes = snapshotOf([nodeOf('a', { images: image(1000) }), nodeOf('b')])
    // Half of 1000 MiB, between 23 and 1000.
    expect(scoreBy(imageLocality('1.36'), {}, nodes)).to.deep.equal({ a: 48, b: 0 })
  })

  // Source: TestImageLocalityPriority, "pod with ImageVolume".
  it('ImageLocality counts images of volumes since 1.36', () => {
    const image = (name: string, megabytes: number) => ({ names: [name], sizeBytes: megabytes * 1024 * 1024 })
    const nodes = snapshotOf([
      nodeOf('a', { images: [image('gcr.io/300:latest', 300)] }),
      nodeOf('b', { images: [image('gcr.io/30:latest', 30)] }),
    ])
    const pod: PodParts = {
      spec: {
        containers: [{ name: 'c', image: 'gcr.io/30', resources: {} }],
        volumes: [{ name: 'v', image: { reference: 'gcr.io/300' } }],
      },
    }
    expect(scoreBy(imageLocality('1.36'), pod, nodes)).to.deep.equal({ a: 12, b: 0 })
    expect(scoreBy(imageLocality('1.35'), pod, nodes)).to.deep.equal({ a: 0, b: 0 })
  })
})

describe('InterPodAffinity', () => {
  const zones = [nodeOf('a1', { labels: { zone: 'a' } }), nodeOf('a2', { labels: { zone: 'a' } }), nodeOf('b1', { labels: { zone: 'b' } })]
  const term = (app: string, topologyKey = 'zone') => ({ labelSelector: { matchLabels: { app } }, topologyKey })
  const near = (app: string): PodParts => ({
    spec: { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term(app)] } } },
  })
  const apart = (app: string): PodParts => ({
    spec: { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term(app)] } } },
  })
  const db = { name: 'db', labels: { app: 'db' }, nodeName: 'a1' }

  it('is helped by pods that its terms select, and by the end of pods whose terms select it', () => {
    const isHelped = (pod: PodParts, change: 'assigned pod added' | 'assigned pod deleted', other: PodParts) =>
      interPodAffinity().isHelpedByPod?.(infoOf(pod), change, infoOf(other))
    const web = { name: 'web', labels: { app: 'web' } }
    expect([isHelped(near('db'), 'assigned pod added', db), isHelped(near('db'), 'assigned pod added', web)]).to.deep.equal([true, false])
    expect(isHelped(near('db'), 'assigned pod deleted', db)).to.equal(false)
    expect([isHelped(apart('db'), 'assigned pod deleted', db), isHelped(apart('db'), 'assigned pod added', db)]).to.deep.equal([
      true,
      false,
    ])
    expect(isHelped(web, 'assigned pod deleted', apart('web'))).to.equal(true)
    expect(isHelped(near('db'), 'assigned pod added', { ...db, metadata: { namespace: 'other' } })).to.equal(false)
  })

  it('places a pod in the domain of others, or outside of it', () => {
    const snapshot = snapshotOf(zones, [db])
    expect(filterBy(interPodAffinity(), {}, snapshot)).to.deep.equal(skip)
    expect(filterBy(interPodAffinity(), near('db'), snapshot)).to.deep.equal({
      a1: '',
      a2: '',
      b1: "node(s) didn't match pod affinity rules",
    })
    const rule = "node(s) didn't match pod anti-affinity rules"
    expect(filterBy(interPodAffinity(), apart('db'), snapshot)).to.deep.equal({ a1: rule, a2: rule, b1: '' })
  })

  it('respects the anti-affinity of pods that run', () => {
    const snapshot = snapshotOf(zones, [{ ...db, spec: { ...apart('web').spec, nodeName: 'a1' } }])
    const rule = "node(s) didn't satisfy existing pods anti-affinity rules"
    expect(filterBy(interPodAffinity(), { labels: { app: 'web' } }, snapshot)).to.deep.equal({ a1: rule, a2: rule, b1: '' })
    expect(filterBy(interPodAffinity(), { labels: { app: 'other' } }, snapshot)).to.deep.equal(skip)
  })

  it('lets the first pod of a group that selects itself go anywhere', () => {
    expect(filterBy(interPodAffinity(), { ...near('web'), labels: { app: 'web' } }, snapshotOf(zones))).to.deep.equal({
      a1: '',
      a2: '',
      b1: '',
    })
    expect(filterBy(interPodAffinity(), near('web'), snapshotOf(zones))).to.include({ a1: "node(s) didn't match pod affinity rules" })
  })

  it('selects namespaces by their labels', () => {
    const namespace = { kind: 'Namespace', apiVersion: 'v1', metadata: { name: 'prod', labels: { env: 'prod' } } }
    const snapshot = snapshotOf(zones, [{ ...db, metadata: { namespace: 'prod' } }], [namespace])
    const selected = { ...term('db'), namespaceSelector: { matchLabels: { env: 'prod' } } }
    const pod = { spec: { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [selected] } } } }
    expect(filterBy(interPodAffinity(), pod, snapshot)).to.include({ a1: '', a2: '' })
    expect(filterBy(interPodAffinity(), near('db'), snapshot)).to.include({ a1: "node(s) didn't match pod affinity rules" })
  })

  it('counts a pod that is removed, or added, without a change of the snapshot', () => {
    const snapshot = snapshotOf(zones, [db])
    const [a1, , b1] = snapshot.nodes
    const filter = interPodAffinity().preFilter?.(infoOf(near('db')), snapshot).filter
    const removed = filter?.with?.(a1?.pods[0] as never, a1 as never, -1)
    expect(removed?.check(a1 as never)?.reasons).to.deep.equal(["node(s) didn't match pod affinity rules"])
    expect(removed?.with?.(infoOf({ labels: { app: 'db' } }), b1 as never, 1).check(b1 as never)).to.equal(undefined)
    expect(filter?.check(a1 as never)).to.equal(undefined)
  })

  it('sums the weights of preferred terms, also of pods that run', () => {
    const preferred = (app: string, weight: number) => ({
      affinity: { podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight, podAffinityTerm: term(app) }] } },
    })
    expect(scoreBy(interPodAffinity(), { spec: preferred('db', 5) }, snapshotOf(zones, [db]))).to.deep.equal({ a1: 100, a2: 100, b1: 0 })
    const reverse = snapshotOf(zones, [{ ...db, spec: { ...preferred('web', 5), nodeName: 'a1' } }])
    expect(scoreBy(interPodAffinity(), { labels: { app: 'web' } }, reverse)).to.deep.equal({ a1: 100, a2: 100, b1: 0 })
    expect(scoreBy(interPodAffinity({ ignorePreferredTermsOfExistingPods: true }), { labels: { app: 'web' } }, reverse)).to.equal('Skip')
  })
})

describe('PodTopologySpread', () => {
  const zones = [nodeOf('a1', { labels: { zone: 'a' } }), nodeOf('b1', { labels: { zone: 'b' } }), nodeOf('c1')]
  const spread = (whenUnsatisfiable: 'DoNotSchedule' | 'ScheduleAnyway', rest: object = {}): PodParts => ({
    labels: { app: 'web' },
    spec: {
      topologySpreadConstraints: [
        { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable, labelSelector: { matchLabels: { app: 'web' } }, ...rest },
      ],
    },
  })
  const web = (name: string, nodeName: string): PodParts => ({ name, labels: { app: 'web' }, nodeName })
  const skew = "node(s) didn't match pod topology spread constraints"

  it('is helped by pods of the namespace that a constraint selects', () => {
    const spread: PodParts = {
      spec: {
        topologySpreadConstraints: [
          { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule', labelSelector: { matchLabels: { app: 'a' } } },
        ],
      },
    }
    const isHelped = (other: PodParts) => podTopologySpread().isHelpedByPod?.(infoOf(spread), 'assigned pod added', infoOf(other))
    expect([
      isHelped({ labels: { app: 'a' } }),
      isHelped({ labels: { app: 'b' } }),
      isHelped({ labels: { app: 'a' }, metadata: { namespace: 'other' } }),
    ]).to.deep.equal([true, false, false])
    expect(podTopologySpread().isHelpedByPod?.(infoOf(), 'assigned pod added', infoOf())).to.equal(true)
  })

  it('rejects domains that would have too many pods, and nodes without the label', () => {
    const snapshot = snapshotOf(zones, [web('x', 'a1')])
    expect(filterBy(podTopologySpread(), spread('DoNotSchedule'), snapshot)).to.deep.equal({
      a1: skew,
      b1: '',
      c1: `${skew} (missing required label)`,
    })
    expect(filterBy(podTopologySpread(), spread('DoNotSchedule', { maxSkew: 2 }), snapshot)).to.include({ a1: '' })
    expect(
      filterBy(podTopologySpread(), spread('DoNotSchedule', { minDomains: 3 }), snapshotOf(zones, [web('x', 'a1'), web('y', 'b1')])),
    ).to.include({
      a1: skew,
      b1: skew,
    })
  })

  it('does not count pods that are being deleted, or that belong to another revision', () => {
    const deleted = { ...web('x', 'a1'), metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } }
    expect(filterBy(podTopologySpread(), spread('DoNotSchedule'), snapshotOf(zones, [deleted]))).to.include({ a1: '' })
    const old = { ...web('x', 'a1'), labels: { app: 'web', hash: '1' } }
    const pod = { ...spread('DoNotSchedule', { matchLabelKeys: ['hash'] }), labels: { app: 'web', hash: '2' } }
    expect(filterBy(podTopologySpread(), pod, snapshotOf(zones, [old]))).to.include({ a1: '' })
  })

  it('prefers domains with few pods', () => {
    const snapshot = snapshotOf(zones.slice(0, 2), [web('x', 'a1')])
    expect(scoreBy(podTopologySpread(), spread('ScheduleAnyway'), snapshot)).to.deep.equal({ a1: 0, b1: 100 })
  })

  it('spreads the pods of a service by default', () => {
    const service = {
      kind: 'Service',
      apiVersion: 'v1',
      metadata: { name: 'web', namespace: 'default' },
      spec: { selector: { app: 'web' } },
    }
    const snapshot = snapshotOf(zones, [web('x', 'a1')], [service])
    // Raw scores by host name: ln(5) + 2 = 4 rounded, and 2.
    expect(scoreBy(podTopologySpread(), { labels: { app: 'web' } }, snapshot)).to.deep.equal({ a1: 50, b1: 100, c1: 100 })
    expect(scoreBy(podTopologySpread(), { labels: { app: 'other' } }, snapshot)).to.equal('Skip')
    expect(scoreBy(podTopologySpread({ defaultingType: 'List' }), { labels: { app: 'web' } }, snapshot)).to.equal('Skip')
  })
})
