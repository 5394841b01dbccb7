import type { HookContext } from '../../catalog/strategy.ts'
import { isSince, type Release } from '../../lifecycle/release.ts'
import type { FieldError } from '../../meta/field-error.ts'
import { forbidden } from '../../meta/field-error.ts'
import type { FieldPath } from '../../meta/field-path.ts'

interface MayBeAdmin {
  readonly adminAccess?: boolean | null
}

/**
 * Returns the namespace label that allows admin access to devices in use, or undefined if the release requires none.
 */
function labelIn(release: Release): string | undefined {
  if (isSince(release, '1.34')) return 'resource.kubernetes.io/admin-access'
  return isSince(release, '1.33') ? 'resource.k8s.io/admin-access' : undefined
}

/**
 * Checks the first request that wants admin access: its namespace must have the label. `list` is the path of the
 * requests. Source: pkg/registry/resource/utils.go in k8s.io/kubernetes.
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
  return [
    forbidden(
      list.index(first).child('adminAccess'),
      `admin access to devices requires the \`${label}: true\` label on the containing namespace`,
    ),
  ]
}
