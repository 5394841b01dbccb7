import { isJsonObject, type Json, type JsonObject, objectIn } from '../api/meta/object.ts'
import { yamlBytes } from '../codec/yaml-writer.ts'
import { textDiff } from '../lib/unified-diff.ts'

/** Metadata that every write changes. */
const OF_WRITES: ReadonlySet<string> = new Set(['managedFields', 'resourceVersion', 'uid', 'creationTimestamp', 'selfLink'])

/** Annotation with the manifest of a client-side apply. It repeats the changes of the object. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'

/** Returns an object without metadata that every write changes. */
export function withoutWriteMetadata(object: JsonObject): JsonObject {
  const metadata = Object.fromEntries(Object.entries(objectIn(object.metadata)).filter(([name]) => !OF_WRITES.has(name)))
  const { annotations } = metadata
  if (isJsonObject(annotations) && Object.hasOwn(annotations, LAST_APPLIED)) {
    const { [LAST_APPLIED]: _, ...others } = annotations
    if (Object.keys(others).length > 0) metadata.annotations = others
    else delete metadata.annotations
  }
  return { ...object, metadata }
}

/** Returns the unified diff of two values as YAML, as `kubectl diff` prints it. Empty if they are equal. */
export function yamlDiff(before: Json | undefined, after: Json | undefined, names: readonly [string, string]): string {
  const yaml = (value: Json | undefined): string => (value === undefined ? '' : yamlBytes(value).toString())
  const hunks = textDiff(yaml(before), yaml(after))
  return hunks === '' ? '' : `--- ${names[0]}\n+++ ${names[1]}\n${hunks}`
}
