import type { AdmissionPlugin } from '../../../admission/chain.ts'
import { isAbout } from '../../../admission/refuse.ts'
import { asKind } from '../../../catalog/define.ts'
import { PODS } from '../../kinds.ts'
import { addDefaultTolerations, setServiceAccount, type TolerationSeconds } from './admission.ts'

/**
 * ServiceAccount: a pod that is created has the account `default` where it names none. What the plugin also does in kube-apiserver (look the account up, mount its token) is not built.
 * https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#serviceaccount
 */
export const serviceAccount: AdmissionPlugin = {
  name: 'ServiceAccount',
  handles: request => request.operation === 'CREATE' && isAbout(request, 'pods'),
  mutate: async ({ object }) => {
    if (object) setServiceAccount(object.metadata, asKind(PODS, object).spec)
    return object
  },
}

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
