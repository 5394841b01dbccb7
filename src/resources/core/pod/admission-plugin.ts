import type { AdmissionPlugin } from '../../../admission/chain.ts'
import { isAbout } from '../../../admission/refuse.ts'
import { asKind } from '../../../catalog/define.ts'
import { PODS } from '../../kinds.ts'
import { addDefaultTolerations, type TolerationSeconds } from './admission.ts'

/**
 * DefaultTolerationSeconds: how long pods stay on nodes that are not ready, or not reachable.
 * https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#defaulttolerationseconds
 */
export const defaultTolerationSeconds = (seconds: TolerationSeconds): AdmissionPlugin => ({
  name: 'DefaultTolerationSeconds',
  handles: request => (request.operation === 'CREATE' || request.operation === 'UPDATE') && isAbout(request, 'pods'),
  mutate: async ({ object }) => {
    if (object) addDefaultTolerations(asKind(PODS, object).spec, seconds)
    return object
  },
})
