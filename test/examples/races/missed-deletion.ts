import type { ExploreOptions, ExploreTest, StartController } from '../../../src/explore/types.ts'
import { call, definition, Informer, type KubeObject, WorkQueue } from './informer.ts'

const CENTERS = '/apis/races.example.dev/v1/namespaces/default/cassandradatacenters'
const PODS = '/api/v1/namespaces/default/pods'
const CLAIMS = '/api/v1/namespaces/default/persistentvolumeclaims'

export const options: ExploreOptions = { controlPlane: { manifests: [definition('CassandraDataCenter', 'cassandradatacenters')] } }

const ordinal = ({ metadata }: KubeObject): number => Number(metadata.name.split('-').at(-1))

/** Deletes the claims of pods that a smaller data center no longer has. */
const controller =
  (isLeft: (pod: string, pods: ReadonlyMap<string, KubeObject>, center: KubeObject, claim: KubeObject) => boolean): StartController =>
  async client => {
    const changed = (): void => queue.add('dc')
    const centers = new Informer(client, CENTERS, changed)
    const pods = new Informer(client, PODS, changed)
    const queue = new WorkQueue(client.signal, async name => {
      const center = centers.objects.get(name)
      if (center === undefined) return
      const claims = await call(client, 'GET', CLAIMS)
      for (const claim of claims?.items ?? []) {
        const pod = claim.metadata.name.replace('data-', '')
        if (claim.metadata.deletionTimestamp === undefined && isLeft(pod, pods.objects, center, claim))
          await call(client, 'DELETE', `${CLAIMS}/${claim.metadata.name}`, undefined, [404])
      }
    })
    await Promise.all([centers.start(), pods.start()])
    queue.start()
  }

/**
 * Recognises the pods that are gone by their deletion timestamp, which it does not see if the pod has disappeared by
 * then.
 */
export const broken = controller((pod, pods) => pods.get(pod)?.metadata.deletionTimestamp !== undefined)
/** Compares the claims with the size of the data center. */
export const mended = controller((_pod, _pods, center, claim) => ordinal(claim) >= center.spec.nodes)

/**
 * Creates a data center of two nodes, and scales it down. Pods and claims are created and deleted as the controller of
 * stateful sets and the kubelet do.
 */
export const testOf =
  (started: StartController): ExploreTest =>
  async ({ plane, start, rest, settled }) => {
    await start(started)
    const center = (nodes: number) => ({
      apiVersion: 'races.example.dev/v1',
      kind: 'CassandraDataCenter',
      metadata: { name: 'dc', namespace: 'default' },
      spec: { nodes },
    })
    await plane.apply(center(2))
    for (const name of ['dc-0', 'dc-1']) {
      await call(plane, 'POST', CLAIMS, {
        metadata: { name: `data-${name}` },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      })
      await call(plane, 'POST', PODS, {
        metadata: { name },
        spec: { nodeName: 'node', containers: [{ name: 'cassandra', image: 'cassandra' }] },
      })
    }
    await settled()
    await plane.apply(center(1))
    await call(plane, 'DELETE', `${PODS}/dc-1`)
    await rest()
    await call(plane, 'DELETE', `${PODS}/dc-1?gracePeriodSeconds=0`)
    await settled()
  }
