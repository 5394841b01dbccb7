import type { HookContext } from '../../catalog/definition.ts'
import { isSince, type Release } from '../../lifecycle/release.ts'
import type { FieldError } from '../../meta/field-error.ts'
import { forbidden } from '../../meta/field-error.ts'
import type { FieldPath } from '../../meta/field-path.ts'

interface MayBeAdmin {
  readonly adminAccess?: boolean | null
}

/** The label of a namespace that lets claims in it have access to devices that others use; undefined where the release asks for none. */
function labelIn(release: Release): string | undefined {
  if (isSince(release, '1.34')) return 'resource.kubernetes.io/admin-access'
  return isSince(release, '1.33') ? 'resource.k8s.io/admin-access' : undefined
}

/**
 * What is wrong with the first of these that wants admin access: its namespace must have a label. `list`: where they stand.
 * Source: pkg/registry/resource/utils.go in k8s.io/kubernetes.
 */
export async function validateAdminAccess(
  wanted: readonly (MayBeAdmin | undefined)[],
  namespace: string,
  list: FieldPath,
  { features, access }: HookContext,
): Promise<FieldError[]> {
  const label = labelIn(features.release)
  const first = wanted.findIndex(one => one?.adminAccess === true)
  if (first < 0 || label === undefined) return []
  const { metadata } = await access().get({ group: '', resource: 'namespaces' }, '', namespace)
  if (metadata.labels?.[label] === 'true') return []
  return [forbidden(list.index(first).child('adminAccess'), `admin access to devices requires the \`${label}: true\` label on the containing namespace`)]
}
