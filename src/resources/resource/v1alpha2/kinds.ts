import type { ResourceDefinition } from '../../../catalog/definition.ts'
import { resourceClaimParametersResource, resourceClassParametersResource } from './parameters.ts'
import { alphaPodSchedulingContextResource, podSchedulingResource } from './pod-scheduling.ts'
import { classBasedClaimResource } from './resource-claim.ts'
import { classBasedClaimTemplateResource } from './resource-claim-template.ts'
import { resourceClassResource } from './resource-class.ts'
import { namedResourceSliceResource } from './resource-slice.ts'

/** Kinds of resource.k8s.io in 1.26 to 1.30. Later kinds with the same names are unrelated to them. */
export const CLASS_BASED_KINDS: readonly ResourceDefinition[] = [
  podSchedulingResource,
  alphaPodSchedulingContextResource,
  classBasedClaimResource,
  resourceClaimParametersResource,
  classBasedClaimTemplateResource,
  resourceClassResource,
  resourceClassParametersResource,
  namedResourceSliceResource,
]
