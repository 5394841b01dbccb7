import { expect } from 'chai'
import { startControlPlane } from '../../../src/testing/start-control-plane.ts'
import type { ControlPlane, Manifest } from '../../../src/testing/types.ts'
import type { AnyObject } from '../../support/any-object.ts'

const CLAIMS = '/api/v1/namespaces/default/persistentvolumeclaims'
const VOLUMES = '/api/v1/persistentvolumes'

const claim = (name: string, spec: object = {}): Manifest => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name, namespace: 'default' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
})
const volume = (name: string, spec: object = {}): Manifest => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name },
  spec: {
    accessModes: ['ReadWriteOnce'],
    capacity: { storage: '5Gi' },
    persistentVolumeReclaimPolicy: 'Retain',
    hostPath: { path: '/tmp/v' },
    ...spec,
  },
})

describe('volumes of a cluster', () => {
  let original: ControlPlane
  let plane: ControlPlane
  before(async () => {
    original = await startControlPlane({ clock: 'stopped', flags: { profile: 'cluster', controllers: ['*', '-kubelet', '-scheduler'] } })
  })
  after(() => original.stop())
  beforeEach(async () => {
    plane = await original.fork()
  })
  afterEach(() => plane.stop())

  const get = async (path: string): Promise<AnyObject> => (await plane.request<AnyObject>('GET', path)).body
  const phase = async (path: string): Promise<string | undefined> => (await get(path)).status?.phase
  const until = (path: string, wanted: string): Promise<unknown> => plane.until(async () => (await phase(path)) === wanted)
  const eventsOf = async (name: string): Promise<string[]> => {
    const { items } = await get('/api/v1/events')
    return items
      .filter((event: AnyObject) => event.involvedObject.name === name)
      .map(({ reason, message }: AnyObject) => `${reason}: ${message}`)
  }

  describe('that exist', () => {
    it('are bound to claims, and released with them', async () => {
      await plane.apply(volume('v'), claim('c', { storageClassName: '' }))
      await until(`${CLAIMS}/c`, 'Bound')
      expect((await get(`${CLAIMS}/c`)).spec.volumeName).to.equal('v')
      expect((await get(`${VOLUMES}/v`)).spec.claimRef).to.include({ namespace: 'default', name: 'c' })
      expect(await phase(`${VOLUMES}/v`)).to.equal('Bound')
      await plane.request('DELETE', `${CLAIMS}/c`)
      await until(`${VOLUMES}/v`, 'Released')
      await plane.apply(claim('c', { storageClassName: '' }))
      await plane.until(async () =>
        (await eventsOf('c')).includes('FailedBinding: no persistent volumes available for this claim and no storage class is set'),
      )
      expect(await phase(`${CLAIMS}/c`)).to.equal('Pending')
    })

    it('are bound again if they lose the reference to their claim, or come back without one', async () => {
      await plane.apply(volume('v'), claim('c', { storageClassName: '' }))
      await until(`${CLAIMS}/c`, 'Bound')
      await plane.settled()
      const { uid } = (await get(`${CLAIMS}/c`)).metadata
      const isReferred = async (): Promise<boolean> => (await get(`${VOLUMES}/v`)).spec?.claimRef?.uid === uid
      await plane.request('PATCH', `${VOLUMES}/v`, { body: { spec: { claimRef: null } } })
      await plane.until(isReferred)
      await plane.request('DELETE', `${VOLUMES}/v`)
      await plane.request('PATCH', `${VOLUMES}/v`, { body: { metadata: { finalizers: null } } })
      await until(`${CLAIMS}/c`, 'Lost')
      await plane.settled()
      await plane.apply(volume('v'))
      await plane.until(isReferred)
      await until(`${CLAIMS}/c`, 'Bound')
    })

    it('are released if their claim is deleted before it names them', async () => {
      await plane.apply(claim('c', { storageClassName: '' }))
      const { uid } = (await get(`${CLAIMS}/c`)).metadata
      await plane.apply(
        volume('v', { volumeMode: 'Block', claimRef: { kind: 'PersistentVolumeClaim', namespace: 'default', name: 'c', uid } }),
      )
      await plane.until(async () => (await eventsOf('v')).some(event => event.startsWith('VolumeMismatch')))
      await plane.settled()
      await plane.request('DELETE', `${CLAIMS}/c`)
      await until(`${VOLUMES}/v`, 'Released')
    })

    it('are deleted or recycled by their policy, and fail without a plugin', async () => {
      const policies = { gone: 'Delete', again: 'Recycle' }
      for (const [name, persistentVolumeReclaimPolicy] of Object.entries(policies)) {
        await plane.apply(volume(name, { persistentVolumeReclaimPolicy }), claim(name, { storageClassName: '', volumeName: name }))
        await until(`${CLAIMS}/${name}`, 'Bound')
        await plane.request('DELETE', `${CLAIMS}/${name}`)
      }
      await plane.until(async () => (await plane.request('GET', `${VOLUMES}/gone`)).status === 404)
      await until(`${VOLUMES}/again`, 'Available')
      await plane.until(async () => (await eventsOf('again')).includes('VolumeRecycled: Volume recycled'))
      const nfs = { hostPath: null, nfs: { server: 's', path: '/' } }
      await plane.apply(
        volume('kept', { persistentVolumeReclaimPolicy: 'Delete', ...nfs }),
        claim('k', { storageClassName: '', volumeName: 'kept' }),
      )
      await until(`${CLAIMS}/k`, 'Bound')
      await plane.request('DELETE', `${CLAIMS}/k`)
      await until(`${VOLUMES}/kept`, 'Failed')
      expect((await get(`${VOLUMES}/kept`)).status.message).to.equal(
        'error getting deleter volume plugin for volume "kept": no deletable volume plugin matched',
      )
    })

    it('are bound to one claim each when many claims come at once', async () => {
      const names = Array.from({ length: 12 }, (_, i) => `n${i}`)
      await plane.apply(...names.flatMap(name => [volume(name), claim(name, { storageClassName: '' })]))
      for (const name of names) await until(`${CLAIMS}/${name}`, 'Bound')
      const { items } = await get(CLAIMS)
      expect(new Set(items.map(({ spec }: AnyObject) => spec.volumeName)).size).to.equal(names.length)
    })

    it('turn a claim into a lost one when they are deleted', async () => {
      await plane.apply(volume('v'), claim('c', { storageClassName: '' }))
      await until(`${CLAIMS}/c`, 'Bound')
      await plane.request('PATCH', `${VOLUMES}/v`, { body: { metadata: { finalizers: null } } })
      await plane.request('DELETE', `${VOLUMES}/v`)
      await plane.request('PATCH', `${VOLUMES}/v`, { body: { metadata: { finalizers: null } } })
      await until(`${CLAIMS}/c`, 'Lost')
      await plane.until(async () =>
        (await eventsOf('c')).some(event => event.startsWith('ClaimLost: Bound claim has lost its PersistentVolume.')),
      )
    })
  })

  it('are provisioned for claims without a class when a class becomes the default', async () => {
    await plane.apply(claim('c'))
    await plane.settled()
    await plane.apply({
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: 'late', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
      provisioner: 'example.com/x',
    })
    await plane.until(async () => (await eventsOf('c')).some(event => event.startsWith('ExternalProvisioning: ')))
    const { spec, metadata } = await get(`${CLAIMS}/c`)
    expect(spec.storageClassName).to.equal('late')
    expect(metadata.annotations?.['volume.kubernetes.io/storage-provisioner']).to.equal('example.com/x')
  })

  it('are provisioned by the simulated driver, expanded, and deleted with their claims', async () => {
    await plane.stop()
    plane = await startControlPlane({ flags: { profile: 'cluster', controllers: ['*', '-scheduler'] } })
    await plane.until(async () => (await plane.request('GET', '/apis/storage.k8s.io/v1/storageclasses/standard')).status === 200)
    await plane.apply(claim('c'))
    await until(`${CLAIMS}/c`, 'Bound')
    const path = `${VOLUMES}/${(await get(`${CLAIMS}/c`)).spec.volumeName}`
    const made = await get(path)
    expect(made.spec).to.deep.include({
      storageClassName: 'standard',
      persistentVolumeReclaimPolicy: 'Delete',
      capacity: { storage: '1Gi' },
    })
    expect(made.spec.csi.driver).to.equal('volumes.binnacle.dev')
    await plane.until(async () =>
      (await eventsOf('c')).includes(`ProvisioningSucceeded: Successfully provisioned volume ${made.metadata.name}`),
    )
    await plane.request('PATCH', `${CLAIMS}/c`, { body: { spec: { resources: { requests: { storage: '3Gi' } } } } })
    await plane.until(async () => (await get(`${CLAIMS}/c`)).status.capacity?.storage === '3Gi')
    await plane.until(async () =>
      (await eventsOf('c')).includes('ExternalExpanding: waiting for an external controller to expand this PVC'),
    )
    expect((await get(path)).spec.capacity).to.deep.equal({ storage: '3Gi' })
    expect((await get(`${CLAIMS}/c`)).status.conditions).to.equal(undefined)
    await plane.request('DELETE', `${CLAIMS}/c`)
    await plane.until(async () => (await plane.request('GET', path)).status === 404)
  })

  it('are left to the resizer of their driver when a claim asks for more', async () => {
    const storageClass = {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: 'x' },
      provisioner: 'example.com/x',
      allowVolumeExpansion: true,
    }
    await plane.apply(storageClass, volume('v', { storageClassName: 'x' }), claim('c', { storageClassName: 'x' }))
    await until(`${CLAIMS}/c`, 'Bound')
    await plane.request('PATCH', `${CLAIMS}/c`, { body: { spec: { resources: { requests: { storage: '9Gi' } } } } })
    await plane.until(async () =>
      (await eventsOf('c')).includes('ExternalExpanding: waiting for an external controller to expand this PVC'),
    )
    expect((await get(`${CLAIMS}/c`)).status.capacity).to.deep.equal({ storage: '5Gi' })
  })

  it('are attached to one node at a time, and detached when the node no longer mounts them', async () => {
    const annotations = { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' }
    const ATTACHMENTS = '/apis/storage.k8s.io/v1/volumeattachments'
    const user = (name: string, nodeName: string): Manifest => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'default' },
      spec: { nodeName, containers: [{ name: 'c', image: 'app:1' }], volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }] },
    })
    for (const name of ['n1', 'n2']) await plane.apply({ apiVersion: 'v1', kind: 'Node', metadata: { name, annotations } })
    await plane.apply(
      volume('v', { hostPath: null, csi: { driver: 'd', volumeHandle: 'h' } }),
      claim('c', { storageClassName: '' }),
      user('a', 'n1'),
    )
    await plane.until(async () => (await get(ATTACHMENTS)).items.length === 1)
    const [{ metadata, spec }] = (await get(ATTACHMENTS)).items
    expect(spec).to.deep.equal({ attacher: 'd', nodeName: 'n1', source: { persistentVolumeName: 'v' } })
    const report = (status: object): Promise<unknown> =>
      plane.request('PATCH', `${ATTACHMENTS}/${metadata.name}/status`, { body: { status } })
    await report({ attachError: { message: 'no room' } })
    await plane.until(async () => (await eventsOf('a')).includes('FailedAttachVolume: AttachVolume.Attach failed for volume "v" : no room'))
    await report({ attached: true, attachError: null })
    await plane.until(async () => (await eventsOf('a')).includes('SuccessfulAttachVolume: AttachVolume.Attach succeeded for volume "v" '))
    expect((await get('/api/v1/nodes/n1')).status.volumesAttached).to.deep.equal([{ name: 'kubernetes.io/csi/d^h', devicePath: '' }])
    const setInUse = (volumesInUse: string[]): Promise<unknown> =>
      plane.request('PATCH', '/api/v1/nodes/n1/status', { body: { status: { volumesInUse } } })
    await setInUse(['kubernetes.io/csi/d^h'])
    await plane.apply(user('b', 'n2'))
    const conflict = 'FailedAttachVolume: Multi-Attach error for volume "v" Volume is already used by pod(s) a'
    await plane.until(async () => (await eventsOf('b')).includes(conflict))
    await plane.apply(user('b2', 'n2'))
    await plane.request('PATCH', '/api/v1/namespaces/default/pods/b', { body: { metadata: { labels: { a: 'b' } } } })
    await plane.settled()
    const counts = (await get('/api/v1/events')).items
      .filter(({ message }: AnyObject) => conflict.endsWith(message))
      .map(({ count }: AnyObject) => count)
    expect(counts, 'one event for a node that waits').to.deep.equal([1])
    await plane.request('DELETE', '/api/v1/namespaces/default/pods/a', { body: { gracePeriodSeconds: 0 } })
    await plane.settled()
    expect((await get(ATTACHMENTS)).items.map(({ spec: each }: AnyObject) => each.nodeName)).to.deep.equal(['n1'])
    await setInUse([])
    await plane.until(async () => (await get(ATTACHMENTS)).items.every(({ spec: each }: AnyObject) => each.nodeName === 'n2'))
    expect((await get('/api/v1/nodes/n1')).status.volumesAttached).to.equal(undefined)
    await plane.until(async () => (await get(ATTACHMENTS)).items.length === 1)
  })

  it('report since when no pod uses them, from 1.37 on', async () => {
    await plane.stop()
    plane = await startControlPlane({
      flags: { profile: 'cluster', controllers: ['*', '-kubelet', '-scheduler'], 'emulated-version': '1.37' },
    })
    const reason = async (): Promise<unknown> =>
      (await get(`${CLAIMS}/c`)).status.conditions?.map((each: AnyObject) => `${each.type}=${each.status} ${each.reason}`)
    const isReported = (text: string): Promise<unknown> =>
      plane.until(async () => JSON.stringify(await reason()) === JSON.stringify([text]))
    await plane.apply(volume('v'), claim('c', { storageClassName: '' }))
    await isReported('Unused=True NoPodsUsingPVC')
    await plane.apply({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p', namespace: 'default' },
      spec: { containers: [{ name: 'c', image: 'app:1' }], volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }] },
    })
    await isReported('Unused=False PodUsingPVC')
    await plane.request('DELETE', '/api/v1/namespaces/default/pods/p')
    await isReported('Unused=True NoPodsUsingPVC')
  })

  describe('that pods use', () => {
    let cluster: ControlPlane
    before(async () => {
      cluster = await startControlPlane({ flags: { profile: 'cluster', nodes: '2' } })
      await cluster.until(async () => (await cluster.request('GET', '/apis/storage.k8s.io/v1/storageclasses/standard')).status === 200)
    })
    after(() => cluster.stop())
    beforeEach(async () => {
      await plane.stop()
      plane = await cluster.fork()
    })

    const pod = (name: string, ...claims: string[]): Manifest => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'default' },
      spec: {
        containers: [{ name: 'c', image: 'app:1' }],
        volumes: claims.map(claimName => ({ name: `v-${claimName}`, persistentVolumeClaim: { claimName } })),
      },
    })
    const PODS = '/api/v1/namespaces/default/pods'
    const storageClass = (name: string, provisioner: string): Manifest => ({
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name },
      provisioner,
      volumeBindingMode: 'WaitForFirstConsumer',
    })

    it('are provisioned before the pod is scheduled', async () => {
      await plane.apply(pod('p', 'c'), claim('c'))
      await until(`${PODS}/p`, 'Running')
      expect(await phase(`${CLAIMS}/c`)).to.equal('Bound')
    })

    it('are provisioned for a claim that was handed to the driver before its class exists', async () => {
      const provisioner = 'rancher.io/local-path'
      const annotations = {
        'volume.kubernetes.io/storage-provisioner': provisioner,
        'volume.beta.kubernetes.io/storage-provisioner': provisioner,
      }
      const { metadata, ...rest } = claim('c', { storageClassName: 'local' })
      await plane.apply({ ...rest, metadata: { ...metadata, annotations } })
      await plane.settled()
      expect(await phase(`${CLAIMS}/c`)).to.equal('Pending')
      await plane.apply({ apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: { name: 'local' }, provisioner })
      await until(`${CLAIMS}/c`, 'Bound')
    })

    it('are made for each pod of a stateful set, also of a class of another local cluster', async () => {
      const fast = {
        apiVersion: 'storage.k8s.io/v1',
        kind: 'StorageClass',
        metadata: { name: 'fast' },
        provisioner: 'k8s.io/minikube-hostpath',
      }
      const template = (name: string, spec: object) => ({ metadata: { name }, spec: { ...(claim('x').spec as object), ...spec } })
      await plane.apply(fast, {
        apiVersion: 'apps/v1',
        kind: 'StatefulSet',
        metadata: { name: 'db', namespace: 'default' },
        spec: {
          replicas: 2,
          serviceName: 'db',
          selector: { matchLabels: { app: 'db' } },
          template: { metadata: { labels: { app: 'db' } }, spec: { containers: [{ name: 'c', image: 'db:1' }] } },
          volumeClaimTemplates: [template('data', {}), template('log', { storageClassName: 'fast' })],
        },
      })
      await plane.until(async () => (await get('/apis/apps/v1/namespaces/default/statefulsets/db')).status.readyReplicas === 2)
      const { items } = await get(CLAIMS)
      expect(
        items.map(({ metadata, spec, status }: AnyObject) => `${metadata.name} ${spec.storageClassName} ${status.phase}`),
      ).to.deep.equal(['data-db-0 standard Bound', 'data-db-1 standard Bound', 'log-db-0 fast Bound', 'log-db-1 fast Bound'])
    })

    it('are made for an ephemeral volume, and deleted with the pod', async () => {
      const template = { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } }
      const spec = { containers: [{ name: 'c', image: 'app:1' }], volumes: [{ name: 'e', ephemeral: { volumeClaimTemplate: template } }] }
      await plane.apply({ ...pod('p'), spec })
      await until(`${PODS}/p`, 'Running')
      expect((await get(`${CLAIMS}/p-e`)).metadata.ownerReferences?.[0]).to.include({ kind: 'Pod', name: 'p', controller: true })
      await plane.request('DELETE', `${PODS}/p`)
      await plane.until(async () => (await plane.request('GET', `${CLAIMS}/p-e`)).status === 404)
    })

    it('are provisioned for the node of the pod if their class waits for it', async () => {
      await plane.apply(storageClass('late', 'volumes.binnacle.dev'), claim('c', { storageClassName: 'late' }))
      await plane.until(async () =>
        (await eventsOf('c')).includes('WaitForFirstConsumer: waiting for first consumer to be created before binding'),
      )
      await plane.apply(pod('p', 'c'))
      await until(`${PODS}/p`, 'Running')
      const { spec } = await get(`${PODS}/p`)
      const { metadata, status } = await get(`${CLAIMS}/c`)
      expect(status.phase).to.equal('Bound')
      expect(metadata.annotations?.['volume.kubernetes.io/selected-node']).to.equal(spec.nodeName)
    })

    it('are chosen by the scheduler on the node that reaches them', async () => {
      const local = (name: string, node: string): Manifest =>
        volume(name, {
          storageClassName: 'local',
          hostPath: null,
          local: { path: '/d' },
          nodeAffinity: {
            required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: [node] }] }] },
          },
        })
      await plane.apply(storageClass('local', 'kubernetes.io/no-provisioner'), pod('p', 'c'), pod('q', 'd'))
      await plane.until(async () => (await eventsOf('p')).some(event => event.includes('persistentvolumeclaim "c" not found')))
      await plane.apply(
        claim('c', { storageClassName: 'local' }),
        claim('d', { storageClassName: 'local' }),
        local('v', 'node-2'),
        local('w', 'node-2'),
      )
      await until(`${PODS}/p`, 'Running')
      await until(`${PODS}/q`, 'Running')
      expect((await get(`${PODS}/p`)).spec.nodeName).to.equal('node-2')
      const names = await Promise.all(['c', 'd'].map(async name => (await get(`${CLAIMS}/${name}`)).spec.volumeName))
      expect(names.toSorted()).to.deep.equal(['v', 'w'])
    })
  })
})
