import type { AdmissionPlugin } from '../chain.ts'
import { refuse } from '../refuse.ts'

/**
 * AlwaysDeny: refuses every request that admission sees. Deprecated upstream, and of use for tests.
 * https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#alwaysdeny
 */
export const alwaysDeny: AdmissionPlugin = {
  name: 'AlwaysDeny',
  handles: () => true,
  mutate: async request => {
    throw refuse(request, 'admission control is denying all modifications')
  },
}
