import { isJsonObject, type Json, type JsonObject, objectIn } from '../../api/meta/object.ts'

/** A reference of an object to another one. */
export interface ObjectReference {
  readonly apiVersion: string
  readonly kind: string
  /** Empty for cluster-scoped kinds. */
  readonly namespace: string
  readonly name: string
  /** Path of the field with the name. */
  readonly field: string
  /** Optional. Key of the data of a ConfigMap or Secret. */
  readonly key?: string | undefined
  /** Optional. Port of a Service, by number or name. */
  readonly port?: number | string | undefined
}

/** Items of a list that are objects, with their paths. */
export function listItems(value: Json | undefined, path: string): { readonly item: JsonObject; readonly path: string }[] {
  if (!Array.isArray(value)) return []
  return value.flatMap((item, i) => (isJsonObject(item) ? [{ item, path: `${path}[${i}]` }] : []))
}

/** Returns the object at a path of names. Empty if there is none. */
export const objectAt = (object: JsonObject, ...names: readonly string[]): JsonObject =>
  names.reduce<JsonObject>((at, name) => objectIn(at[name]), object)

/** Returns a text that is not empty. Undefined for any other value. */
export const nonEmptyText = (value: Json | undefined): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

/** Paths of the pod template of each kind that has one. The template of a Pod is the object itself. */
const TEMPLATES: Readonly<Record<string, readonly string[]>> = {
  Pod: [],
  PodTemplate: ['template'],
  ReplicationController: ['spec', 'template'],
  Deployment: ['spec', 'template'],
  ReplicaSet: ['spec', 'template'],
  StatefulSet: ['spec', 'template'],
  DaemonSet: ['spec', 'template'],
  Job: ['spec', 'template'],
  CronJob: ['spec', 'jobTemplate', 'spec', 'template'],
}

/** Versions in which the kinds of TEMPLATES are. */
const GROUPS: ReadonlySet<string> = new Set(['v1', 'apps/v1', 'batch/v1'])

/** A pod template with its path. Empty for a Pod. */
export interface PodTemplate {
  /** Metadata and spec of the pods. */
  readonly template: JsonObject
  readonly path: string
}

/** Returns the pod template of a workload. Undefined for other kinds. */
export function podTemplateOf(object: JsonObject): PodTemplate | undefined {
  const { apiVersion, kind } = object
  const path =
    typeof kind === 'string' && typeof apiVersion === 'string' && GROUPS.has(apiVersion) && Object.hasOwn(TEMPLATES, kind)
      ? TEMPLATES[kind]
      : undefined
  return path && { template: objectAt(object, ...path), path: path.join('.') }
}
