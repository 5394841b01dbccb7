import type { HookContext } from '../../../catalog/definition.ts'
import type { Steps } from '../../../lib/steps.ts'
import { minorOf } from '../../../lifecycle/release.ts'
import { type FieldError, invalid, notSupported, required, words } from '../../../meta/field-error.ts'
import { type FieldPath, fieldPath } from '../../../meta/field-path.ts'
import { validateKindName } from '../../../meta/kind-name.ts'
import { isDns1035Label, isDns1123Subdomain } from '../../../meta/names.ts'
import { validateImmutableField } from '../../../meta/object-meta-validation.ts'
import { type JsonSchemaProps, someSchemaInSteps } from '../../../schema/json-schema/props.ts'
import { goStringList } from '../../shared/go-syntax.ts'
import type { CustomResourceDefinition, CustomResourceDefinitionNames, CustomResourceDefinitionSpec, CustomResourceDefinitionVersion } from '../v1.types.ts'
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

/** All faults of one name are one error, joined by commas. */
function labelErrors(name: string, path: FieldPath): FieldError[] {
  const texts = isDns1035Label(name)
  return texts.length === 0 ? [] : [invalid(path, name, texts.join(','))]
}

/** A kind is checked in lower case, so that its capitals pass; the error shows it as it was written. */
/** The names that a definition must have; those of a status may be empty. */
const requiredNames = (names: CustomResourceDefinitionNames, path: FieldPath): FieldError[] =>
  (['plural', 'singular', 'kind', 'listKind'] as const).filter(name => !names[name]).map(name => required(path.child(name)))

/** Checks the names that are not empty; `requiredNames` reports those that are. Short names and categories may repeat. */
function validateNames({ plural, singular, kind, listKind, shortNames = [], categories = [] }: CustomResourceDefinitionNames, path: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  if (plural) errors.push(...labelErrors(plural, path.child('plural')))
  if (singular) errors.push(...labelErrors(singular, path.child('singular')))
  if (kind) errors.push(...validateKindName(kind, path.child('kind')))
  if (listKind) errors.push(...validateKindName(listKind, path.child('listKind')))
  errors.push(...shortNames.flatMap((name, i) => labelErrors(name, path.child('shortNames').index(i))))
  if (kind && kind === listKind) errors.push(invalid(path.child('listKind'), listKind, 'kind and listKind may not be the same'))
  return [...errors, ...categories.flatMap((name, i) => labelErrors(name, path.child('categories').index(i)))]
}

const SCOPES = ['Cluster', 'Namespaced']

/**
 * Errors come in the order in which upstream finds them. An update may keep faults for which `rulesFor` finds the old definition at fault already.
 * In steps: a definition may hold very many schemas and rules.
 * Source: pkg/apis/apiextensions/validation in k8s.io/apiextensions-apiserver.
 */
export function* validateDefinition(next: CustomResourceDefinition, old: CustomResourceDefinition | undefined, { features }: HookContext): Steps<FieldError[]> {
  const path = fieldPath('spec')
  const spec = shareParts(next.spec)
  const rules = yield* rulesFor(old, minorOf(features.compatibility))
  return [
    ...(old ? [] : nameErrors(next)),
    ...(yield* specErrors(spec, path, rules)),
    ...(old ? immutableErrors(spec, old.spec, path, rules) : []),
    ...validateDefinitionStatus(next),
    ...storedVersionErrors(next.status.storedVersions ?? [], spec.versions, fieldPath('status', 'storedVersions')),
    ...validateApproval(next, old),
    ...preserveErrors(next, old, path.child('preserveUnknownFields')),
  ]
}

/** Of a write of the status: a controller records the names that it has accepted. */
export const validateDefinitionStatus = ({ status }: CustomResourceDefinition): FieldError[] =>
  validateNames(status.acceptedNames, fieldPath('status', 'acceptedNames'))

/** A definition is named for its resource. Only creations are checked, as plural and group never change; a generateName is held to the same text. */
function nameErrors({ metadata, spec }: CustomResourceDefinition): FieldError[] {
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

/** Paths are those of the spec that upstream checks, at which stands what all versions have alike. */
function* specErrors(spec: SharedSpec, path: FieldPath, given: DefinitionRules): Steps<FieldError[]> {
  const { shared, versions, names, conversion } = spec
  const some = function* (holds: (schema: JsonSchemaProps) => boolean): Steps<boolean> {
    for (const schema of schemasOf(spec)) if (yield* someSchemaInSteps(schema, holds)) return true
    return false
  }
  const withDefaults = yield* some(inner => inner.default !== undefined)
  // Also required of an update whose old schemas are not structural, once it prunes, has defaults or uses an extension that needs the structural form.
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
    ...validateNames(names, path.child('names')),
    ...(yield* validateSchema(sharedSchema, path.child('validation'), hasStatus, rulesOfVersion(rules, versions[0]?.name, sharedSchema))),
    ...validateSubresources(shared.subresources, path.child('subresources')),
    ...validateColumns(shared.additionalPrinterColumns, path.child('additionalPrinterColumns')),
    ...validateSelectableFields(
      shared.selectableFields,
      sharedSchema,
      path,
      path.child('schema.openAPIV3Schema'),
      words('selectableFields may only be set when validations.schema is included', 'may only be set when validations.schema is included'),
    ),
    ...preservingConversionErrors(spec, path.child('conversion', 'strategy')),
    ...validateConversion(conversion, path.child('conversion'), rules),
  ]
}

/** Members that only a structural schema may have. */
const EXTENSIONS = [
  'x-kubernetes-embedded-resource',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-int-or-string',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-list-type',
  'x-kubernetes-validations',
] as const

const hasExtensions = (schema: JsonSchemaProps): boolean => EXTENSIONS.some(name => schema[name] !== undefined)

/** Every version needs a schema if rules say so; otherwise only the served versions of a definition that prunes. Called where the versions share no schema. */
function missingSchemaErrors({ versions, preserveUnknownFields }: SharedSpec, path: FieldPath, { requireSchema }: DefinitionRules): FieldError[] {
  if (!requireSchema && preserveUnknownFields) return []
  const text = requireSchema ? words('schemas are required', '') : 'because otherwise all fields are pruned'
  return versions.flatMap(({ schema, served }, i) =>
    schema?.openAPIV3Schema || (!requireSchema && !served) ? [] : [required(path.index(i).child('schema', 'openAPIV3Schema'), text)],
  )
}

/** The errors of each version, then of all: their names are distinct, and one of them is the storage version. */
function* versionsErrors({ shared, versions, hasNoList }: SharedSpec, path: FieldPath, rules: DefinitionRules): Steps<FieldError[]> {
  const at = path.child('versions')
  // Once one version has subresources of its own, none are shared, and a version without them has none.
  const ownSubresources = versions.some(({ subresources }) => subresources !== undefined)
  const errors: FieldError[] = []
  for (const [i, version] of versions.entries()) {
    const texts = isDns1035Label(version.name)
    const subresources = ownSubresources ? version.subresources : shared.subresources
    if (texts.length > 0) errors.push(invalid(at.index(i).child('name'), version.name, texts.join(',')))
    const schemaRules = rulesOfVersion(rules, version.name, version.schema?.openAPIV3Schema)
    errors.push(...(yield* validateVersion(version, at.index(i), subresources?.status !== undefined, schemaRules)))
  }
  if (new Set(versions.map(({ name }) => name)).size < versions.length) errors.push(invalid(at, goVersions(versions), 'must contain unique version names'))
  if (versions.filter(({ storage }) => storage).length !== 1) {
    errors.push(invalid(at, goVersions(hasNoList ? undefined : versions), 'must have exactly one version marked as storage version'))
  }
  // Upstream has the first version's name at the spec, too.
  const first = versions[0]?.name
  const texts = first ? isDns1035Label(first) : []
  return texts.length > 0 ? [...errors, invalid(path.child('version'), first, texts.join(','))] : errors
}

/** Objects that keep unknown fields are not converted by a webhook. */
function preservingConversionErrors({ conversion, preserveUnknownFields }: SharedSpec, path: FieldPath): FieldError[] {
  if (!preserveUnknownFields || !conversion || conversion.strategy === 'None') return []
  return [invalid(path, conversion.strategy, 'must be None if spec.preserveUnknownFields is true')]
}

/** Group and plural never change; scope and kind do not once the definition is established. */
function immutableErrors(next: SharedSpec, old: CustomResourceDefinitionSpec, path: FieldPath, { immutableNames }: DefinitionRules): FieldError[] {
  const errors: FieldError[] = []
  if (immutableNames) {
    errors.push(...validateImmutableField(next.scope, old.scope, path.child('scope')))
    errors.push(...validateImmutableField(next.names.kind, old.names.kind, path.child('names', 'kind')))
  }
  errors.push(...validateImmutableField(next.group, old.group, path.child('group')))
  return [...errors, ...validateImmutableField(next.names.plural, old.names.plural, path.child('names', 'plural'))]
}

/**
 * The list names all versions in which objects may be stored. It has the storage version, and each of its versions is still in the spec; one that is gone is reported
 * once.
 */
function storedVersionErrors(stored: readonly string[], versions: readonly CustomResourceDefinitionVersion[], path: FieldPath): FieldError[] {
  if (stored.length === 0) return [invalid(path, goStringList(undefined), 'must have at least one stored version')]
  const lastPlace = new Map(stored.map((name, i) => [name, i]))
  const names = new Set(versions.map(({ name }) => name))
  // A version that stands in the list twice is found once.
  const left = new Set(stored)
  const errors = versions.flatMap(({ name, storage }) =>
    left.delete(name) || !storage ? [] : [invalid(path, goStringList(stored), `must have the storage version ${name}`)],
  )
  const gone = stored.flatMap((name, i) => (names.has(name) || lastPlace.get(name) !== i ? [] : [{ name, i }]))
  return [...errors, ...gone.map(({ name, i }) => invalid(path.index(i), name, goneText(name)))]
}

const goneText = (name: string): string =>
  `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`

/** An update may keep preserveUnknownFields; no write sets it where it was not. */
function preserveErrors(next: CustomResourceDefinition, old: CustomResourceDefinition | undefined, path: FieldPath): FieldError[] {
  if (old?.spec.preserveUnknownFields || !next.spec.preserveUnknownFields) return []
  return [invalid(path, true, 'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead')]
}
