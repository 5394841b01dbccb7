import type { TypedObject } from '../../api/meta/object.ts'
import type { HookContext } from '../../catalog/definition.ts'
import { isSince } from '../../lifecycle/release.ts'

const SUFFIX = '.static.k8s.io'

/**
 * Warns of names with the suffix that 1.36 reserves for manifests on disk, which this server does not read. Source: pkg/apis/admissionregistration/validation
 * in k8s.io/kubernetes.
 */
export const staticNameWarnings = ({ metadata: { name = '' } }: TypedObject, _: TypedObject | undefined, { features }: HookContext): string[] =>
  isSince(features.release, '1.36') && name.endsWith(SUFFIX)
    ? [`metadata.name: names ending with "${SUFFIX}" are reserved for static manifest-based configurations and cannot be managed via the API`]
    : []
