import { expect } from 'chai'
import type { KubeObject } from '../../../../src/api/meta/object.ts'
import type { Status } from '../../../../src/cluster/scheduler/framework.ts'
import { nodeVolumeLimits } from '../../../../src/cluster/scheduler/plugins/node-volume-limits.ts'
import { capacityScorer, volumeBinding } from '../../../../src/cluster/scheduler/plugins/volume-binding.ts'
import { volumeRestrictions } from '../../../../src/cluster/scheduler/plugins/volume-restrictions.ts'
import { volumeZone } from '../../../../src/cluster/scheduler/plugins/volume-zone.ts'
import { brokenLine } from '../../../../src/cluster/scheduler/resource-scores.ts'
import { filterBy, nodeOf, type PodParts, scoreBy, snapshotOf } from '../../../support/scheduling.ts'
import { claimOf, storageClassOf, volumeOf } from '../../../support/storage-objects.ts'

const COMPLETED = { 'pv.kubernetes.io/bind-completed': 'yes' }
const boundTo = (name: string, volumeName: string, spec: object = {}) =>
  claimOf(name, { annotations: COMPLETED, spec: { volumeName, ...spec } })
const withClaims = (...names: string[]): PodParts => ({
  spec: { volumes: names.map(claimName => ({ name: `v-${claimName}`, persistentVolumeClaim: { claimName } })) },
})
const inZone = (zone: string) => ({
  required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: [zone] }] }] },
})
const nodes = [nodeOf('a', { labels: { zone: 'a' } }), nodeOf('b', { labels: { zone: 'b' } })]

describe('VolumeRestrictions', () => {
  const plugin = volumeRestrictions('1.33')

  it('skips pods without disks and exclusive claims, and waits for claims', () => {
    expect(filterBy(plugin, {}, snapshotOf(nodes))).to.have.property('code', 'Skip')
    expect(filterBy(plugin, withClaims('c'), snapshotOf(nodes))).to.deep.equal({
      code: 'UnschedulableAndUnresolvable',
      reasons: ['persistentvolumeclaim "c" not found'],
    })
  })

  it('rejects a node on which a disk is in use, unless both only read', () => {
    const disk = (readOnly: boolean): PodParts => ({ spec: { volumes: [{ name: 'd', gcePersistentDisk: { pdName: 'x', readOnly } }] } })
    const used = (readOnly: boolean) => snapshotOf(nodes, [{ name: 'other', nodeName: 'a', ...disk(readOnly) }])
    expect(filterBy(plugin, disk(true), used(true))).to.deep.equal({ a: '', b: '' })
    expect(filterBy(plugin, disk(true), used(false))).to.deep.equal({ a: 'node(s) had no available disk', b: '' })
    const rbd = (image: string, ...monitors: string[]): PodParts => ({
      spec: { volumes: [{ name: 'd', rbd: { monitors, pool: 'p', image } as never }] },
    })
    const usedRbd = snapshotOf(nodes, [{ name: 'other', nodeName: 'b', ...rbd('i', 'm1', 'm2') }])
    expect(filterBy(plugin, rbd('i', 'm2'), usedRbd)).to.have.property('b', 'node(s) had no available disk')
    expect(filterBy(plugin, rbd('i', 'm3'), usedRbd)).to.have.property('b', '')
  })

  it('rejects all nodes while another pod has a claim for one pod', () => {
    const claim = claimOf('c', { spec: { accessModes: ['ReadWriteOncePod'] } })
    const used = snapshotOf(nodes, [{ name: 'other', nodeName: 'a', ...withClaims('c') }], [claim])
    const reason = 'node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode'
    expect(filterBy(plugin, withClaims('c'), used)).to.deep.equal({ a: reason, b: reason })
    expect(filterBy(plugin, withClaims('c'), snapshotOf(nodes, [], [claim]))).to.deep.equal({ a: '', b: '' })
    expect(filterBy(volumeRestrictions('1.34'), withClaims('c'), used))
      .to.have.property('a')
      .that.matches(/already in-use by another pod$/)
  })
})

describe('VolumeZone', () => {
  it('rejects nodes outside of the zones of a volume', () => {
    const volume = volumeOf('v', { metadata: { labels: { 'topology.kubernetes.io/zone': 'z1__z2' } } })
    const zone = (name: string, value: string) => nodeOf(name, { labels: { 'topology.kubernetes.io/zone': value } })
    const snapshot = snapshotOf([zone('a', 'z2'), zone('b', 'z3'), nodeOf('c')], [], [volume, boundTo('c', 'v')])
    expect(filterBy(volumeZone, withClaims('c'), snapshot)).to.deep.equal({ a: '', b: 'node(s) had no available volume zone', c: '' })
  })

  it('waits for claims that the binder has to bind', () => {
    const reason = (claim: KubeObject, ...others: KubeObject[]): unknown =>
      filterBy(volumeZone, withClaims('c'), snapshotOf(nodes, [], [claim, ...others]))
    expect(reason(claimOf('c'))).to.have.nested.property('reasons[0]', 'PersistentVolumeClaim had no pv name and storageClass name')
    const claim = claimOf('c', { spec: { storageClassName: 's' } })
    expect(reason(claim)).to.have.nested.property('reasons[0]', 'storageclass.storage.k8s.io "s" not found')
    expect(reason(claim, storageClassOf('s'))).to.have.nested.property('reasons[0]', 'PersistentVolume had no name')
    expect(reason(claim, storageClassOf('s', { volumeBindingMode: 'WaitForFirstConsumer' }))).to.have.property('code', 'Skip')
  })
})

describe('NodeVolumeLimits', () => {
  const csi = (name: string, driver = 'd') => volumeOf(name, { spec: { csi: { driver, volumeHandle: name } } })
  const csiNode = (count: number, annotations = {}): KubeObject =>
    ({
      kind: 'CSINode',
      apiVersion: 'storage.k8s.io/v1',
      metadata: { name: 'a', annotations },
      spec: { drivers: [{ name: 'd', allocatable: { count } }] },
    }) as KubeObject
  const objects = [csi('v1'), csi('v2'), csi('v3'), ...['v1', 'v2', 'v3'].map(name => boundTo(`c-${name}`, name))]
  const full = { a: 'node(s) exceed max volume count', b: '' }

  it('counts the volumes of a driver on a node, each once', () => {
    const used = [
      { name: 'x', nodeName: 'a', ...withClaims('c-v1', 'c-v2') },
      { name: 'y', nodeName: 'a', ...withClaims('c-v1') },
    ]
    const check = (claim: string, limit: number) =>
      filterBy(nodeVolumeLimits(), withClaims(claim), snapshotOf(nodes, used, [...objects, csiNode(limit)]))
    expect(check('c-v3', 2)).to.deep.equal(full)
    expect(check('c-v3', 3)).to.deep.equal({ a: '', b: '' })
    expect(check('c-v2', 2), 'a volume that is attached already').to.deep.equal({ a: '', b: '' })
  })

  it('counts attachments without a pod, and claims of a class by its provisioner', () => {
    const attachment = {
      kind: 'VolumeAttachment',
      apiVersion: 'storage.k8s.io/v1',
      metadata: { name: 't' },
      spec: { nodeName: 'a', source: { persistentVolumeName: 'v1' } },
    } as KubeObject
    const unbound = claimOf('u', { spec: { storageClassName: 's' } })
    const all = [...objects, csiNode(1), attachment, unbound, storageClassOf('s', { provisioner: 'd' })]
    expect(filterBy(nodeVolumeLimits(), withClaims('u'), snapshotOf(nodes, [], all))).to.deep.equal(full)
  })

  it('counts volumes of plugins that the driver has replaced on the node', () => {
    const disk: PodParts = { spec: { volumes: [{ name: 'd', awsElasticBlockStore: { volumeID: 'x' } }] } }
    const node = {
      kind: 'CSINode',
      apiVersion: 'storage.k8s.io/v1',
      metadata: { name: 'a' },
      spec: { drivers: [{ name: 'ebs.csi.aws.com', allocatable: { count: 0 } }] },
    }
    const annotations = { 'storage.alpha.kubernetes.io/migrated-plugins': 'kubernetes.io/aws-ebs' }
    const migrated = { ...node, metadata: { name: 'a', annotations } }
    expect(filterBy(nodeVolumeLimits(), disk, snapshotOf(nodes, [], [node as KubeObject]))).to.deep.equal({ a: '', b: '' })
    expect(filterBy(nodeVolumeLimits(), disk, snapshotOf(nodes, [], [migrated as KubeObject]))).to.deep.equal(full)
  })

  // Source: https://kubernetes.io/docs/concepts/storage/storage-limits/#preventing-pod-placement-without-csi-driver
  for (const [title, required, hasGate, expected] of [
    ['a driver that is required', true, true, 'd CSI driver is not installed on the node'],
    ['a driver that is not required', false, true, ''],
    ['a driver without an object', undefined, true, ''],
    ['a driver that is required, while the gate is off', true, false, ''],
  ] as const)
    it(`regards nodes without the driver of a volume: ${title}`, () => {
      const driver = {
        kind: 'CSIDriver',
        apiVersion: 'storage.k8s.io/v1',
        metadata: { name: 'd' },
        spec: { preventPodSchedulingIfMissing: required },
      } as KubeObject
      const all = [...objects, csiNode(5), ...(required === undefined ? [] : [driver])]
      expect(filterBy(nodeVolumeLimits(hasGate), withClaims('c-v1'), snapshotOf(nodes, [], all))).to.deep.equal({ a: '', b: expected })
    })

  it('skips pods without such volumes, and fails for a claim of another pod', () => {
    expect(filterBy(nodeVolumeLimits(), {}, snapshotOf(nodes))).to.have.property('code', 'Skip')
    const ephemeral: PodParts = { spec: { volumes: [{ name: 'e', ephemeral: {} }] } }
    expect(() => filterBy(nodeVolumeLimits(), ephemeral, snapshotOf(nodes, [], [claimOf('pod-e')]))).to.throw(
      'PVC default/pod-e was not created for pod default/pod (pod is not owner)',
    )
    expect(filterBy(nodeVolumeLimits(), withClaims('c'), snapshotOf(nodes))).to.have.property(
      'a',
      'looking up PVC default/c: persistentvolumeclaims "c" not found',
    )
  })
})

describe('VolumeBinding', () => {
  const plugin = volumeBinding({}, '1.33', () => false)
  const waits = storageClassOf('w', { volumeBindingMode: 'WaitForFirstConsumer', provisioner: 'p' })
  const unbound = (name: string, spec: object = {}, annotations?: Record<string, string>) =>
    claimOf(name, { ...(annotations && { annotations }), spec: { storageClassName: 'w', ...spec } })
  const check = (objects: readonly KubeObject[], pod = withClaims('c')) => filterBy(plugin, pod, snapshotOf(nodes, [], objects))

  it('waits for claims that do not exist, are lost or deleted, or are bound at once', () => {
    const reason = (...objects: KubeObject[]): unknown => (check(objects) as Status).reasons[0]
    expect(reason()).to.equal('persistentvolumeclaim "c" not found')
    expect(reason(claimOf('c', { spec: { volumeName: 'v' }, status: { phase: 'Lost' } }))).to.equal(
      'persistentvolumeclaim "c" bound to non-existent persistentvolume "v"',
    )
    expect(reason(claimOf('c', { metadata: { deletionTimestamp: 'x' } }))).to.equal('persistentvolumeclaim "c" is being deleted')
    expect(reason(claimOf('c', { spec: { storageClassName: 's' } }), storageClassOf('s'))).to.equal(
      'pod has unbound immediate PersistentVolumeClaims',
    )
    const ephemeral = check([], { spec: { volumes: [{ name: 'e', ephemeral: {} }] } })
    expect(ephemeral).to.have.nested.property(
      'reasons[0]',
      'waiting for ephemeral volume controller to create the persistentvolumeclaim "pod-e"',
    )
  })

  it('rejects nodes that do not reach bound volumes', () => {
    const objects = [boundTo('c', 'v'), volumeOf('v', { spec: { nodeAffinity: inZone('a') } })]
    expect(check(objects)).to.deep.equal({ a: '', b: "node(s) didn't match PersistentVolume's node affinity" })
    expect(
      filterBy(
        volumeBinding({}, '1.32', () => false),
        withClaims('c'),
        snapshotOf(nodes, [], objects),
      ),
    ).to.have.property('b', 'node(s) had volume node affinity conflict')
    expect(check([boundTo('c', 'v')])).to.have.property('a', 'node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)')
  })

  it('finds volumes for claims that wait, or a provisioner', () => {
    const local = volumeOf('v', { spec: { storageClassName: 'w', nodeAffinity: inZone('a') } })
    const none = { ...waits, provisioner: 'kubernetes.io/no-provisioner' }
    const notFound = "node(s) didn't find available persistent volumes to bind"
    expect(check([unbound('c'), local, none])).to.deep.equal({ a: '', b: notFound })
    expect(check([unbound('c'), unbound('d'), local, none], withClaims('c', 'd')), 'one volume for two claims').to.have.property(
      'a',
      notFound,
    )
    expect(check([unbound('c'), waits])).to.deep.equal({ a: '', b: '' })
    const topology = { ...waits, allowedTopologies: [{ matchLabelExpressions: [{ key: 'zone', values: ['b'] }] }] }
    expect(check([unbound('c'), topology])).to.deep.equal({ a: notFound, b: '' })
    expect(check([unbound('c', {}, { 'volume.kubernetes.io/selected-node': 'b' }), waits])).to.deep.equal({ a: notFound, b: '' })
  })

  it('asks for room where the driver reports its capacity, and prefers full nodes if the release does', () => {
    const driver = {
      kind: 'CSIDriver',
      apiVersion: 'storage.k8s.io/v1',
      metadata: { name: 'p' },
      spec: { storageCapacity: true },
    } as KubeObject
    const capacity = (zone: string, size: string): KubeObject =>
      ({
        kind: 'CSIStorageCapacity',
        apiVersion: 'storage.k8s.io/v1',
        metadata: { name: zone, namespace: 'default' },
        storageClassName: 'w',
        nodeTopology: { matchLabels: { zone } },
        capacity: size,
      }) as KubeObject
    const objects = [unbound('c'), waits, driver, capacity('a', '2Gi'), capacity('b', '1Mi')]
    expect(check(objects)).to.deep.equal({ a: '', b: 'node(s) did not have enough free storage' })
    expect(scoreBy(plugin, withClaims('c'), snapshotOf(nodes, [], objects))).to.equal('Skip')
    const scored = volumeBinding({}, '1.33', gate => gate === 'StorageCapacityScoring')
    const roomy = [unbound('c'), waits, driver, capacity('a', '2Gi'), capacity('b', '10Gi')]
    expect(scoreBy(scored, withClaims('c'), snapshotOf(nodes, [], roomy))).to.deep.equal({ a: 50, b: 10 })
  })

  it('scores classes by their mean', () => {
    const score = capacityScorer(
      brokenLine([
        { utilization: 0, score: 0 },
        { utilization: 100, score: 10 },
      ]),
    )
    expect(score([])).to.equal(0)
    expect(
      score([
        { requested: 30, capacity: 100 },
        { requested: 60, capacity: 100 },
      ]),
    ).to.equal(45)
    expect(score([{ requested: 1, capacity: 0 }])).to.equal(100)
  })
})
