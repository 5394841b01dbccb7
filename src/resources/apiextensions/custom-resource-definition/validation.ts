import type { JsonSchemaProps } from '../../../api/apiextensions/json-schema-props.ts'
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionNames,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionVersion,
} from '../../../api/apiextensions/v1.types.ts'
import type { HookContext } from '../../../catalog/strategy.ts'
import type { Steps } from '../../../lib/steps.ts'
import { appendErrors, type FieldError, invalid, notSupported, required, words } from '../../../meta/field-error.ts'
import { type FieldPath, fieldPath } from '../../../meta/field-path.ts'
import { itemErrors } from '../../../meta/item-errors.ts'
import { validateKindName } from '../../../meta/kind-name.ts'
import { isDns1035Label, isDns1123Subdomain } from '../../../meta/names.ts'
import { validateImmutableField } from '../../../meta/object-meta-validation.ts'
import { someSchemaInSteps } from '../../../schema/json-schema/props.ts'
import { goStringList } from '../../shared/go-syntax.ts'
import { validateApproval } from './approval.ts'
import { validateConversion } from './conversion.ts'
import { goVersions } from './go-versions.ts'
import { validateColumns } from './printer-columns.ts'
import { type DefinitionRules, rulesFor, rulesOfVersion } from './ratchet.ts'
import { validateSchema } from './schema-validation.ts'
import { validateSelectableFields } from './selectable-fields.ts'
import { type SharedSpec, schemasOf, shareParts } from './spec.ts'
import { validateSubresources } from './subresources.ts'
import { validateVersion } from './version.ts'

/** Combines the faults of a name into one error, separated by commas. */
function labelErrors(name: string, path: FieldPath): FieldError[] {
  const texts = isDns1035Label(name)
  return texts.length === 0 ? [] : [invalid(path, name, texts.join(','))]
}

/** Checks that a definition has all names. Those in the status may be empty. */
const requiredNames = (names: CustomResourceDefinitionNames, path: FieldPath): FieldError[] =>
  (['plural', 'singular', 'kind', 'listKind'] as const).filter(name => !names[name]).map(name => required(path.child(name)))

/**
 * Validates names that are not empty; `requiredNames` reports the others. A kind is validated in lower case, so
 * upper-case letters are accepted; the error shows it as written. Short names and categories may repeat.
 */
function* validateKindNames(
  { plural, singular, kind, listKind, shortNames = [], categories = [] }: CustomResourceDefinitionNames,
  path: FieldPath,
): Steps<FieldError[]> {
  const errors: FieldError[] = []
  if (plural) errors.push(...labelErrors(plural, path.child('plural')))
  if (singular) errors.push(...labelErrors(singular, path.child('singular')))
  if (kind) errors.push(...validateKindName(kind, path.child('kind')))
  if (listKind) errors.push(...validateKindName(listKind, path.child('listKind')))
  appendErrors(errors, yield* itemErrors(shortNames, path.child('shortNames'), labelErrors))
  if (kind && kind === listKind) errors.push(invalid(path.child('listKind'), listKind, 'kind and listKind may not be the same'))
  return appendErrors(errors, yield* itemErrors(categories, path.child('categories'), labelErrors))
}

const SCOPES = ['Cluster', 'Namespaced']

/**
 * Validates a definition, in steps, as it may have many schemas and rules. Errors come in upstream's order. An update
 * may keep the faults that `rulesFor` finds in the old definition. Source: pkg/apis/apiextensions/validation in
 * k8s.io/apiextensions-apiserver.
 */
export function* validateDefinition(
  next: CustomResourceDefinition,
  old: CustomResourceDefinition | undefined,
  { features }: HookContext,
): Steps<FieldError[]> {
  const path = fieldPath('spec')
  const spec = shareParts(next.spec)
  const rules = yield* rulesFor(old, features)
  return [
    ...(old ? [] : definitionNameErrors(next)),
    ...(yield* specErrors(spec, path, rules)),
    ...(old ? immutableErrors(spec, old.spec, path, rules) : []),
    ...(yield* validateDefinitionStatus(next)),
    ...storedVersionErrors(next.status.storedVersions ?? [], spec.versions, fieldPath('status', 'storedVersions')),
    ...validateApproval(next, old),
    ...preserveErrors(next, old, path.child('preserveUnknownFields')),
  ]
}

/** Validates a write of the status, in which a controller records the accepted names. */
export const validateDefinitionStatus = ({ status }: CustomResourceDefinition): Steps<FieldError[]> =>
  validateKindNames(status.acceptedNames, fieldPath('status', 'acceptedNames'))

/**
 * Checks that the name is PLURAL.GROUP. Only creates are checked, since plural and group are immutable. A generateName
 * must have the same text.
 */
function definitionNameErrors({ metadata, spec }: CustomResourceDefinition): FieldError[] {
  const wanted = `${spec.names.plural}.${spec.group}`
  return (['generateName', 'name'] as const)
    .filter(member => metadata[member] && metadata[member] !== wanted)
    .map(member => invalid(fieldPath('metadata', member), metadata[member], 'must be spec.names.plural+"."+spec.group'))
}

function groupErrors(group: string, path: FieldPath): FieldError[] {
  if (!group) return [required(path)]
  const texts = isDns1123Subdomain(group)
  if (texts.length > 0) return [invalid(path, group, texts.join(','))]
  return group.includes('.') ? [] : [invalid(path, group, 'should be a domain with at least one dot')]
}

function scopeErrors(scope: string, path: FieldPath): FieldError[] {
  if (!scope) return [required(path)]
  return SCOPES.includes(scope) ? [] : [notSupported(path, scope, SCOPES)]
}

/** Validates the spec in upstream's form, with the paths of that form. */
function* specErrors(spec: SharedSpec, path: FieldPath, given: DefinitionRules): Steps<FieldError[]> {
  const { shared, versions, names, conversion } = spec
  const some = function* (holds: (schema: JsonSchemaProps) => boolean): Steps<boolean> {
    for (const schema of schemasOf(spec)) if (yield* someSchemaInSteps(schema, holds)) return true
    return false
  }
  const withDefaults = yield* some(inner => inner.default !== undefined)
  // Also required on update, even if the old schemas are not structural, once the definition prunes, has defaults or
  // uses an extension that requires it.
  const structural = !spec.preserveUnknownFields || withDefaults || (yield* some(hasExtensions))
  const rules = structural ? { ...given, requireStructural: true } : given
  const sharedSchema = shared.schema?.openAPIV3Schema
  const hasStatus = [shared, ...versions].some(({ subresources }) => subresources?.status !== undefined)
  return [
    ...groupErrors(spec.group, path.child('group')),
    ...scopeErrors(spec.scope, path.child('scope')),
    ...(sharedSchema ? [] : missingSchemaErrors(spec, path.child('versions'), rules)),
    ...(withDefaults && spec.preserveUnknownFields
      ? [invalid(path.child('preserveUnknownFields'), true, 'must be false in order to use defaults in the schema')]
      : []),
    ...(yield* versionsErrors(spec, path, rules)),
    ...requiredNames(names, path.child('names')),
    ...(yield* validateKindNames(names, path.child('names'))),
    ...(yield* validateSchema(
      sharedSchema,
      path.child('validation'),
      hasStatus,
      yield* rulesOfVersion(rules, versions[0]?.name, sharedSchema),
    )),
    ...validateSubresources(shared.subresources, path.child('subresources')),
    ...(yield* validateColumns(shared.additionalPrinterColumns, path.child('additionalPrinterColumns'))),
    ...validateSelectableFields(
      shared.selectableFields,
      sharedSchema,
      path,
      path.child('schema.openAPIV3Schema'),
      words('selectableFields may only be set when validations.schema is included', 'may only be set when validations.schema is included'),
    ),
    ...preservingConversionErrors(spec, path.child('conversion', 'strategy')),
    ...(yield* validateConversion(conversion, path.child('conversion'), rules)),
  ]
}

/** Members that require a structural schema. */
const EXTENSIONS = [
  'x-kubernetes-embedded-resource',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-int-or-string',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-list-type',
  'x-kubernetes-validations',
] as const

const hasExtensions = (schema: JsonSchemaProps): boolean => EXTENSIONS.some(name => schema[name] !== undefined)

/**
 * Checks that versions have a schema: all of them if `requireSchema` is set, otherwise the served versions of a
 * definition that prunes. Called if the versions share no schema.
 */
function missingSchemaErrors(
  { versions, preserveUnknownFields }: SharedSpec,
  path: FieldPath,
  { requireSchema }: DefinitionRules,
): FieldError[] {
  if (!requireSchema && preserveUnknownFields) return []
  const text = requireSchema ? words('schemas are required', '') : 'because otherwise all fields are pruned'
  return versions.flatMap(({ schema, served }, i) =>
    schema?.openAPIV3Schema || (!requireSchema && !served) ? [] : [required(path.index(i).child('schema', 'openAPIV3Schema'), text)],
  )
}

/** Validates each version, then their uniqueness and the number of storage versions. */
function* versionsErrors({ shared, versions, hasNoList }: SharedSpec, path: FieldPath, rules: DefinitionRules): Steps<FieldError[]> {
  const at = path.child('versions')
  // If any version has subresources of its own, none are shared, and a version without them has none.
  const ownSubresources = versions.some(({ subresources }) => subresources !== undefined)
  const errors: FieldError[] = []
  for (const [i, version] of versions.entries()) {
    const texts = isDns1035Label(version.name)
    const subresources = ownSubresources ? version.subresources : shared.subresources
    if (texts.length > 0) errors.push(invalid(at.index(i).child('name'), version.name, texts.join(',')))
    const schemaRules = yield* rulesOfVersion(rules, version.name, version.schema?.openAPIV3Schema)
    errors.push(...(yield* validateVersion(version, at.index(i), subresources?.status !== undefined, schemaRules)))
  }
  if (new Set(versions.map(({ name }) => name)).size < versions.length)
    errors.push(invalid(at, goVersions(versions), 'must contain unique version names'))
  if (versions.filter(({ storage }) => storage).length !== 1) {
    errors.push(invalid(at, goVersions(hasNoList ? undefined : versions), 'must have exactly one version marked as storage version'))
  }
  // Upstream validates the name of the first version as `spec.version`, too.
  const first = versions[0]?.name
  const texts = first ? isDns1035Label(first) : []
  return texts.length > 0 ? [...errors, invalid(path.child('version'), first, texts.join(','))] : errors
}

/** Checks that kinds that preserve unknown fields have no conversion webhook. */
function preservingConversionErrors({ conversion, preserveUnknownFields }: SharedSpec, path: FieldPath): FieldError[] {
  if (!preserveUnknownFields || !conversion || conversion.strategy === 'None') return []
  return [invalid(path, conversion.strategy, 'must be None if spec.preserveUnknownFields is true')]
}

/** Checks immutable fields: group and plural always, scope and kind once the definition is established. */
function immutableErrors(
  next: SharedSpec,
  old: CustomResourceDefinitionSpec,
  path: FieldPath,
  { immutableNames }: DefinitionRules,
): FieldError[] {
  const errors: FieldError[] = []
  if (immutableNames) {
    errors.push(...validateImmutableField(next.scope, old.scope, path.child('scope')))
    errors.push(...validateImmutableField(next.names.kind, old.names.kind, path.child('names', 'kind')))
  }
  errors.push(...validateImmutableField(next.group, old.group, path.child('group')))
  return [...errors, ...validateImmutableField(next.names.plural, old.names.plural, path.child('names', 'plural'))]
}

/**
 * Checks status.storedVersions. It contains the storage version, and every stored version is still in the spec; a
 * missing one is reported once.
 */
function storedVersionErrors(
  stored: readonly string[],
  versions: readonly CustomResourceDefinitionVersion[],
  path: FieldPath,
): FieldError[] {
  if (stored.length === 0) return [invalid(path, goStringList(undefined), 'must have at least one stored version')]
  const lastPlace = new Map(stored.map((name, i) => [name, i]))
  const names = new Set(versions.map(({ name }) => name))
  // A duplicate in the list is found once.
  const left = new Set(stored)
  const errors = versions.flatMap(({ name, storage }) =>
    left.delete(name) || !storage ? [] : [invalid(path, goStringList(stored), `must have the storage version ${name}`)],
  )
  const gone = stored.flatMap((name, i) => (names.has(name) || lastPlace.get(name) !== i ? [] : [{ name, i }]))
  return [...errors, ...gone.map(({ name, i }) => invalid(path.index(i), name, goneText(name)))]
}

const goneText = (name: string): string =>
  `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`

/** Checks preserveUnknownFields, which an update may keep but no write may set. */
function preserveErrors(next: CustomResourceDefinition, old: CustomResourceDefinition | undefined, path: FieldPath): FieldError[] {
  if (old?.spec.preserveUnknownFields || !next.spec.preserveUnknownFields) return []
  return [invalid(path, true, 'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead')]
}
