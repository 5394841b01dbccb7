import type { ControllerRevision } from '../../../api/apps/v1.types.ts'
import type { Json } from '../../../api/meta/object.ts'
import { defineResource } from '../../../catalog/define.ts'
import type { HookContext, TableDefinition, Version } from '../../../catalog/definition.ts'
import { goJson } from '../../../codec/json.ts'
import { age } from '../../../meta/age.ts'
import { deepEqual } from '../../../meta/equal.ts'
import { immutableError, required, type Verbatim, verbatim } from '../../../meta/field-error.ts'
import { parseApiVersion, qualifiedResource } from '../../../meta/gvk.ts'
import { nameIsDnsSubdomain } from '../../../meta/names.ts'
import { validateNonNegative } from '../../../meta/object-meta-validation.ts'
import { field, mandatory, onCreate, onUpdate, type Rule, rules } from '../../../meta/rules.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'
import { before, since } from '../../shared/release-rules.ts'
import { appsVersion } from '../version.ts'

const isJsonObject: Rule<unknown> = (value, path) =>
  typeof value === 'object' && !Array.isArray(value) ? [] : [required(path, 'data must be a valid JSON object')]

/** Prints the Go struct, which contains the bytes. */
function rawExtension(value: Json | undefined): Verbatim {
  const bytes = value === undefined ? undefined : [...Buffer.from(goJson(value))].map(byte => `0x${byte.toString(16)}`)
  return verbatim(`runtime.RawExtension{Raw:[]uint8${bytes ? `{${bytes.join(', ')}}` : '(nil)'}, Object:runtime.Object(nil)}`, () => goJson(value ?? null))
}

const immutableData: Rule<Json | undefined> = (value, path, old) => (deepEqual(value, old) ? [] : [immutableError(path, rawExtension(value))])

/**
 * Validates a revision. Its data is immutable, its number is not. Since 1.31 data is validated only on create, and must be an object. Source:
 * pkg/apis/apps/validation in k8s.io/kubernetes.
 */
const validateControllerRevision = rules<ControllerRevision, HookContext>()(
  field('revision', validateNonNegative),
  onCreate(field('data', mandatory('data is mandatory', since('1.31', isJsonObject)))),
  onUpdate(before('1.31', field('data', mandatory('data is mandatory'))), field('data', immutableData)),
)

/** Prints kind, group and name of the controlling owner, such as `statefulset.apps/web`. */
function controllerCell({ metadata }: ControllerRevision): string {
  const owner = metadata.ownerReferences?.find(reference => reference.controller)
  if (!owner) return '<none>'
  const group = parseApiVersion(owner.apiVersion)?.group ?? ''
  return `${qualifiedResource({ group, resource: owner.kind }).toLowerCase()}/${owner.name}`
}

const table: TableDefinition<ControllerRevision> = {
  columns: [nameColumn, column('Controller', 'Controller that owns the revision.'), column('Revision', 'Number of the revision.'), ageColumn],
  cells: (object, now) => [object.metadata.name ?? '', controllerCell(object), object.revision, age(object.metadata.creationTimestamp, now)],
}

const v1: Version<ControllerRevision> = {
  ...appsVersion('ControllerRevision', { plural: 'controllerrevisions', singular: 'controllerrevision' }, false),
  table,
}

/**
 * An immutable snapshot of a daemon set or stateful set, for rollbacks. The server does not interpret its data.
 * Source of its rules: pkg/registry/apps/controllerrevision.
 */
export const controllerRevisionResource = defineResource<ControllerRevision>({
  scope: 'Namespaced',
  versions: [v1],
  hub: v1,
  storage: { prefix: 'controllerrevisions', version: v1 },
  strategy: { metaRounds: ['change', 'whole'], validateName: nameIsDnsSubdomain, validate: validateControllerRevision },
})
