import { isJsonObject, type JsonObject } from '../../../api/meta/object.ts'
import { objectsIn } from '../../../meta/json-members.ts'

/** Kinds that create objects from a template. */
const MAKERS = new Set(['Deployment', 'ReplicaSet', 'StatefulSet', 'DaemonSet', 'Job', 'CronJob', 'ReplicationController'])
const MAKER_GROUPS = /^(?:apps|batch|extensions)\/|^v1$/

/** Reports whether an object was created from the template of another one, which is reported instead. */
export function isImplied({ metadata }: JsonObject): boolean {
  return objectsIn(isJsonObject(metadata) ? metadata.ownerReferences : undefined).some(
    ({ kind, apiVersion, controller }) => controller === true && MAKERS.has(String(kind)) && MAKER_GROUPS.test(String(apiVersion)),
  )
}
