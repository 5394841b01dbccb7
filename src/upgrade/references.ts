import { isJsonObject, type Json, type JsonObject } from '../api/meta/object.ts'
import type { Release } from '../lifecycle/release.ts'
import { type KindName, type Standing, standingIn } from './versions/old-versions.ts'

/** A reference within an object to a version of a kind. */
export interface VersionReference extends KindName {
  /** Path such as `spec.scaleTargetRef`. */
  readonly path: string
  /** Keys and indices of the path. */
  readonly steps: readonly (string | number)[]
  /** Whether the version is in `group` and `version` instead of `apiVersion`. */
  readonly isTarget: boolean
  readonly standing: Standing
  /** Whether it is a whole nested object, not a reference. */
  readonly isObject: boolean
}

/**
 * Returns references within an object (`scaleTargetRef`, nested templates, owners) to versions that the release does
 * not serve. Managed fields and annotations are skipped.
 */
export function oldReferencesOf(object: JsonObject, release: Release): VersionReference[] {
  const found: VersionReference[] = []
  const visit = (value: Json, path: string, steps: readonly (string | number)[]): void => {
    if (Array.isArray(value)) for (const [i, item] of value.entries()) visit(item, `${path}[${i}]`, [...steps, i])
    if (!isJsonObject(value)) return
    const { kind } = value
    const isTarget = value.apiVersion === undefined
    const apiVersion = isTarget ? targetVersion(value, path) : value.apiVersion
    if (path !== '' && typeof apiVersion === 'string' && typeof kind === 'string') {
      const standing = standingIn(release, { apiVersion, kind })
      if (standing?.state === 'removed')
        found.push({
          path,
          steps,
          isTarget,
          apiVersion,
          kind,
          standing,
          isObject: isJsonObject(value.metadata) || isJsonObject(value.spec),
        })
    }
    for (const [name, member] of Object.entries(value))
      if (name !== 'managedFields' && name !== 'annotations') visit(member, path === '' ? name : `${path}.${name}`, [...steps, name])
  }
  visit(object, '', [])
  return found
}

/** Returns the apiVersion of a target in Kustomize's patches and replacements, which has group, version and kind. */
function targetVersion({ group, version }: JsonObject, path: string): string | undefined {
  if (
    typeof version !== 'string' ||
    !/^(?:patches|patchesJson6902|replacements)\[\d+\]\.(?:target|targets\[\d+\]\.select|source)$/.test(path)
  )
    return undefined
  return typeof group === 'string' && group !== '' ? `${group}/${version}` : version
}
