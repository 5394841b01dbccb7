import { TypeRegistry } from '../schema/idl.ts'
import { metaTypes } from '../schema/meta-types.ts'
import { admissionRegistrationTypes, admissionRegistrationV1alpha1Types, admissionRegistrationV1beta1Types } from './admissionregistration/types.ts'
import { apiextensionsTypes } from './apiextensions/types.ts'
import { apiRegistrationTypes } from './apiregistration/types.ts'
import { apiServerInternalTypes } from './apiserverinternal/types.ts'
import { appsTypes } from './apps/types.ts'
import { authenticationTypes, authenticationV1alpha1Types, authenticationV1beta1Types } from './authentication/types.ts'
import { authorizationTypes, authorizationV1beta1Types } from './authorization/types.ts'
import { autoscalingTypes, autoscalingV2Types } from './autoscaling/types.ts'
import { batchTypes } from './batch/types.ts'
import { certificatesTypes, certificatesV1alpha1Types, certificatesV1beta1Types } from './certificates/types.ts'
import { coordinationTypes, coordinationV1alpha2Types, coordinationV1beta1Types } from './coordination/types.ts'
import { coreTypes } from './core/types.ts'
import { discoveryTypes } from './discovery/types.ts'
import { eventsTypes } from './events/types.ts'
import { flowControlTypes, olderFlowControlTypes } from './flowcontrol/types.ts'
import { networkingTypes, networkingV1beta1Types } from './networking/types.ts'
import { nodeTypes } from './node/types.ts'
import { policyTypes } from './policy/types.ts'
import { rbacTypes, rbacV1alpha1Types, rbacV1beta1Types } from './rbac/types.ts'
import { resourceTypes, resourceV1alpha3Types, resourceV1beta1Types } from './resource/types.ts'
import { schedulingTypes } from './scheduling/types.ts'
import { storageTypes, storageV1alpha1Types, storageV1beta1Types } from './storage/types.ts'
import { storageMigrationTypes } from './storagemigration/types.ts'
import { typesWithoutResource } from './types-without-resource.ts'

/** Every declared type, by `package.Type`. */
export const types = [
  metaTypes,
  coreTypes,
  apiextensionsTypes,
  appsTypes,
  batchTypes,
  coordinationTypes,
  autoscalingTypes,
  autoscalingV2Types,
  policyTypes,
  networkingTypes,
  networkingV1beta1Types,
  eventsTypes,
  authenticationTypes,
  authenticationV1beta1Types,
  authenticationV1alpha1Types,
  admissionRegistrationTypes,
  admissionRegistrationV1alpha1Types,
  admissionRegistrationV1beta1Types,
  flowControlTypes,
  ...olderFlowControlTypes,
  apiRegistrationTypes,
  coordinationV1beta1Types,
  coordinationV1alpha2Types,
  apiServerInternalTypes,
  storageMigrationTypes,
  resourceTypes,
  resourceV1beta1Types,
  resourceV1alpha3Types,
  certificatesTypes,
  certificatesV1beta1Types,
  certificatesV1alpha1Types,
  storageTypes,
  storageV1beta1Types,
  storageV1alpha1Types,
  schedulingTypes,
  nodeTypes,
  discoveryTypes,
  authorizationTypes,
  authorizationV1beta1Types,
  rbacTypes,
  rbacV1beta1Types,
  rbacV1alpha1Types,
  ...typesWithoutResource,
].reduce((registry, pkg) => registry.add(pkg), new TypeRegistry())
