import { type Json, type JsonObject, objectIn } from '../api/meta/object.ts'
import { yamlBytes } from '../codec/yaml-writer.ts'
import { textDiff } from '../lib/unified-diff.ts'

/** Metadata that every write changes. */
const OF_WRITES: ReadonlySet<string> = new Set(['managedFields', 'resourceVersion', 'uid', 'creationTimestamp', 'selfLink'])

/** Returns an object without metadata that every write changes. */
export function withoutWriteMetadata(object: JsonObject): JsonObject {
  const metadata = Object.fromEntries(Object.entries(objectIn(object.metadata)).filter(([name]) => !OF_WRITES.has(name)))
  return { ...object, metadata }
}

/** Returns the unified diff of two values as YAML, as `kubectl diff` prints it. Empty if they are equal. */
export function yamlDiff(before: Json | undefined, after: Json | undefined, names: readonly [string, string]): string {
  const yaml = (value: Json | undefined): string => (value === undefined ? '' : yamlBytes(value).toString())
  const hunks = textDiff(yaml(before), yaml(after))
  return hunks === '' ? '' : `--- ${names[0]}\n+++ ${names[1]}\n${hunks}`
}
