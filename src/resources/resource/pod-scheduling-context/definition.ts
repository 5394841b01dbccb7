import type { PodSchedulingContext } from '../../../api/resource/v1alpha3.types.ts'
import { defineResource } from '../../../catalog/define.ts'
import type { Version } from '../../../catalog/definition.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { validateSet } from '../lists.ts'
import { validateClassName } from '../names.ts'
import { schedulingParts, schedulingStrategy, validatePotentialNodes } from '../pod-scheduling.ts'
import { resourceVersion } from '../version.ts'

const MOST_NODES = 128

/** Validates names of nodes, which are unique subdomains. */
const validateNodes = (nodes: readonly string[] | undefined, path: FieldPath): FieldError[] =>
  validateSet(nodes, path, { max: MOST_NODES, release: '1.31', check: validateClassName, keyOf: name => name })

const v1alpha3: Version<PodSchedulingContext> = {
  ...resourceVersion('PodSchedulingContext', { plural: 'podschedulingcontexts', singular: 'podschedulingcontext' }, 'v1alpha3'),
  ...schedulingParts(validateNodes),
}

/**
 * Negotiation between the scheduler and the controllers of drivers about the node of a pod. 1.31 is the last release
 * that has it, not served by default. https://kep.k8s.io/3063 Source of its rules:
 * pkg/registry/resource/podschedulingcontext.
 */
export const podSchedulingContextResource = defineResource<PodSchedulingContext>({
  scope: 'Namespaced',
  versions: [v1alpha3],
  hub: v1alpha3,
  storage: { prefix: 'podschedulingcontexts', version: v1alpha3 },
  strategy: schedulingStrategy(next => validatePotentialNodes(next, validateNodes)),
})
