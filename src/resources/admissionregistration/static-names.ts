import type { TypedObject } from '../../api/meta/object.ts'
import type { HookContext, Strategy } from '../../catalog/strategy.ts'
import { isSteps, type Steps } from '../../lib/steps.ts'
import { isSince } from '../../lifecycle/release.ts'
import { type FieldError, invalid } from '../../meta/field-error.ts'
import { fieldPath } from '../../meta/field-path.ts'

const SUFFIX = '.static.k8s.io'
const RESERVED = `names ending with "${SUFFIX}" are reserved for static manifest-based configurations and cannot be managed via the API`

/**
 * Warns of names with the suffix that 1.36 reserves for manifests on disk, while the gate that loads manifests is off.
 * Source: pkg/apis/admissionregistration/validation in k8s.io/kubernetes.
 */
export function staticNameWarnings(
  { metadata: { name = '' } }: TypedObject,
  _: TypedObject | undefined,
  { features }: HookContext,
): string[] {
  const { release } = features
  if (!isSince(release, '1.36') || !name.endsWith(SUFFIX) || features.enabled('ManifestBasedAdmissionControlConfig')) return []
  if (!isSince(release, '1.37')) return [`metadata.name: ${RESERVED}`]
  return [
    `metadata.name: names ending with "${SUFFIX}" will be reserved for static manifest-based configurations when the ManifestBasedAdmissionControlConfig feature gate is enabled`,
  ]
}

type Validate<T extends TypedObject> = NonNullable<Strategy<T>['validate']>

/** Adds to the validation of a kind that new objects do not have that suffix while the gate is on. */
export const withStaticNames =
  <T extends TypedObject>(validate: Validate<T>): Validate<T> =>
  (next, old, ctx) => {
    const reserved = old === undefined ? reservedName(next.metadata.name ?? '', ctx) : []
    return reserved.length === 0 ? validate(next, old, ctx) : joined(validate(next, old, ctx), reserved)
  }

const reservedName = (name: string, { features }: HookContext): FieldError[] =>
  name.endsWith(SUFFIX) && features.enabled('ManifestBasedAdmissionControlConfig')
    ? [invalid(fieldPath('metadata', 'name'), name, RESERVED)]
    : []

function* joined(own: ReturnType<Validate<TypedObject>>, more: readonly FieldError[]): Steps<FieldError[]> {
  return [...(isSteps(own) ? yield* own : own), ...more]
}
