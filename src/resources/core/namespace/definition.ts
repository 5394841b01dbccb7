import { defineResource } from '../../../catalog/define.ts'
import type { Strategy, Version } from '../../../catalog/definition.ts'
import { age } from '../../../meta/age.ts'
import { type FieldError, invalid } from '../../../meta/field-error.ts'
import { type FieldPath, fieldPath } from '../../../meta/field-path.ts'
import { isQualifiedName, nameIsDnsLabel } from '../../../meta/names.ts'
import { validateFinalizerDomain } from '../../../meta/object-meta-validation.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'
import { keepMembers, SPEC_FIELDS, STATUS_FIELDS, STATUS_VERBS } from '../../shared/strategy-parts.ts'
import { types } from '../../types.ts'
import type { Namespace } from '../v1.types.ts'

/** The finalizer of spec.finalizers that stands for the contents; the namespace controller removes it when they are gone. */
const CONTENTS = 'kubernetes'
/** Label that every namespace has, with its name: selectors of namespaces can name one. */
const NAME_LABEL = 'kubernetes.io/metadata.name'

const finalizersPath = fieldPath('spec', 'finalizers')

function validateFinalizer(finalizer: string, path: FieldPath): FieldError[] {
  return [...isQualifiedName(finalizer).map(message => invalid(path, finalizer, message)), ...validateFinalizerDomain(finalizer, path)]
}

/** Gives a name that was generated its label. Defaults have done so for a name that the client gives. */
function canonicalize({ metadata }: Namespace): void {
  if (metadata.name && !Object.hasOwn(metadata.labels ?? {}, NAME_LABEL)) metadata.labels = { ...metadata.labels, [NAME_LABEL]: metadata.name }
}

/** A namespace that is being deleted stays while it has finalizers in its spec. */
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
    return finalizers.flatMap(finalizer => validateFinalizer(finalizer, finalizersPath))
  },
  canonicalize,
  holdsDeletion,
  markDeleting(namespace) {
    // Upstream deletes namespaces past the steps of other kinds: what becomes of one is up to its finalizers alone.
    delete namespace.metadata.deletionGracePeriodSeconds
    namespace.status = { ...namespace.status, phase: 'Terminating' }
  },
}

/** The phase follows from deletionTimestamp: a client may write no other. The path of its error has a capital, as upstream's. */
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
    return [invalid(fieldPath('status', 'Phase'), phase, `may only be '${wanted}' if \`deletionTimestamp\` is ${deleting ? 'not ' : ''}empty`)]
  },
  canonicalize,
  holdsDeletion,
}

/**
 * The only way to change spec.finalizers: an update of the namespace keeps the old ones. Errors name the index of a finalizer, which those of a create or update
 * do not.
 */
const finalizeStrategy: Strategy<Namespace> = {
  resetFields: STATUS_FIELDS,
  prepare(next, old) {
    if (old) keepMembers(next, old, 'status')
  },
  validate(next) {
    const { finalizers = [] } = next.spec
    return finalizers.flatMap((finalizer, i) => validateFinalizer(finalizer, finalizersPath.index(i)))
  },
  canonicalize,
  holdsDeletion,
}

function setDefaults(namespace: Namespace): void {
  const { metadata } = namespace
  // A name still to be generated is labelled when it is known: see canonicalize.
  if (metadata.name && metadata.labels?.[NAME_LABEL] !== metadata.name) metadata.labels = { ...metadata.labels, [NAME_LABEL]: metadata.name }
  namespace.status.phase ??= 'Active'
}

const v1: Version<Namespace> = {
  group: '',
  name: 'v1',
  kind: 'Namespace',
  names: { plural: 'namespaces', singular: 'namespace', shortNames: ['ns'] },
  verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
  schema: types.type('core.Namespace'),
  setDefaults,
  table: {
    columns: [nameColumn, column('Status', 'Active, or Terminating while it is being emptied.'), ageColumn],
    cells: ({ metadata, status }, now) => [metadata.name ?? '', status.phase ?? '', age(metadata.creationTimestamp, now)],
  },
  selectableFields: { 'status.phase': namespace => namespace.status.phase ?? '' },
  subresources: {
    status: { verbs: STATUS_VERBS, strategy: statusStrategy },
    finalize: { verbs: ['update'], strategy: finalizeStrategy },
  },
}

/**
 * Deleted in two steps: it is marked, and goes when its own finalizers (`spec.finalizers`) are gone, which controllers/namespace.ts sees to.
 * https://kubernetes.io/docs/concepts/overview/working-with-objects/namespaces/
 * Source of its rules: pkg/registry/core/namespace.
 */
export const namespaceResource = defineResource<Namespace>({
  scope: 'Cluster',
  versions: [v1],
  hub: v1,
  storage: { prefix: 'namespaces', version: v1 },
  strategy: namespaceStrategy,
})
