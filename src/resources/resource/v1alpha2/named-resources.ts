import type { NamedResourcesAttribute, NamedResourcesInstance, NamedResourcesResources } from '../../../api/resource/v1alpha2.types.ts'
import { duplicate, type FieldError, invalid, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { validateClassName } from '../names.ts'

const VALUES = ['bool', 'int', 'intSlice', 'quantity', 'string', 'stringSlice', 'version'] as const

const NUMBER = '(0|[1-9][0-9]*)'
const PRERELEASE = '(0|[1-9][0-9]*|[0-9]*[a-zA-Z-][0-9a-zA-Z-]*)'
const BUILD = '[0-9a-zA-Z-]+'
const SEMVER = new RegExp(`^${NUMBER}\\.${NUMBER}\\.${NUMBER}(-${PRERELEASE}(\\.${PRERELEASE})*)?(\\+${BUILD}(\\.${BUILD})*)?$`)

/** Validates an attribute, which has exactly one value. */
function validateValue(attribute: NamedResourcesAttribute, path: FieldPath): FieldError[] {
  const { version } = attribute
  const errors =
    version === undefined || SEMVER.test(version)
      ? []
      : [invalid(path.child('version'), version, 'must be a string compatible with semver.org spec 2.0.0')]
  const given = VALUES.filter(member => attribute[member] !== undefined)
  if (given.length === 0) errors.push(required(path, 'exactly one value must be set'))
  if (given.length > 1) errors.push(invalid(path, given, 'exactly one field must be set, not several'))
  return errors
}

/** Validates items, which must have unique names. */
function validateNamed<T extends { name: string }>(
  items: readonly T[],
  path: FieldPath,
  check: (item: T, at: FieldPath) => FieldError[],
): FieldError[] {
  const seen = new Set<string>()
  return items.flatMap((item, i) => {
    const at = path.index(i)
    const again = seen.has(item.name) ? [duplicate(at.child('name'), item.name)] : []
    seen.add(item.name)
    return [...validateClassName(item.name, at.child('name')), ...again, ...check(item, at)]
  })
}

const validateInstance = ({ attributes = [] }: NamedResourcesInstance, path: FieldPath): FieldError[] =>
  validateNamed(attributes, path.child('attributes'), validateValue)

/**
 * Validates the resources of a node: instances with attributes. Source:
 * pkg/apis/resource/structured/namedresources/validation in k8s.io/kubernetes, 1.30.
 */
export const validateNamedResources = ({ instances }: NamedResourcesResources, path: FieldPath): FieldError[] =>
  validateNamed(instances ?? [], path.child('instances'), validateInstance)
