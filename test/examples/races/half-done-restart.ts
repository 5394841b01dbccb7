import type { ExploreOptions, ExploreTest, StartController } from '../../../src/explore/types.ts'
import { call, definition, Informer, type KubeObject, WorkQueue } from './informer.ts'

const CLUSTERS = '/apis/races.example.dev/v1/namespaces/default/rabbitmqclusters'
const SETS = '/apis/apps/v1/namespaces/default/statefulsets'
const CLAIMS = '/api/v1/namespaces/default/persistentvolumeclaims'

export const options: ExploreOptions = {
  controlPlane: {
    manifests: [
      definition('RabbitmqCluster', 'rabbitmqclusters'),
      {
        apiVersion: 'storage.k8s.io/v1',
        kind: 'StorageClass',
        metadata: { name: 'standard' },
        provisioner: 'example.dev/disks',
        allowVolumeExpansion: true,
      },
    ],
  },
}

const template = (storage: string) => ({
  metadata: { name: 'data' },
  spec: { storageClassName: 'standard', accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } },
})

const storageOf = (claim: KubeObject | undefined): string | undefined => claim?.spec.resources.requests.storage

/**
 * Keeps a stateful set with the storage of each cluster. The templates of a set are immutable, so that more storage
 * needs another set.
 */
const controller =
  (needsExpansion: (cluster: KubeObject, set: KubeObject | undefined, claim: KubeObject | undefined) => boolean): StartController =>
  async client => {
    const clusters = new Informer(client, CLUSTERS, ({ metadata }) => queue.add(metadata.name))
    const queue = new WorkQueue(client.signal, async name => {
      const cluster = clusters.objects.get(name)
      if (cluster === undefined) return
      const { storage } = cluster.spec
      const set = await call(client, 'GET', `${SETS}/${name}`, undefined, [404])
      const claim = await call(client, 'GET', `${CLAIMS}/data-${name}-0`, undefined, [404])
      let isThere = set !== undefined
      if (needsExpansion(cluster, set, claim)) {
        if (isThere) await call(client, 'DELETE', `${SETS}/${name}`)
        isThere = false
        if (claim !== undefined) await call(client, 'PATCH', `${CLAIMS}/data-${name}-0`, { spec: { resources: { requests: { storage } } } })
      }
      if (!isThere) await call(client, 'POST', SETS, setOf(name, storage))
    })
    await clusters.start()
    queue.start()
  }

const setOf = (name: string, storage: string) => ({
  metadata: { name },
  spec: {
    serviceName: name,
    selector: { matchLabels: { app: name } },
    volumeClaimTemplates: [template(storage)],
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'rabbitmq', image: 'rabbitmq' }] } },
  },
})

/**
 * Compares the cluster with the set alone. After a restart between its deletion and the change of the claim, the set
 * has the new size and the claim the old one.
 */
export const broken = controller(
  (cluster, set) => set !== undefined && storageOf(set.spec.volumeClaimTemplates[0]) !== cluster.spec.storage,
)
/** Compares the cluster with the claim, too. */
export const mended = controller(
  (cluster, set, claim) =>
    (set !== undefined && storageOf(set.spec.volumeClaimTemplates[0]) !== cluster.spec.storage) ||
    (claim !== undefined && storageOf(claim) !== cluster.spec.storage),
)

/** Creates a cluster, and gives it more storage. The claim is created as the controller of stateful sets does. */
export const testOf =
  (started: StartController): ExploreTest =>
  async ({ plane, start, settled }) => {
    await start(started)
    const cluster = (storage: string) => ({
      apiVersion: 'races.example.dev/v1',
      kind: 'RabbitmqCluster',
      metadata: { name: 'mq', namespace: 'default' },
      spec: { storage },
    })
    await plane.apply(cluster('10Gi'))
    await settled()
    await call(plane, 'POST', CLAIMS, { ...template('10Gi'), metadata: { name: 'data-mq-0' } })
    await call(plane, 'PATCH', `${CLAIMS}/data-mq-0/status`, { status: { phase: 'Bound', capacity: { storage: '10Gi' } } })
    await settled()
    await plane.apply(cluster('15Gi'))
    await settled()
  }
