import type { TypePackage } from '../schema/idl.ts'
import { metaV1beta1Types } from '../schema/meta-types.ts'
import { admissionTypes } from './admission/types.ts'
import { apiDiscoveryTypes } from './apidiscovery/types.ts'
import { olderApiextensionsTypes } from './apiextensions/older-types.ts'
import { olderApiRegistrationTypes } from './apiregistration/older-types.ts'
import { olderAppsTypes } from './apps/older-types.ts'
import { olderAutoscalingTypes } from './autoscaling/older-types.ts'
import { olderBatchTypes } from './batch/older-types.ts'
import { olderDiscoveryTypes } from './discovery/older-types.ts'
import { olderEventsTypes } from './events/older-types.ts'
import { extensionsTypes } from './extensions-v1beta1/types.ts'
import { imagePolicyTypes } from './imagepolicy/types.ts'
import { networkingV1alpha1Types } from './networking/older-types.ts'
import { olderNodeTypes } from './node/older-types.ts'
import { olderPolicyTypes } from './policy/older-types.ts'
import { olderSchedulingTypes } from './scheduling/older-types.ts'

/** Types that no resource of this release has: of versions that earlier ones served, and of what is said between servers. Nothing of them is read until one is asked for. */
export const typesWithoutResource: readonly TypePackage[] = [
  ...admissionTypes,
  ...apiDiscoveryTypes,
  ...olderApiextensionsTypes,
  ...olderApiRegistrationTypes,
  ...olderAppsTypes,
  ...olderAutoscalingTypes,
  ...olderBatchTypes,
  ...olderDiscoveryTypes,
  ...olderEventsTypes,
  extensionsTypes,
  imagePolicyTypes,
  metaV1beta1Types,
  networkingV1alpha1Types,
  ...olderNodeTypes,
  ...olderPolicyTypes,
  ...olderSchedulingTypes,
]
