import type { AdmissionPlugin } from '../../../admission/chain.ts'
import { addDefaultTolerations, setServiceAccount } from './admission.ts'

/**
 * What the default plugins ServiceAccount (the account's name alone) and DefaultTolerationSeconds do to a pod that is created.
 * https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/
 */
export const podDefaults: AdmissionPlugin = {
  name: 'PodDefaults',
  handles: ({ operation, served, subresource }) =>
    operation === 'CREATE' && subresource === '' && served.version.group === '' && served.version.names.plural === 'pods',
  mutate: async ({ object }) => {
    if (object) {
      setServiceAccount(object)
      addDefaultTolerations(object)
    }
    return object
  },
}
