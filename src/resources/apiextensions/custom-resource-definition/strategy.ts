import type { Strategy } from '../../../catalog/definition.ts'
import { deepEqual } from '../../../meta/equal.ts'
import { nameIsDnsSubdomain } from '../../../meta/names.ts'
import type { TypedObject } from '../../../meta/object.ts'
import { keepSpec, STATUS_FIELDS } from '../../shared/strategy-parts.ts'
import type { CustomResourceDefinition } from '../v1.types.ts'
import { defaultRuleErrors } from './default-rules.ts'
import { storageVersion } from './defaults.ts'
import { dropDisabledRules } from './drop-rules.ts'
import { validateDefinition, validateDefinitionStatus } from './validation.ts'

/** A version that becomes the storage version is one in which objects may be stored from then on. */
function addStoredVersion({ spec, status }: CustomResourceDefinition): void {
  const stored = storageVersion(spec.versions)
  if (stored !== undefined && !(status.storedVersions ?? []).includes(stored)) status.storedVersions = [...(status.storedVersions ?? []), stored]
}

/** Keeps a definition until its controller has removed the objects. */
export const CLEANUP_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io'

/** Upstream marks a definition by itself, the first time: with a finalizer and a condition, and nothing of what other kinds get. */
function markDeleting({ metadata, status }: CustomResourceDefinition): void {
  const finalizers = metadata.finalizers ?? []
  const conditions = status.conditions ?? []
  if (conditions.some(({ type }) => type === 'Terminating')) return
  if (!finalizers.includes(CLEANUP_FINALIZER)) metadata.finalizers = [...finalizers, CLEANUP_FINALIZER]
  const terminating = {
    type: 'Terminating',
    status: 'True',
    lastTransitionTime: metadata.deletionTimestamp ?? null,
    reason: 'InstanceDeletionPending',
    message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
  }
  status.conditions = [...conditions, terminating]
  // Takes back what other kinds get when they are marked.
  delete metadata.deletionGracePeriodSeconds
  if (metadata.generation !== undefined) metadata.generation--
}

const evaluate: NonNullable<Strategy<CustomResourceDefinition>['evaluate']> = async (next, old, _ctx, errors) =>
  errors.length > 0 ? [] : defaultRuleErrors(next, old)

/** The first request only marks a definition: its objects go first. */
const holdsDeletion = ({ metadata }: TypedObject): boolean => metadata.deletionTimestamp === undefined

/** A new definition has no status but the versions that are stored; a definition that is deleted is marked as terminating. */
export const definitionStrategy: Strategy<CustomResourceDefinition> = {
  allowUnconditionalUpdate: false,
  validateName: nameIsDnsSubdomain,
  plainFinalizers: true,
  defaultPropagation: 'none',
  ownPreconditions: true,
  resetFields: STATUS_FIELDS,
  prepare(next, old, { features }) {
    dropDisabledRules(next, old, features)
    if (old) {
      next.status = { ...old.status }
      if (!deepEqual(next.spec, old.spec)) next.metadata.generation = (old.metadata.generation ?? 0) + 1
    } else {
      next.status = { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: null }
      next.metadata.generation = 1
    }
    addStoredVersion(next)
  },
  validate: validateDefinition,
  evaluate,
  holdsDeletion,
  markDeleting,
}

/** Writes of the status may change the metadata, too, as upstream's do; in apply they own none of it. */
export const definitionStatusStrategy: Strategy<CustomResourceDefinition> = {
  allowUnconditionalUpdate: false,
  plainFinalizers: true,
  resetFields: [['metadata'], ['spec']],
  prepare: keepSpec,
  validate: validateDefinitionStatus,
  evaluate,
  holdsDeletion,
}
