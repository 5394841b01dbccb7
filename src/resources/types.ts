import { TypeRegistry } from '../schema/idl.ts'
import { metaTypes } from '../schema/meta-types.ts'
import { appsTypes } from './apps/types.ts'
import { authenticationTypes } from './authentication/types.ts'
import { authorizationTypes } from './authorization/types.ts'
import { autoscalingTypes } from './autoscaling/types.ts'
import { batchTypes } from './batch/types.ts'
import { coordinationTypes } from './coordination/types.ts'
import { coreTypes } from './core/types.ts'
import { networkingTypes } from './networking/types.ts'
import { policyTypes } from './policy/types.ts'
import { rbacTypes } from './rbac/types.ts'

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
  authenticationTypes,
  authorizationTypes,
  rbacTypes,
].reduce((registry, pkg) => registry.add(pkg), new TypeRegistry())
