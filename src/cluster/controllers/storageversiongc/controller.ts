import type { StorageVersion } from '../../../api/apiserverinternal/v1alpha1.types.ts'
import { objectKey } from '../../../clients/api-client.ts'
import { untilAborted } from '../../../lib/on-abort.ts'
import { undefinedIfNotFound } from '../../../meta/status.ts'
import { type ClusterPart, queueOf, untilSynced } from '../../shared/environment.ts'
import { firstServed } from '../../shared/first-served.ts'
import { Informer } from '../../shared/informer.ts'
import { LEASES, STORAGE_VERSIONS } from '../../shared/kinds.ts'
import { isServerIdentity, staleServers, withoutServers } from './stale-servers.ts'

const NAMESPACE = 'kube-system'
const WORKERS = 1

/**
 * Removes API servers whose Lease is gone from StorageVersions, and StorageVersions without a server. A key is a
 * StorageVersion. Source: pkg/controller/storageversiongc of k8s.io/kubernetes.
 */
export const storageVersionGarbageCollector: ClusterPart = async (env, signal) => {
  const { client, clock, features, logger } = env
  if (!features.enabled('APIServerIdentity') || !features.enabled('StorageVersionAPI')) return
  const kind = await firstServed(env, [STORAGE_VERSIONS], signal)
  if (kind === undefined) return
  const informed = { clock: env.meters.pauses, logger }
  const versions = new Informer(client, kind, informed)
  const leases = new Informer(client, LEASES, { ...informed, namespace: NAMESPACE })
  const queue = queueOf(env, 'storage_version_garbage_collector_storageversions', signal, {
    workers: WORKERS,
    async work(key) {
      const version = await client.get(kind, '', key).catch(undefinedIfNotFound)
      if (version === undefined) return
      const isLive = async (name: string): Promise<boolean> =>
        isServerIdentity(await client.get(LEASES, NAMESPACE, name).catch(undefinedIfNotFound))
      const stale = await staleServers(version, isLive)
      if (stale.size === 0) return
      const next = withoutServers(version, stale, clock.now())
      if (next === undefined) await client.delete(kind, '', key).catch(undefinedIfNotFound)
      else await client.update(kind, next, 'status')
    },
  })
  const enqueue = (version: StorageVersion): void => queue.add(objectKey(version))
  const running = [versions.run(signal), leases.run(signal)]
  if (await untilSynced([versions, leases], signal)) {
    versions.on({ added: enqueue, updated: enqueue })
    leases.on({
      deleted: lease => {
        const { name = '' } = lease.metadata
        if (!isServerIdentity(lease)) return
        for (const version of versions.store.list())
          if (version.status.storageVersions?.some(each => each.apiServerID === name)) enqueue(version)
      },
    })
    await untilAborted(signal)
  }
  await Promise.all(running)
}
