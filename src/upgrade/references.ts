import type { Release } from '../lifecycle/release.ts'
import { isJsonObject, type Json, type JsonObject } from '../meta/object.ts'
import { type KindName, type Standing, standingIn } from './versions/old-versions.ts'

/** A place within an object that names a version of a kind. */
export interface Reference extends KindName {
  /** `spec.scaleTargetRef` */
  readonly path: string
  /** Members and indices that lead to it. */
  readonly steps: readonly (string | number)[]
  /** Members that name the version: `apiVersion`, or `group` and `version`. */
  readonly isTarget: boolean
  readonly standing: Standing
  /** A whole object stands there, not a reference to one. */
  readonly isObject: boolean
}

/**
 * Names of kinds within an object (`scaleTargetRef`, templates of other objects, owners) in versions that the release does not serve. Managed fields and annotations are no part of it.
 */
export function oldReferencesOf(object: JsonObject, release: Release): Reference[] {
  const found: Reference[] = []
  const visit = (value: Json, path: string, steps: readonly (string | number)[]): void => {
    if (Array.isArray(value)) for (const [i, item] of value.entries()) visit(item, `${path}[${i}]`, [...steps, i])
    if (!isJsonObject(value)) return
    const { kind } = value
    const isTarget = value.apiVersion === undefined
    const apiVersion = isTarget ? targetVersion(value, path) : value.apiVersion
    if (path !== '' && typeof apiVersion === 'string' && typeof kind === 'string') {
      const standing = standingIn(release, { apiVersion, kind })
      if (standing?.state === 'removed')
        found.push({ path, steps, isTarget, apiVersion, kind, standing, isObject: isJsonObject(value.metadata) || isJsonObject(value.spec) })
    }
    for (const [name, member] of Object.entries(value))
      if (name !== 'managedFields' && name !== 'annotations') visit(member, path === '' ? name : `${path}.${name}`, [...steps, name])
  }
  visit(object, '', [])
  return found
}

/** Kustomize's patches and replacements name what they change by group, version and kind. */
function targetVersion({ group, version }: JsonObject, path: string): string | undefined {
  if (typeof version !== 'string' || !/^(?:patches|patchesJson6902|replacements)\[\d+\]\.(?:target|targets\[\d+\]\.select|source)$/.test(path)) return undefined
  return typeof group === 'string' && group !== '' ? `${group}/${version}` : version
}
