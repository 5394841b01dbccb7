import { type JsonObject, objectIn } from '../../api/meta/object.ts'
import { objectsIn, parsedObject } from '../../meta/json-members.ts'
import type { WrittenAs } from './examine-object.ts'
import type { Usage } from './finding.ts'

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'

/** Returns the versions in which an object was written, according to kubectl's annotation and its field managers. */
export const writtenVersions = (metadata: JsonObject, kind: string): WrittenAs[] =>
  mergedVersions([...lastApplied(metadata), ...managedVersions(metadata, kind)])

/** Returns the version that kubectl last applied, from the annotation. */
function lastApplied({ annotations }: JsonObject): WrittenAs[] {
  const text = objectIn(annotations)[LAST_APPLIED]
  const value = typeof text === 'string' ? parsedObject(text) : undefined
  if (typeof value?.apiVersion !== 'string' || typeof value.kind !== 'string') return []
  return [
    {
      apiVersion: value.apiVersion,
      kind: value.kind,
      usages: [{ by: 'kubectl apply (last-applied-configuration)', apiVersion: value.apiVersion }],
    },
  ]
}

/** Returns the versions that field managers used, with the managers of each. */
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

/** Merges entries of the same version. */
function mergedVersions(versions: readonly WrittenAs[]): WrittenAs[] {
  const merged = new Map<string, WrittenAs>()
  for (const each of versions) {
    const key = `${each.apiVersion} ${each.kind}`
    merged.set(key, { ...each, usages: [...(merged.get(key)?.usages ?? []), ...each.usages] })
  }
  return [...merged.values()]
}
