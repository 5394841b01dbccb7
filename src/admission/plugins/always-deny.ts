import type { AdmissionPlugin } from '../chain.ts'
import { refuse } from '../refuse.ts'

/**
 * AlwaysDeny: rejects every request that reaches admission. Deprecated upstream; useful in tests.
 * https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#alwaysdeny
 */
export const alwaysDeny: AdmissionPlugin = {
  name: 'AlwaysDeny',
  handles: () => true,
  mutate: async request => {
    throw refuse(request, 'admission control is denying all modifications')
  },
}
