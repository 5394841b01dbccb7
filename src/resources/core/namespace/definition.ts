import type { Namespace } from '../../../api/core/v1.types.ts'
import { defineResource } from '../../../catalog/define.ts'
import type { Version } from '../../../catalog/definition.ts'
import type { Strategy } from '../../../catalog/strategy.ts'
import { types } from '../../../catalog/types.ts'
import { age } from '../../../meta/age.ts'
import { type FieldError, invalid } from '../../../meta/field-error.ts'
import { type FieldPath, fieldPath } from '../../../meta/field-path.ts'
import { isQualifiedName, nameIsDnsLabel } from '../../../meta/names.ts'
import { validateFinalizerDomain } from '../../../meta/object-meta-validation.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'
import { keepMembers, SPEC_FIELDS, STATUS_FIELDS, STATUS_VERBS } from '../../shared/strategy-parts.ts'
import { NAME_LABEL, setNamespaceDefaults } from './defaults.ts'

/** Finalizer of spec.finalizers that protects the contents. The namespace controller removes it when they are gone. */
const CONTENTS = 'kubernetes'
const FINALIZERS_PATH = fieldPath('spec', 'finalizers')

function validateFinalizer(finalizer: string, path: FieldPath): FieldError[] {
  return [...isQualifiedName(finalizer).map(message => invalid(path, finalizer, message)), ...validateFinalizerDomain(finalizer, path)]
}

/**
 * Sets the name label after the name was generated. For a name that the client sets, defaulting has already done so.
 */
function canonicalize({ metadata }: Namespace): void {
  if (metadata.name && !Object.hasOwn(metadata.labels ?? {}, NAME_LABEL))
    metadata.labels = { ...metadata.labels, [NAME_LABEL]: metadata.name }
}

/** Reports whether a namespace that is being deleted still has finalizers in its spec. */
const holdsDeletion = (namespace: Namespace): boolean => (namespace.spec.finalizers?.length ?? 0) > 0

const namespaceStrategy: Strategy<Namespace> = {
  ownPreconditions: true,
  metaRounds: ['whole', 'change'],
  validateName: nameIsDnsLabel,
  resetFields: STATUS_FIELDS,
  prepare(next, old) {
    if (!old) {
      next.status = { phase: 'Active' }
      const { finalizers = [] } = next.spec
      if (!finalizers.includes(CONTENTS)) next.spec = { ...next.spec, finalizers: [...finalizers, CONTENTS] }
      return
    }
    keepMembers(next, old, 'status')
    next.spec = { ...next.spec }
    keepMembers(next.spec, old.spec, 'finalizers')
  },
  validate(next) {
    const { finalizers = [] } = next.spec
    return finalizers.flatMap(finalizer => validateFinalizer(finalizer, FINALIZERS_PATH))
  },
  canonicalize,
  holdsDeletion,
  markDeleting(namespace) {
    // Upstream deletes namespaces without the grace period of other kinds: only finalizers delay the deletion.
    delete namespace.metadata.deletionGracePeriodSeconds
    namespace.status = { ...namespace.status, phase: 'Terminating' }
  },
}

/**
 * The phase is derived from deletionTimestamp, and a client may write no other. The path of its error starts with a
 * capital letter, as upstream's does.
 */
const statusStrategy: Strategy<Namespace> = {
  resetFields: SPEC_FIELDS,
  prepare(next, old) {
    if (old) keepMembers(next, old, 'spec')
  },
  validate(next) {
    const phase = next.status.phase ?? ''
    const deleting = next.metadata.deletionTimestamp !== undefined
    const wanted = deleting ? 'Terminating' : 'Active'
    if (phase === wanted) return []
    return [
      invalid(fieldPath('status', 'Phase'), phase, `may only be '${wanted}' if \`deletionTimestamp\` is ${deleting ? 'not ' : ''}empty`),
    ]
  },
  canonicalize,
  holdsDeletion,
}

/**
 * `finalize` is the only subresource that changes spec.finalizers; an update of the namespace keeps the old ones. Its
 * errors include the index of the finalizer, unlike those of a create or update.
 */
const finalizeStrategy: Strategy<Namespace> = {
  resetFields: STATUS_FIELDS,
  prepare(next, old) {
    if (old) keepMembers(next, old, 'status')
  },
  validate(next) {
    const { finalizers = [] } = next.spec
    return finalizers.flatMap((finalizer, i) => validateFinalizer(finalizer, FINALIZERS_PATH.index(i)))
  },
  canonicalize,
  holdsDeletion,
}

const v1: Version<Namespace> = {
  group: '',
  name: 'v1',
  kind: 'Namespace',
  names: { plural: 'namespaces', singular: 'namespace', shortNames: ['ns'] },
  verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
  schema: types.type('core.Namespace'),
  setDefaults: setNamespaceDefaults,
  table: {
    columns: [nameColumn, column('Status', 'Active, or Terminating during deletion.'), ageColumn],
    cells: ({ metadata, status }, now) => [metadata.name ?? '', status.phase ?? '', age(metadata.creationTimestamp, now)],
  },
  selectableFields: { 'status.phase': namespace => namespace.status.phase ?? '' },
  subresources: {
    status: { verbs: STATUS_VERBS, strategy: statusStrategy },
    finalize: { verbs: ['update'], strategy: finalizeStrategy },
  },
}

/**
 * A scope for names. It is deleted in two phases: it is marked first, and removed when its `spec.finalizers` are empty.
 * controllers/namespace.ts deletes its contents in between.
 * https://kubernetes.io/docs/concepts/overview/working-with-objects/namespaces/ Source of its rules:
 * pkg/registry/core/namespace.
 */
export const namespaceResource = defineResource<Namespace>({
  scope: 'Cluster',
  versions: [v1],
  hub: v1,
  storage: { prefix: 'namespaces', version: v1 },
  strategy: namespaceStrategy,
})
