import type { ExploreOptions, ExploreTest, StartController } from '../../../src/explore/types.ts'
import { call, definition, Informer, type KubeObject, WorkQueue } from './informer.ts'

const CLUSTERS = '/apis/races.example.dev/v1/namespaces/default/zookeeperclusters'
const SETS = '/apis/apps/v1/namespaces/default/statefulsets'
const CLAIMS = '/api/v1/namespaces/default/persistentvolumeclaims'
const FINALIZER = 'races.example.dev/cleanup'

export const options: ExploreOptions = { controlPlane: { manifests: [definition('ZookeeperCluster', 'zookeeperclusters')] } }

/** Creates a stateful set for each cluster, and deletes the claims of a cluster that is deleted. */
const controller =
  (selector: (cluster: KubeObject) => string): StartController =>
  async client => {
    const clusters = new Informer(client, CLUSTERS, ({ metadata }) => queue.add(metadata.name))
    const queue = new WorkQueue(client.signal, async name => {
      const cluster = clusters.objects.get(name)
      if (cluster === undefined) return
      const { deletionTimestamp, finalizers = [], resourceVersion, uid } = cluster.metadata
      if (deletionTimestamp !== undefined) {
        if (!finalizers.includes(FINALIZER)) return
        const claims = await call(client, 'GET', `${CLAIMS}?labelSelector=${selector(cluster)}`)
        for (const claim of claims?.items ?? []) await call(client, 'DELETE', `${CLAIMS}/${claim.metadata.name}`, undefined, [404])
        await call(client, 'DELETE', `${SETS}/${name}`, { preconditions: { uid: cluster.status?.set } }, [404, 409])
        await call(client, 'PATCH', `${CLUSTERS}/${name}`, { metadata: { uid, resourceVersion, finalizers: [] } }, [404])
        return
      }
      if (!finalizers.includes(FINALIZER)) {
        await call(client, 'PATCH', `${CLUSTERS}/${name}`, { metadata: { uid, resourceVersion, finalizers: [FINALIZER] } })
        return
      }
      const set = (await call(client, 'GET', `${SETS}/${name}`, undefined, [404])) ?? (await call(client, 'POST', SETS, setOf(cluster)))
      if (cluster.status?.set !== set?.metadata.uid)
        await call(client, 'PATCH', `${CLUSTERS}/${name}/status`, { metadata: { uid }, status: { set: set?.metadata.uid } })
    })
    await clusters.start()
    queue.start()
  }

const setOf = ({ metadata: { name } }: KubeObject) => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { name },
  spec: {
    serviceName: name,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'zookeeper', image: 'zookeeper' }] } },
  },
})

/** Selects claims by the name of the cluster: those of a later cluster of the same name as well. */
export const broken = controller(({ metadata }) => `app=${metadata.name}`)
/** Selects claims by the uid of the cluster. */
export const mended = controller(({ metadata }) => `app=${metadata.name},uid=${metadata.uid}`)

/**
 * Creates a cluster, deletes it, and creates another one of the same name. Claims are created as the controller of
 * stateful sets does.
 */
export const testOf =
  (started: StartController): ExploreTest =>
  async ({ plane, start, settled }) => {
    await start(started)
    const create = async (): Promise<void> => {
      const [cluster] = await plane.apply({
        apiVersion: 'races.example.dev/v1',
        kind: 'ZookeeperCluster',
        metadata: { name: 'zk', namespace: 'default' },
      })
      await call(plane, 'POST', CLAIMS, {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name: 'data-zk-0', labels: { app: 'zk', uid: cluster.metadata.uid } },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      })
      await settled()
    }
    const removeProtection = () => call(plane, 'PATCH', `${CLAIMS}/data-zk-0`, { metadata: { finalizers: null } }, [404])
    await create()
    await call(plane, 'DELETE', `${CLUSTERS}/zk`)
    await settled()
    await removeProtection()
    await settled()
    await create()
  }
