import type { Json, JsonObject } from '../api/meta/object.ts'
import { objectIn } from '../api/meta/object.ts'
import { yamlBytes } from '../codec/yaml-writer.ts'
import { lineDiff, nearDifferences } from '../lib/line-diff.ts'

/** Lines around a difference. */
const CONTEXT = 3

/** Metadata that every write changes. */
const OF_WRITES: ReadonlySet<string> = new Set(['managedFields', 'resourceVersion', 'uid', 'creationTimestamp', 'selfLink'])

/** Returns an object without metadata that every write changes. */
export function withoutWriteMetadata(object: JsonObject): JsonObject {
  const metadata = Object.fromEntries(Object.entries(objectIn(object.metadata)).filter(([name]) => !OF_WRITES.has(name)))
  return { ...object, metadata }
}

/** Returns the unified diff of two values as YAML, as `kubectl diff` prints it. Empty if they are equal. */
export function yamlDiff(before: Json | undefined, after: Json | undefined, names: readonly [string, string]): string {
  const lines = (value: Json | undefined): string[] => (value === undefined ? [] : yamlBytes(value).toString().trimEnd().split('\n'))
  const all = lineDiff(lines(before), lines(after))
  if (all.every(({ sign }) => sign === ' ')) return ''
  const out = [`--- ${names[0]}`, `+++ ${names[1]}`]
  for (const line of nearDifferences(all, CONTEXT)) out.push('skipped' in line ? `@@ ${line.skipped} unchanged lines @@` : `${line.sign}${line.text}`)
  return `${out.join('\n')}\n`
}
