import type { ControllerRevision } from '../../../api/apps/v1.types.ts'
import type { Json } from '../../../api/meta/object.ts'
import { defineResource } from '../../../catalog/define.ts'
import type { TableDefinition, Version } from '../../../catalog/definition.ts'
import type { HookContext } from '../../../catalog/strategy.ts'
import { goJsonInSteps } from '../../../codec/json-in-steps.ts'
import type { Steps } from '../../../lib/steps.ts'
import { age } from '../../../meta/age.ts'
import { deepEqualInSteps } from '../../../meta/equal.ts'
import { type FieldError, immutableError, required, type Verbatim, verbatim } from '../../../meta/field-error.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { parseApiVersion, qualifiedResource } from '../../../meta/gvk.ts'
import { nameIsDnsSubdomain } from '../../../meta/names.ts'
import { validateNonNegative } from '../../../meta/object-meta-validation.ts'
import { field, mandatory, onCreate, onUpdate, type Rule, rules } from '../../../meta/rules.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'
import { before, since } from '../../shared/release-rules.ts'
import { appsVersion } from '../version.ts'

const isJsonObject: Rule<unknown> = (value, path) =>
  typeof value === 'object' && !Array.isArray(value) ? [] : [required(path, 'data must be a valid JSON object')]

/** Texts of all bytes, as Go prints them. */
const BYTE_TEXTS = Array.from({ length: 256 }, (_, byte) => `0x${byte.toString(16)}`)

/** Prints the Go struct, which contains the bytes. */
function* rawExtension(value: Json | undefined): Steps<Verbatim> {
  const parts = yield* goJsonInSteps(value ?? null)
  const lists: string[] = []
  for (const part of value === undefined ? [] : parts) {
    yield
    lists.push(Array.from(Buffer.from(part), byte => BYTE_TEXTS[byte]).join(', '))
  }
  const bytes = value === undefined ? '(nil)' : `{${lists.join(', ')}}`
  return verbatim(`runtime.RawExtension{Raw:[]uint8${bytes}, Object:runtime.Object(nil)}`, () => parts.join(''))
}

const DATA = fieldPath('data')

/**
 * Validates a revision. Its data is immutable, its number is not. Since 1.31 data is validated only on create, and must
 * be an object. Source: pkg/apis/apps/validation in k8s.io/kubernetes.
 */
function* validateControllerRevision(
  next: ControllerRevision,
  old: ControllerRevision | undefined,
  context: HookContext,
): Steps<FieldError[]> {
  const errors = validateMembers(next, old, context)
  if (old && !(yield* deepEqualInSteps(next.data, old.data))) errors.push(immutableError(DATA, yield* rawExtension(next.data)))
  return errors
}

const validateMembers = rules<ControllerRevision, HookContext>()(
  field('revision', validateNonNegative),
  onCreate(field('data', mandatory('data is mandatory', since('1.31', isJsonObject)))),
  onUpdate(before('1.31', field('data', mandatory('data is mandatory')))),
)

/** Prints kind, group and name of the controlling owner, such as `statefulset.apps/web`. */
function controllerCell({ metadata }: ControllerRevision): string {
  const owner = metadata.ownerReferences?.find(reference => reference.controller)
  if (!owner) return '<none>'
  const group = parseApiVersion(owner.apiVersion)?.group ?? ''
  return `${qualifiedResource({ group, resource: owner.kind }).toLowerCase()}/${owner.name}`
}

const table: TableDefinition<ControllerRevision> = {
  columns: [
    nameColumn,
    column('Controller', 'Controller that owns the revision.'),
    column('Revision', 'Number of the revision.'),
    ageColumn,
  ],
  cells: (object, now) => [
    object.metadata.name ?? '',
    controllerCell(object),
    object.revision,
    age(object.metadata.creationTimestamp, now),
  ],
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
