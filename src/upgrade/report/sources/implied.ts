import { objectsIn } from '../../../meta/json-members.ts'
import { isJsonObject, type JsonObject } from '../../../meta/object.ts'

/** Kinds that make objects from a template that they hold. */
const MAKERS = new Set(['Deployment', 'ReplicaSet', 'StatefulSet', 'DaemonSet', 'Job', 'CronJob', 'ReplicationController'])
const MAKER_GROUPS = /^(?:apps|batch|extensions)\/|^v1$/

/** Whether an object is made from a template of another one, which says the same. */
export function isImplied({ metadata }: JsonObject): boolean {
  return objectsIn(isJsonObject(metadata) ? metadata.ownerReferences : undefined).some(
    ({ kind, apiVersion, controller }) => controller === true && MAKERS.has(String(kind)) && MAKER_GROUPS.test(String(apiVersion)),
  )
}
