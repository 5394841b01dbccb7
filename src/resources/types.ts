import { TypeRegistry } from '../schema/idl.ts'
import { metaTypes } from '../schema/meta-types.ts'
import { admissionRegistrationTypes, admissionRegistrationV1alpha1Types, admissionRegistrationV1beta1Types } from './admissionregistration/types.ts'
import { apiRegistrationTypes } from './apiregistration/types.ts'
import { apiServerInternalTypes } from './apiserverinternal/types.ts'
import { appsTypes } from './apps/types.ts'
import { authenticationTypes } from './authentication/types.ts'
import { autoscalingTypes } from './autoscaling/types.ts'
import { batchTypes } from './batch/types.ts'
import { coordinationTypes, coordinationV1alpha2Types, coordinationV1beta1Types } from './coordination/types.ts'
import { coreTypes } from './core/types.ts'
import { eventsTypes } from './events/types.ts'
import { flowControlTypes } from './flowcontrol/types.ts'
import { networkingTypes, networkingV1beta1Types } from './networking/types.ts'
import { policyTypes } from './policy/types.ts'
import { storageMigrationTypes } from './storagemigration/types.ts'

/** Every declared type, by `package.Type`. */
export const types = [
  metaTypes,
  coreTypes,
  appsTypes,
  batchTypes,
  coordinationTypes,
  autoscalingTypes,
  policyTypes,
  networkingTypes,
  networkingV1beta1Types,
  eventsTypes,
  authenticationTypes,
  admissionRegistrationTypes,
  admissionRegistrationV1alpha1Types,
  admissionRegistrationV1beta1Types,
  flowControlTypes,
  apiRegistrationTypes,
  coordinationV1beta1Types,
  coordinationV1alpha2Types,
  apiServerInternalTypes,
  storageMigrationTypes,
].reduce((registry, pkg) => registry.add(pkg), new TypeRegistry())
