import type { PodSchedulingContext } from '../../../api/resource/v1alpha2.types.ts'
import { defineResource } from '../../../catalog/define.ts'
import type { ResourceDefinition, Version } from '../../../catalog/definition.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { schedulingParts, schedulingStrategy, validatePotentialNodes } from '../pod-scheduling.ts'
import { validateNodeNames } from './node-names.ts'
import { withUpdateErrors } from './update-errors.ts'
import { alphaVersion } from './version.ts'

const validateContext = (next: PodSchedulingContext, old: PodSchedulingContext | undefined): FieldError[] =>
  withUpdateErrors(validatePotentialNodes(next, validateNodeNames), old !== undefined)

const schedulingResource = (version: Version<PodSchedulingContext>): ResourceDefinition =>
  defineResource<PodSchedulingContext>({
    scope: 'Namespaced',
    versions: [version],
    hub: version,
    storage: { prefix: version.names.plural, version },
    strategy: schedulingStrategy(validateContext),
  })

/**
 * Negotiation between the scheduler and drivers about the node of a pod, in 1.27 to 1.30.
 * Source of its rules: pkg/registry/resource/podschedulingcontext.
 */
export const alphaPodSchedulingContextResource = schedulingResource({
  ...alphaVersion('v1alpha2', 'PodSchedulingContext', { plural: 'podschedulingcontexts', singular: 'podschedulingcontext' }),
  ...schedulingParts(validateNodeNames),
})

/** The name of this kind in 1.26. */
export const podSchedulingResource = schedulingResource({
  ...alphaVersion('v1alpha1', 'PodScheduling', { plural: 'podschedulings', singular: 'podscheduling' }),
  ...schedulingParts(validateNodeNames),
})
