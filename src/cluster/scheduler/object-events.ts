import type { PersistentVolume, Pod } from '../../api/core/v1.types.ts'
import type { TypedObject } from '../../api/meta/object.ts'
import type { ResourceClaim } from '../../api/resource/v1beta2.types.ts'
import { objectKey } from '../../clients/api-client.ts'
import { deepEqual } from '../../meta/equal.ts'
import { deviceClaimKeys } from '../shared/device-claims.ts'
import type { Informer } from '../shared/informer.ts'
import { podsByClaim } from '../shared/pod-claims.ts'
import { claimKeyOf } from '../shared/volumes.ts'
import type { ClusterEvent } from './cluster-events.ts'
import { podsHelpedBy, type TreeObject } from './groups/group-trees.ts'
import type { ClusterObjects } from './snapshot.ts'

const BY_DEVICE_CLAIM = 'device claim'

/**
 * Handles a change that may make pods schedulable. @param concerned pods that it concerns; undefined if it concerns all
 */
type EventHandler = (event: ClusterEvent, concerned: readonly Pod[] | undefined) => void

/** Pods by the objects that they need. */
export class PodReferences {
  readonly #pods: Informer<Pod>
  readonly #podsOfClaim: (claim: string) => readonly Pod[]
  readonly #groups: Pick<ClusterObjects, 'podsOfGroup' | 'trees'>

  constructor(pods: Informer<Pod>, groups: Pick<ClusterObjects, 'podsOfGroup' | 'trees'>) {
    this.#pods = pods
    this.#groups = groups
    this.#podsOfClaim = podsByClaim(pods)
    pods.addIndex(BY_DEVICE_CLAIM, deviceClaimKeys)
  }

  /** Reports the changes of a kind, with the pods that each concerns. */
  follow(informer: Informer<TypedObject>, event: ClusterEvent, handle: EventHandler): void {
    informer.on({
      added: object => handle(event, this.#concerned(event, object)),
      updated: (object, old) => handle(event, this.#concerned(event, object, old)),
      deleted: object => handle(event, this.#concerned(event, object, object)),
    })
  }

  #concerned(event: ClusterEvent, object: TypedObject, old?: TypedObject): readonly Pod[] | undefined {
    if (event === 'claim') return this.#podsOfClaim(objectKey(object))
    if (event === 'workload') return this.#groups.podsOfGroup(objectKey(object))
    if (event === 'pod group' || event === 'composite pod group') {
      const [group, before] = [object as unknown as TreeObject, old as unknown as TreeObject | undefined]
      const isComposite = event === 'composite pod group'
      // The spec of a group concerns its whole tree, the status only its own pods, which may have claims there.
      if (before === undefined || group === before || !deepEqual(group.spec, before.spec))
        return podsHelpedBy(group, isComposite, this.#groups)
      return isComposite ? [] : this.#groups.podsOfGroup(objectKey(object))
    }
    if (event === 'volume') {
      const claim = claimKeyOf(object as PersistentVolume)
      return claim === undefined ? undefined : this.#podsOfClaim(claim)
    }
    // Devices that become free concern all.
    if (event !== 'device claim' || isReleased(object as ResourceClaim, old as ResourceClaim | undefined)) return undefined
    return this.#pods.store.by(BY_DEVICE_CLAIM, objectKey(object))
  }
}

/** Reports whether a claim has lost its devices, or was deleted. */
const isReleased = (claim: ResourceClaim, old: ResourceClaim | undefined): boolean =>
  old?.status.allocation !== undefined && (claim === old || claim.status.allocation === undefined)
