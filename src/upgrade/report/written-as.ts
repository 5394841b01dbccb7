import { objectsIn, parsedObject } from '../../meta/json-members.ts'
import { type JsonObject, objectIn } from '../../meta/object.ts'
import type { WrittenAs } from './examine-object.ts'
import type { Usage } from './finding.ts'

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'

/** Versions in which an object was written, according to its metadata: by kubectl's annotation and by managers of fields. */
export const writtenVersions = (metadata: JsonObject, kind: string): WrittenAs[] =>
  mergedVersions([...lastApplied(metadata), ...managedVersions(metadata, kind)])

/** The version that kubectl applied last, as the annotation of an object keeps it. */
function lastApplied({ annotations }: JsonObject): WrittenAs[] {
  const text = objectIn(annotations)[LAST_APPLIED]
  const value = typeof text === 'string' ? parsedObject(text) : undefined
  if (typeof value?.apiVersion !== 'string' || typeof value.kind !== 'string') return []
  return [{ apiVersion: value.apiVersion, kind: value.kind, usages: [{ by: 'kubectl apply (last-applied-configuration)', apiVersion: value.apiVersion }] }]
}

/** The versions that managers of fields wrote, each once with those who did. */
function managedVersions({ managedFields }: JsonObject, kind: string): WrittenAs[] {
  const byVersion = new Map<string, Usage[]>()
  for (const { manager, operation, apiVersion, time } of objectsIn(managedFields)) {
    if (typeof apiVersion !== 'string') continue
    const usage = {
      by: `${String(manager ?? '')}${operation === 'Apply' ? ' (server-side apply)' : ''}`,
      apiVersion,
      ...(typeof time === 'string' && { time }),
    }
    byVersion.set(apiVersion, [...(byVersion.get(apiVersion) ?? []), usage])
  }
  return [...byVersion].map(([apiVersion, usages]) => ({ apiVersion, kind, usages }))
}

/** What was written in one version by several ways, once. */
function mergedVersions(versions: readonly WrittenAs[]): WrittenAs[] {
  const merged = new Map<string, WrittenAs>()
  for (const each of versions) {
    const key = `${each.apiVersion} ${each.kind}`
    merged.set(key, { ...each, usages: [...(merged.get(key)?.usages ?? []), ...each.usages] })
  }
  return [...merged.values()]
}
