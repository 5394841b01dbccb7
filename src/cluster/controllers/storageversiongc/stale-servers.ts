import type { ServerStorageVersion, StorageVersion, StorageVersionCondition } from '../../../api/apiserverinternal/v1alpha1.types.ts'
import type { Lease } from '../../../api/coordination/v1.types.ts'
import { formatTime } from '../../../meta/time.ts'

const [COMPONENT, API_SERVER] = ['apiserver.kubernetes.io/identity', 'kube-apiserver']
const ALL_EQUAL = 'AllEncodingVersionsEqual'

/** Reports whether a Lease is the identity of an API server. */
export const isServerIdentity = (lease: Lease | undefined): boolean => lease?.metadata.labels?.[COMPONENT] === API_SERVER

/** Returns the ids of the servers of a StorageVersion that do not live. */
export async function staleServers({ status }: StorageVersion, isLive: (id: string) => Promise<boolean>): Promise<ReadonlySet<string>> {
  const stale = new Set<string>()
  for (const { apiServerID = '' } of status.storageVersions ?? []) if (!(await isLive(apiServerID))) stale.add(apiServerID)
  return stale
}

/** Returns a StorageVersion without some of its servers. Undefined if none is left. */
export function withoutServers(version: StorageVersion, stale: ReadonlySet<string>, now: number): StorageVersion | undefined {
  const storageVersions = (version.status.storageVersions ?? []).filter(({ apiServerID = '' }) => !stale.has(apiServerID))
  if (storageVersions.length === 0) return undefined
  const { commonEncodingVersion: old, conditions = [], ...status } = version.status
  const common = commonVersion(storageVersions)
  const known = conditions.find(({ type }) => type === ALL_EQUAL)
  // The time changes with the common version, and not only with the status.
  const isSame = known !== undefined && old === common
  const condition = isSame ? known : equalityCondition(common !== undefined, version, now)
  return {
    ...version,
    status: {
      ...status,
      storageVersions,
      ...(common !== undefined && { commonEncodingVersion: common }),
      conditions: known ? conditions.map(each => (each === known ? condition : each)) : [...conditions, condition],
    },
  }
}

/** Returns the version in which all servers store the resource. Undefined if they differ. */
function commonVersion(servers: readonly ServerStorageVersion[]): string | undefined {
  const [first, ...others] = new Set(servers.map(({ encodingVersion }) => encodingVersion))
  return others.length === 0 ? first : undefined
}

const equalityCondition = (isEqual: boolean, { metadata: { generation } }: StorageVersion, now: number): StorageVersionCondition => ({
  type: ALL_EQUAL,
  status: isEqual ? 'True' : 'False',
  ...(generation !== undefined && { observedGeneration: generation }),
  lastTransitionTime: formatTime(now),
  reason: isEqual ? 'CommonEncodingVersionSet' : 'CommonEncodingVersionUnset',
  message: isEqual ? 'Common encoding version set' : 'Common encoding version unset',
})
