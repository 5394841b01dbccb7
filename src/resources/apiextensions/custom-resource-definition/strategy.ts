import type { CustomResourceDefinition } from '../../../api/apiextensions/v1.types.ts'
import type { TypedObject } from '../../../api/meta/object.ts'
import type { Strategy } from '../../../catalog/strategy.ts'
import { isSince } from '../../../lifecycle/release.ts'
import { nameIsDnsSubdomain } from '../../../meta/names.ts'
import { prepareGeneration } from '../../shared/spec-generation.ts'
import { keepSpec, STATUS_FIELDS } from '../../shared/strategy-parts.ts'
import { defaultRuleErrors } from './default-rules.ts'
import { storageVersion } from './defaults.ts'
import { dropDisabledRules } from './drop-rules.ts'
import { validateDefinition, validateDefinitionStatus } from './validation.ts'
import { definitionWarnings } from './warnings.ts'

/** Adds a new storage version to the stored versions. */
function addStoredVersion({ spec, status }: CustomResourceDefinition): void {
  const stored = storageVersion(spec.versions)
  if (stored !== undefined && !(status.storedVersions ?? []).includes(stored))
    status.storedVersions = [...(status.storedVersions ?? []), stored]
}

/** Finalizer that keeps a definition until its controller has deleted the objects. */
export const CLEANUP_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io'

/**
 * Marks a definition for deletion. Upstream does so itself on the first request, with a finalizer and a condition, and
 * without the metadata that other kinds get.
 */
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
  // Reverts the metadata that other kinds get when they are marked for deletion.
  delete metadata.deletionGracePeriodSeconds
  if (metadata.generation !== undefined) metadata.generation--
}

const evaluate: NonNullable<Strategy<CustomResourceDefinition>['evaluate']> = async (next, old, _ctx, errors) =>
  errors.length > 0 ? [] : defaultRuleErrors(next, old)

/** The first request only marks the definition, because its objects are deleted first. */
const holdsDeletion = ({ metadata }: TypedObject): boolean => metadata.deletionTimestamp === undefined

/**
 * A new definition has a status with stored versions only. A definition that is deleted gets the condition Terminating.
 */
export const definitionStrategy: Strategy<CustomResourceDefinition> = {
  allowUnconditionalUpdate: false,
  validateName: nameIsDnsSubdomain,
  plainFinalizers: true,
  defaultPropagation: 'none',
  ownPreconditions: true,
  resetFields: STATUS_FIELDS,
  prepare(next, old, { features }) {
    dropDisabledRules(next, old, features)
    next.status = old ? { ...old.status } : { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: null }
    addStoredVersion(next)
    return prepareGeneration(next, old)
  },
  validate: validateDefinition,
  evaluate,
  holdsDeletion,
  markDeleting,
  warnings: definitionWarnings,
}

/** Strategy of `status`. As in upstream, its writes may change metadata. They own it since 1.36. */
export const definitionStatusStrategy: Strategy<CustomResourceDefinition> = {
  allowUnconditionalUpdate: false,
  plainFinalizers: true,
  resetFieldsIn: release => ({ fields: isSince(release, '1.36') ? [['spec']] : [['metadata'], ['spec']] }),
  prepare: keepSpec,
  validate: validateDefinitionStatus,
  evaluate,
  holdsDeletion,
}
